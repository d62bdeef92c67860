/** Part k of a stack of matrices (or row k of a matrix), as a tensor of its own. */
function part(stack, k) {
  const shape = stack.shape.slice(1),
    size = shape.reduce((a, b) => a * b, 1);
  return { shape, values: stack.values.subarray(k * size, (k + 1) * size) };
}

/** A node and its children: i, f, g and o stand on top of each other; each child has a forget gate of its own. */
function node(t, { W, U, b }, x, children) {
  const H = U.shape[1],
    said = children.length > 0 ? t.add(...children.map(({ h }) => h)) : null;
  const sum = (gate) => {
    const own = t.linear(W, x, b, gate * H, H);
    return said ? t.add(own, t.linear(U, said, null, gate * H, H)) : own;
  };
  const forget = ({ h }) => t.sigmoid(t.add(t.linear(W, x, b, H, H), t.linear(U, h, null, H, H)));
  const kept = children.map((child) => t.mul(forget(child), child.cell));
  const cell = t.add(t.mul(t.sigmoid(sum(0)), t.tanh(sum(2))), ...kept);
  return { h: t.mul(t.sigmoid(sum(3)), t.tanh(cell)), cell };
}

/** One pixel or block of an image, from what lies above it and to its left: i, both forget gates, g and o. */
function pixel(t, { W, above, left, b }, x, up, before) {
  const H = above.shape[1];
  const sum = (gate) =>
    t.add(
      ...[
        t.linear(W, x, b, gate * H, H),
        up && t.linear(above, up.h, null, gate * H, H),
        before && t.linear(left, before.h, null, gate * H, H),
      ].filter(Boolean),
    );
  const kept = [
    [up, 1],
    [before, 2],
  ]
    .filter(([from]) => from)
    .map(([from, gate]) => t.mul(t.sigmoid(sum(gate)), from.cell));
  const cell = t.add(t.mul(t.sigmoid(sum(0)), t.tanh(sum(3))), ...kept);
  return { h: t.mul(t.sigmoid(sum(4)), t.tanh(cell)), cell };
}

/** One node's turn in a graph: itself, and the mean of its neighbours, each through a forget gate of its own. */
function turn(t, { W, U, V, b }, x, own, others) {
  const H = U.shape[1],
    share = 1 / Math.max(others.length, 1);
  const said = others.length > 0 ? t.scale(t.add(...others.map(({ h }) => h)), share) : null;
  const sum = (gate) =>
    t.add(
      ...[
        t.linear(W, x, b, gate * H, H),
        own && t.linear(U, own.h, null, gate * H, H),
        said && gate !== 1 && t.linear(V, said, null, gate * H, H),
      ].filter(Boolean),
    );
  const kept = others.map(({ h, cell }) =>
    t.scale(t.mul(t.sigmoid(t.add(t.linear(W, x, b, H, H), t.linear(V, h, null, H, H))), cell), share),
  );
  const cell = t.add(
    t.mul(t.sigmoid(sum(0)), t.tanh(sum(2))),
    ...kept,
    ...(own ? [t.mul(t.sigmoid(sum(1)), own.cell)] : []),
  );
  return { h: t.mul(t.sigmoid(sum(3)), t.tanh(cell)), cell };
}

const named = (tensors, stem) =>
  Object.fromEntries(
    Object.entries(tensors)
      .filter(([name]) => name.startsWith(`${stem}.`))
      .map(([name, tensor]) => [name.slice(stem.length + 1), tensor]),
  );
const rows = (t, E, codes) => codes.map((code) => t.input(part(E, code).values));

/** The hidden states of a line of words: for each layer that is asked, those of all its steps. */
function line(t, tensors, { inputs }, way) {
  const x = rows(t, tensors["line.E"], inputs);
  const readers = ["ahead", "back"].filter((_, i) => way === "both" || way === ["left", "right"][i]);
  const read = readers.map((reader) => {
    const order = x.map((_, i) => (reader === "ahead" ? i : x.length - 1 - i)),
      said = [];
    let state = null;
    for (const i of order) said[i] = (state = node(t, named(tensors, `line.${reader}`), x[i], state ? [state] : [])).h;
    return said;
  });
  return { x, said: read };
}

function tree(t, tensors, { inputs, parent }) {
  const x = rows(t, tensors["tree.E"], inputs),
    states = [],
    weights = named(tensors, "tree");
  for (let i = inputs.length - 1; i >= 0; i--)
    states[i] = node(
      t,
      weights,
      x[i],
      states.filter((_, k) => k > i && parent[k] === i),
    );
  return { x, said: [states.map(({ h }) => h)] };
}

/** Blocks of an image; each sweep begins in a corner, and turns the image so that its corner lies top left. */
function grid(t, tensors, { pixels, side, block }, way) {
  const n = side / block,
    all = named(tensors, "grid");
  const x = Array.from({ length: n * n }, (_, at) =>
    t.input(
      Array.from({ length: block * block }, (__, p) => {
        const y = Math.floor(at / n) * block + Math.floor(p / block),
          column = (at % n) * block + (p % block);
        return pixels[y * side + column] / 255;
      }),
    ),
  );
  const corners = way === "all" ? [0, 1, 2, 3] : [Number(way)];
  const said = corners.map((k) => {
    const weights = Object.fromEntries(Object.entries(all).map(([name, stack]) => [name, part(stack, k)]));
    const place = (r, c) => (k >= 2 ? n - 1 - r : r) * n + (k % 2 ? n - 1 - c : c),
      states = [];
    for (let r = 0; r < n; r++)
      for (let c = 0; c < n; c++) {
        states[place(r, c)] = pixel(
          t,
          weights,
          x[place(r, c)],
          r > 0 && states[place(r - 1, c)],
          c > 0 && states[place(r, c - 1)],
        );
      }
    return states.map(({ h }) => h);
  });
  return { x, said };
}

function graph(t, tensors, { features, neighbours, order }, way) {
  const x = features.map((values) => t.input(values)),
    weights = named(tensors, "graph"),
    H = weights.U.shape[1];
  const none = t.input(new Array(H).fill(0)),
    states = x.map(() => ({ h: none, cell: none }));
  for (let pass = 0; pass < Number(way); pass++)
    for (const i of order)
      states[i] = turn(
        t,
        weights,
        x[i],
        states[i],
        neighbours[i].map((k) => states[k]),
      );
  return { x, said: [states.map(({ h }) => h)] };
}

/** Inputs x (steps of the tape) and what each node says, a list for each reader, of one example. */
export const shapes = { line, tree, grid, graph };
