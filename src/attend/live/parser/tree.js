const [END, WORD, CLOSE, OPEN] = [0, 1, 2, 3];

/** Which of `symbols` symbols may follow `tokens`, if `words` words are to stand in at most `most` symbols. */
export function legal(tokens, words, symbols, most) {
  const count = (fits) => tokens.filter(fits).length;
  const opened = count((token) => token >= OPEN);
  const depth = opened - count((token) => token === CLOSE);
  const left = words - count((token) => token === WORD);
  const room = most - tokens.length - (left + depth + 1);
  const fresh = tokens.length > 0 && tokens.at(-1) >= OPEN;
  return Array.from({ length: symbols }, (_, token) => {
    if (token === END) return opened > 0 && depth === 0;
    if (token === WORD) return depth > 0 && left > 0;
    if (token === CLOSE) return (depth > 1 || (depth === 1 && left === 0)) && !fresh;
    return (depth > 0 || opened === 0) && left > 0 && room >= 2;
  });
}

/**
 * What stands when `tokens` are written: nodes {label, from, to, level, open}, the words that are written, and in
 * `fault` why this is no tree, or "" while it still can become one.
 */
export function grown(tokens, names, words) {
  const nodes = [],
    waiting = [];
  let [at, fault, roots] = [0, "", 0];
  for (const token of tokens) {
    if (fault) break;
    if (token === END) {
      if (waiting.length) fault = `${waiting.length} of the brackets are never closed.`;
      else if (at < words) fault = `${words - at} of the words are missing.`;
      else if (!roots) fault = "There is no bracket.";
      continue;
    }
    if (roots && !waiting.length) fault = "Something stands behind the whole tree.";
    else if (token === WORD) {
      if (!waiting.length) fault = "A word stands outside all brackets.";
      else if (at === words) fault = "A word too many is written.";
      else at += 1;
    } else if (token === CLOSE) {
      const node = waiting.pop();
      if (!node) fault = "A bracket is closed that was never opened.";
      else if (node.from === at) fault = "A bracket is empty.";
      else {
        Object.assign(node, { to: at, open: false });
        if (!waiting.length) roots += 1;
      }
    } else {
      const node = { label: names[token].slice(1), from: at, to: at, level: waiting.length, open: true };
      nodes.push(node);
      waiting.push(node);
    }
  }
  for (const node of waiting) node.to = Math.max(at, node.from);
  return { nodes, at, fault };
}
