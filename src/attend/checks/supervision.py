"""Exercises of the page on what an RNN can be trained for: shapes, drawing, packing, a language model."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from attend.checks.answers import number, whole
from attend.checks.exercise import Untouched, Wrong, blame, exercise
from attend.checks.made import trainable
from attend.tasks import plays

STEPS = 300
"""How long the reader's own language model is trained."""
ENOUGH = 3.2
"""Bits per character that it must reach; whoever sees one character alone cannot get below 3.5."""


SHAPES = ("one-to-one", "one-to-many", "many-to-one", "many-to-many")
TASKS = {
    "language": ("many-to-one", "the words come one by one, and the answer is one for the whole sentence"),
    "noun": ("many-to-many", "every word goes in, and every word wants an answer of its own"),
    "tune": ("one-to-many", "one note goes in, and after that the network hears only itself"),
    "cat": ("one-to-one", "a photograph comes at once, and nothing has to be remembered"),
    "heart": ("many-to-many", "the beats go in one by one, and at each of them there is an answer"),
}


@exercise
def shapes(answers: object) -> str:
    """A dictionary from five tasks to the names of their shapes."""
    if not isinstance(answers, dict):
        raise Wrong("the answer is a dictionary from tasks to shapes")
    found = {key: value for word, key in _tasks(answers) for value in [answers[word]]}
    if missing := TASKS.keys() - found.keys():
        raise Wrong(f"a task is missing, the one with the word {min(missing)}")
    if any(value is ... or value is None for value in found.values()):
        raise Untouched
    for key, value in found.items():
        name = "-".join(str(value).lower().replace("-", " ").replace("_", " ").split())
        if name not in SHAPES:
            raise Wrong(f"{value!r} is none of the four shapes: {', '.join(SHAPES)}")
        right, reason = TASKS[key]
        if name != right:
            raise Wrong(f"the task with the word {key} is not {name}: {reason}")
    return "One network, asked at different places."


def _tasks(answers: dict) -> list[tuple[object, str]]:
    return [(task, key) for task in answers for key in TASKS if key in str(task)]


@exercise
def draw(draw_of: Callable) -> str:
    """draw_of(logits, temperature, u) -> the token at which the cumulated probabilities first pass u."""
    for seed, size in ((0, 5), (1, 11), (2, 7)):
        generator = torch.Generator().manual_seed(seed)
        logits = 3 * torch.randn(size, generator=generator)
        for temperature in (1.0, 0.5, 1.7):
            ends = (logits / temperature).softmax(0).cumsum(0)
            for u in torch.linspace(0.003, 0.997, 41).tolist():
                if (ends - u).abs().min() > 1e-4:
                    _drawn(draw_of, logits, temperature, u, int((ends < u).sum()))
    return "A uniform number and a running sum: that is all it takes to draw from any distribution."


def _drawn(draw_of: Callable, logits: Tensor, temperature: float, u: float, wanted: int) -> None:
    """Refuse a draw that is not the one wanted, by the name of its mistake."""
    got = whole(draw_of(logits, temperature, u), "a token")
    if got == wanted:
        return
    if not 0 <= got < len(logits):
        raise Wrong(f"there are {len(logits)} tokens, from 0 to {len(logits) - 1}, and yours is {got}")

    def place(values: Tensor) -> int:
        return min(int((values.softmax(0).cumsum(0) < u).sum()), len(logits) - 1)

    said = f"for the logits {_spell(logits)}, temperature {temperature:g} and u = {u:.3f}"
    if temperature != 1 and got == place(logits):
        raise Wrong(f"{said}: the temperature makes no difference to yours")
    if temperature != 1 and got == place(logits * temperature):
        raise Wrong(f"{said}: the logits are divided by the temperature, and yours seem to be multiplied")
    probs = (logits / temperature).softmax(0)
    several = (0.01, 0.3, 0.5, 0.8, 0.99)
    given = [whole(draw_of(logits, temperature, v), "a token") for v in several]
    if given == [int(logits.argmax())] * len(several):
        raise Wrong(f"{said}: yours is the likeliest token, whatever u is")
    if given == [int((probs - v).abs().argmin()) for v in several]:
        raise Wrong(f"{said}: compare u with the running sum of the probabilities, not with each of them")
    if got in (wanted - 1, wanted + 1):
        raise Wrong(f"{said}: yours is one token off; the first whose running sum passes u is token {wanted}")
    raise Wrong(f"{said}: the first token whose running sum passes u is token {wanted}, yours is {got}")


@exercise
def pack(pack_of: Callable) -> str:
    """pack_of(probs (T, V), tokens (T)) -> the lower end and the width of the interval that stands for the tokens."""
    for seed, T, V in ((0, 3, 5), (1, 5, 7)):
        generator = torch.Generator().manual_seed(seed)
        probs = (2 * torch.randn(T, V, generator=generator)).softmax(dim=1)
        tokens = torch.randint(1, V - 1, (T,), generator=generator)
        got = [number(one, name) for one, name in zip(_two(pack_of(probs, tokens)), ("low", "the width"), strict=True)]
        low, width = _interval(probs, tokens)
        if not math.isclose(got[1], width, rel_tol=1e-3):
            _wrong_width(got[1], low, width, probs[torch.arange(T), tokens])
        if abs(got[0] - low) > 1e-3 * width + 1e-6:
            _wrong_low(got[0], low, width, probs, tokens)
    return f"The last text, {T} characters, has cost {-math.log2(width):.1f} bits: minus the logarithm of its width."


def _two(answer: object) -> tuple:
    try:
        low, width = answer
    except (TypeError, ValueError):
        raise Wrong("return two numbers, the lower end of the interval and its width") from None
    return low, width


def _interval(probs: Tensor, tokens: Tensor) -> tuple[float, float]:
    low, width = 0.0, 1.0
    for row, token in zip(probs.double().tolist(), tokens.tolist(), strict=True):
        low, width = low + width * sum(row[:token]), width * row[token]
    return low, width


def _wrong_width(width: float, low: float, wanted: float, came: Tensor) -> None:
    if abs(width - low - wanted) < 0.1 * wanted:
        raise Wrong("this is the upper end of the interval: its width is asked for")
    if abs(width - low) < 0.1 * wanted:
        raise Wrong("return the lower end first, and the width after it")
    if math.isclose(width, came.sum().item(), rel_tol=1e-3):
        raise Wrong("the widths are multiplied: each step takes a part of the interval before it")
    if math.isclose(width, came[-1].item(), rel_tol=1e-3):
        raise Wrong("this is the width of the last cut alone: the interval before it was narrow already")
    if math.isclose(width, -came.log2().sum().item(), rel_tol=1e-3):
        raise Wrong("these are the bits; the width itself is asked for, the product of the probabilities")
    raise Wrong("the width is the product of the probabilities of what came, and yours is another number")


def _wrong_low(low: float, wanted: float, width: float, probs: Tensor, tokens: Tensor) -> None:
    if abs(low - wanted - width) < 1e-3 * width:
        raise Wrong("this is the upper end of the interval: the lower end is asked for")
    upper, plain, late, now, then = 0.0, 0.0, 0.0, 1.0, 1.0
    for row, token in zip(probs.tolist(), tokens.tolist(), strict=True):
        upper, plain = upper + now * sum(row[: token + 1]), plain + sum(row[:token])
        then *= row[token]
        late, now = late + then * sum(row[:token]), now * row[token]
    if math.isclose(low, upper, rel_tol=1e-3):
        raise Wrong("the character itself is not among those before it: the sum goes up to k and leaves k out")
    if math.isclose(low, plain, rel_tol=1e-3):
        raise Wrong("what stands before the character is a share of the interval: multiply it by the width")
    if math.isclose(low, late, rel_tol=1e-3):
        raise Wrong("move the lower end first, by the old width, and narrow the interval after that")
    raise Wrong("the width is right, and the lower end is not: it moves up by the width times the sum before k")


@exercise
def language_model(make: Callable) -> str:
    """make(V) -> a module from tokens (B, T) to the logits (B, T, V) of the tokens that follow, to be trained."""
    torch.manual_seed(4)
    V, B, T = len(plays.ALPHABET), 3, 7
    model = trainable(make(V), "make(V)")
    tokens = torch.randint(V, (B, T))
    with torch.no_grad():
        before = _logits(model, tokens, V)
        moved = []
        for t in range(T):
            changed = tokens.clone()
            changed[:, t] = (tokens[:, t] + 5) % V
            moved.append((_logits(model, changed, V) - before).abs().amax(dim=(0, 2)))
            if bool((moved[t][:t] > 1e-5).any()):
                raise Wrong(f"a change of the character at step {t} changes a prediction before it: it saw the answer")
        for t in range(T):
            if moved[t][t] < 1e-6:
                raise Wrong(f"the prediction at step {t} does not know the character that came at step {t}")
            if t + 1 < T and moved[t][t + 1 :].max() < 1e-7:
                raise Wrong(f"no later prediction knows what came at step {t}: the hidden state must be handed on")
    reached = _trained(model, V)
    if reached <= ENOUGH:
        return f"{reached:.2f} bits per character after {STEPS} steps. Now let it write."
    raise Wrong(
        f"after {STEPS} steps it needs {reached:.2f} bits per character of a scene that it never saw, and {ENOUGH} are "
        "asked for: is there a tanh around the sum, and are the answers of the head left as logits, without a softmax?"
    )


def _logits(model: nn.Module, tokens: Tensor, V: int) -> Tensor:
    with blame("your network", f"at tokens of shape {tuple(tokens.shape)}"):
        found = model(tokens)
    found = found[0] if isinstance(found, tuple) and found else found
    if not isinstance(found, Tensor):
        raise Wrong("the network must return a tensor of logits, (B, T, V)")
    if found.shape != (*tokens.shape, V):
        raise Wrong(f"the logits must have the shape {(*tokens.shape, V)}, yours have {tuple(found.shape)}")
    return found


def _trained(model: nn.Module, V: int) -> float:
    """Bits per character on unseen scenes after STEPS steps; every batch starts from a fresh state."""
    optimiser, batches = torch.optim.Adam(model.parameters(), lr=1e-2), plays.batches(16, 32)
    model.train()
    for _, (tokens, target, _) in zip(range(STEPS), batches, strict=False):
        loss = plays.cost(_logits(model, tokens, V), target)
        if not torch.isfinite(loss):
            raise Wrong("the loss is no longer finite in training")
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    model.eval()
    with torch.no_grad():
        pages = plays.pages("validation", 100)[:100]
        return plays.cost(_logits(model, pages[:, :-1], V), pages[:, 1:]).item() / math.log(2)


def _spell(values: Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in values.tolist()) + ")"
