"""Exercises of the page on translation."""

from collections.abc import Callable
from zlib import crc32

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Untouched, Wrong, blame, exercise, untouched
from attend.checks.made import trainable
from attend.tasks import numbers, translation
from attend.tasks.pairs import Pairs, batches


@exercise
def share(right_words: Callable) -> str:
    """right_words(weights, origin) -> the share of tokens with an origin whose largest weight stands on it."""
    for seed, T, S in ((0, 7, 5), (1, 11, 3), (2, 6, 9)):
        generator = torch.Generator().manual_seed(seed)
        weights = torch.randn(T, S, generator=generator).mul(2).softmax(dim=1)
        weights[1] = weights[1].sort().values  # a token without an origin that looks at the last word
        origin = torch.where(torch.rand(T, generator=generator) < 0.5, weights.argmax(dim=1), (torch.arange(T) + 1) % S)
        origin[1::3] = -1
        got = number(right_words(weights, origin), "the share")
        said, hits = origin >= 0, weights.argmax(dim=1) == origin
        if abs(got - hits[said].double().mean().item()) < 1e-3:
            continue
        held = weights.gather(1, origin.clamp(min=0)[:, None])[:, 0]
        mistakes = {
            "tokens without an origin (-1) must be left out of the count, not counted as misses": hits.double().mean(),
            "this is how many; the share is asked for": hits[said].sum(),
            "this is the weight on the right word; what is counted is whether it is the largest": held[said].mean(),
            "-1 is no position: as an index it means the last word": (
                weights.argmax(dim=1) == torch.where(said, origin, S - 1)
            )
            .double()
            .mean(),
            "this is the share of misses": 1 - hits[said].double().mean(),
        }
        for says, mistaken in mistakes.items():
            if abs(got - float(mistaken)) < 1e-3:
                raise Wrong(says)
        raise Wrong(f"with {T} tokens, {int(said.sum())} of which have an origin, {got:.3f} is not the share of hits")
    return "Tokens that say no word have no right word to look at."


@exercise
def attend(attention: Callable) -> str:
    """attention(state, word, hidden, mask, W, Y, U, v) -> the context (B, K) and the weights (B, S)."""
    for seed, (B, S, H, D, K, A) in ((0, (2, 5, 3, 4, 6, 7)), (1, (3, 4, 7, 2, 5, 6))):
        generator = torch.Generator().manual_seed(seed)
        state, word, hidden, W, Y, U, v = (
            torch.randn(shape, generator=generator)
            for shape in ((B, H), (B, D), (B, S, K), (A, H), (A, D), (A, K), (A,))
        )
        mask = torch.arange(S) < torch.arange(S, S - B, -1)[:, None]
        answer = parts(attention(state, word, hidden, mask, W, Y, U, v), 2, "the answer")
        context, weights = tensor(answer[0], B, K, what="the context"), tensor(answer[1], B, S, what="the weights")
        asked = (state @ W.T + word @ Y.T)[:, None]
        scores = torch.tanh(asked + hidden @ U.T) @ v
        right = scores.masked_fill(~mask, -torch.inf).softmax(dim=1)
        if not torch.allclose(weights, right, rtol=1e-3, atol=1e-4):
            others = {
                "the last token has no say: Y word belongs inside the tanh": torch.tanh(
                    (state @ W.T)[:, None] + hidden @ U.T
                )
                @ v,
                "the state has no say: W state belongs inside the tanh": torch.tanh(
                    (word @ Y.T)[:, None] + hidden @ U.T
                )
                @ v,
                "without the tanh, state and token change all scores of a row alike, and so no weight": (
                    asked + hidden @ U.T
                )
                @ v,
                "the query must meet the key inside one tanh; two tanhs added are another score": (
                    torch.tanh(asked) + torch.tanh(hidden @ U.T)
                )
                @ v,
            }
            hide = {says: other.masked_fill(~mask, -torch.inf).softmax(dim=1) for says, other in others.items()}
            recognise(
                weights,
                hide
                | {
                    "padding is read: give it a score of -inf before the softmax": scores.softmax(dim=1),
                    "weights set to 0 after the softmax leave the others adding up to less than 1": scores.softmax(1)
                    * mask,
                    "a score of 0 is not a weight of 0: mask with -inf": (scores * mask).softmax(dim=1),
                    "the softmax runs over the batch; it must run over the words of each source": scores.masked_fill(
                        ~mask, -torch.inf
                    ).softmax(dim=0),
                    "these are the scores; a softmax makes weights of them": scores,
                },
            )
            raise Wrong("the weights are not softmax(v · tanh(W state + Y word + U h)) over the words")
        if not torch.allclose(context, (right[:, None] @ hidden)[:, 0], rtol=1e-3, atol=1e-4):
            recognise(
                context,
                {
                    "this is the mean of all positions alike; the weights were not used": hidden.mean(dim=1),
                    "this is the state with the largest weight; the context is the weighted mean of all": hidden[
                        torch.arange(B), right.argmax(dim=1)
                    ],
                },
            )
            raise Wrong("the weights are right, but the context is not the mean of `hidden` with these weights")
    return "Now the decoder knows what it really wrote, also where two tokens were nearly as likely."


LETTERS = "abcd"
CASES = ((248, 2, 4), (3, 1, 4), (770, 3, 3), (57, 2, 5), (175, 3, 4), (1677, 3, 3), (247, 2, 4))
"""Seed, width and steps of the searches."""


def _probs(seed: int) -> Callable[[str], dict[str, float]]:
    """A language: the probabilities of the next letter after each beginning."""

    def probs(text: str) -> dict[str, float]:
        generator = torch.Generator().manual_seed(crc32(f"{seed}{text}".encode()))
        shares = torch.rand(len(LETTERS), generator=generator).mul(2).exp().sub(0.9)
        return dict(zip(LETTERS, (shares / shares.sum()).tolist(), strict=True))

    return probs


def _search(probs: Callable, width: int, steps: int, joint: Callable = lambda p, q: p * q, best: Callable = max) -> str:
    kept = {"": 1.0}
    for _ in range(steps):
        longer = {text + letter: joint(p, q) for text, p in kept.items() for letter, q in probs(text).items()}
        kept = {text: longer[text] for text in sorted(longer, key=longer.get, reverse=True)[:width]}
    return best(kept, key=kept.get)


@exercise
def beam(search: Callable) -> str:
    """search(probs, width, steps) -> the text of so many letters that a beam of this width finds."""
    for seed, width, steps in CASES:
        probs = _probs(seed)
        got, right = search(probs, width, steps), _search(probs, width, steps)
        if isinstance(got, list | tuple) and all(isinstance(letter, str) for letter in got):
            got = "".join(got)
        if not isinstance(got, str):
            raise Wrong(f"the answer is a text, such as 'abba', and yours is {got!r}")
        if len(got) != steps or not set(got) <= set(LETTERS):
            raise Wrong(f"with steps = {steps} the answer has {steps} letters of {LETTERS}; yours is {got!r}")
        if got == right:
            continue
        everything = len(LETTERS) ** steps
        mistakes = {
            f"width {width} must keep {width} beginnings at every step; this is what greedy finds": _search(
                probs, 1, steps
            ),
            f"with width {width} the answer found begins with a text that should have been dropped": _search(
                probs, everything, steps
            ),
            "the probability of a text is the product of its letters' probabilities, not their sum": _search(
                probs, width, steps, lambda p, q: p + q
            ),
            "a text is judged by all of its letters, not by the last one": _search(probs, width, steps, lambda _, q: q),
            "this is the least likely text that was kept; sort the other way": _search(probs, width, steps, best=min),
        }
        for says, mistaken in mistakes.items():
            if got == mistaken:
                raise Wrong(says)
        raise Wrong(f"with width {width} and {steps} steps a beam finds a text of another probability than {got!r}")
    return "With width 1 it is greedy; with a width of all texts it is a search through everything."


STEPS, ENOUGH = 150, 0.8
"""Training steps, and the share of new numbers below 1,000 to be translated without a mistake."""


@exercise
def build(make: Callable) -> str:
    """make(source_vocab, target_vocab) -> a module: (source, mask, target) -> logits, weights; and `translate`."""
    torch.manual_seed(5)
    for sizes in ((3, 4, 6, 9, 8), (2, 5, 7, 11, 13)):
        _fits(make, *sizes)
    model = make(len(translation.ENGLISH), len(translation.GERMAN))
    _train(model, translation.encode(numbers.numbers("train", 3)))
    test = translation.encode(numbers.numbers("test", 3))
    said = _translated(model, test.source, test.mask, test.target.shape[1])
    right = ((said == test.target) | ~test.asked).all(dim=1).float().mean().item()
    if right >= ENOUGH:
        return f"{right:.0%} of {len(said)} new numbers below 1,000 are right. Try it on longer ones."
    raise Wrong(
        f"after {STEPS} steps {right:.0%} of the new numbers below 1,000 are right, and {ENOUGH:.0%} are asked for: "
        "does the context go into the step, and does the logits' layer see it? A hidden size of 64 is enough"
    )


def _fits(make: Callable, B: int, S: int, T: int, source_vocab: int, target_vocab: int) -> None:
    """Refuse what is no decoder with attention, before anything is trained."""
    model = trainable(make(source_vocab, target_vocab), "make(source_vocab, target_vocab)")
    source = torch.randint(0, source_vocab, (B, S))
    mask = torch.arange(S) < torch.arange(S, S - B, -1)[:, None]
    target = torch.randint(1, target_vocab, (B, T))
    logits, weights = _forward(model, source, mask, target)
    if not torch.allclose(weights.sum(dim=2), torch.ones(B, T), atol=1e-4) or bool((weights < 0).any()):
        raise Wrong("the weights of each step must add up to 1 over the words of the source")
    if bool((weights * ~mask[:, None]).abs().max() > 1e-6):
        raise Wrong("padding gets weight: give it a score of -inf before the softmax")
    if torch.allclose(weights, weights[:, :1].expand_as(weights), atol=1e-6):
        raise Wrong("all steps have the same weights: the scores must depend on the decoder's state")
    other = torch.where(mask, source, (source + 1) % source_vocab)
    if not torch.allclose(_forward(model, other, mask, target)[0], logits, atol=1e-4):
        raise Wrong(
            "what stands in the padding changes the logits. If your encoder also reads from the end, pack the batch: "
            "nn.utils.rnn.pack_padded_sequence"
        )
    for t in range(T):
        later = target.clone()
        later[:, t:] = later[:, t:] % (target_vocab - 1) + 1
        seen = _forward(model, source, mask, later)[0]
        if not torch.allclose(seen[:, : t + 1], logits[:, : t + 1], atol=1e-4):
            raise Wrong(
                f"the logits of step {t + 1} depend on the target's token {t + 1} or a later one: the decoder sees "
                "what it is to predict. It must read the end token first, and then the target one step late"
            )
        if t + 1 < T and torch.allclose(seen[:, t + 1], logits[:, t + 1], atol=1e-6):
            raise Wrong("the decoder does not read the token before: the next one must depend on it")
    if torch.allclose(_forward(model, source.roll(1, dims=0), mask, target)[0], logits, atol=1e-6):
        raise Wrong("another source gives the same logits: the context does not reach them")
    said = _translated(model, source, mask, T)
    again = _forward(model, source, mask, said)[0].argmax(dim=2)
    alive = (said == 0).cumsum(dim=1) - (said == 0).long() == 0  # up to the first end
    if bool(((said != again) & alive).any()):
        raise Wrong("`translate` must take the likeliest token at each step, and read it in the next one")


def _forward(model: nn.Module, source: Tensor, mask: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    with blame("your module"), torch.no_grad():
        found = model(source.clone(), mask.clone(), target.clone())
    if found is None or found is ...:
        if untouched(type(model).forward):
            raise Untouched
        raise Wrong("`forward` gives nothing back: it needs a `return`")
    logits, weights = parts(found, 2, "what `forward` returns")
    (B, T), S = target.shape, source.shape[1]
    weights = tensor(weights, B, T, S, what="the weights")
    if not isinstance(logits, Tensor) or logits.ndim != 3 or logits.shape[:2] != (B, T):
        raise Wrong(f"the logits must be a tensor of shape ({B}, {T}, target_vocab)")
    return logits, weights


def _translated(model: nn.Module, source: Tensor, mask: Tensor, steps: int) -> Tensor:
    if not callable(getattr(model, "translate", None)):
        raise Wrong("the module needs a method translate(source, mask, steps)")
    with blame("`translate`"), torch.no_grad():
        found = model.translate(source.clone(), mask.clone(), steps)
    return tensor(found, len(source), steps, what="what `translate` returns").long()


def _train(model: nn.Module, pairs: Pairs) -> None:
    """The page's loop."""
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    stream = batches(pairs, 64, torch.Generator().manual_seed(0))
    for _ in range(STEPS):
        batch = next(stream)
        logits, _ = model(batch.source, batch.mask, batch.target)
        loss = F.cross_entropy(logits[batch.asked], batch.target[batch.asked])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
