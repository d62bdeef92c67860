"""Exercises of the page on the Transformer."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.checks.answers import floats, number, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import trainable
from attend.tasks import numbers, translation
from attend.tasks.pairs import Pairs, batches


@exercise
def longest(longest: Callable) -> str:
    """longest(room, N, D, S, B, bytes_each) -> the most tokens T of B answers whose KV cache fits into `room` bytes."""
    cases = (
        {"room": 3_000_000, "N": 5, "D": 48, "S": 37, "B": 3, "bytes_each": 4},
        {"room": 80_000_000_000, "N": 24, "D": 1_024, "S": 511, "B": 7, "bytes_each": 2},
    )
    for case in cases:
        room, N, D, S, B, bytes_each = case.values()
        each = 2 * N * D * B * bytes_each  # a position in all blocks and answers
        right, got = room // each - S, number(longest(*case.values()), "the number of tokens")
        if got == right:
            continue
        mistakes = {
            "a key *and* a value are kept for each position": 2 * room // each - S,
            "the positions of the source are kept, too: they have to be taken off": room // each,
            "each of the B answers has a cache of its own": B * room // each - S,
            "each block has a cache of its own": N * room // each - S,
            "a number takes `bytes_each` bytes": bytes_each * room // each - S,
            "the source takes its room from the cache: S is taken off, not added": room // each + S,
        }
        for says, mistaken in mistakes.items():
            if abs(got - mistaken) < 1:
                raise Wrong(says)
        if 0 < got - right < 1:
            raise Wrong("only whole tokens count; round down")
        raise Wrong("start with the bytes of one position: in all blocks, a key and a value, for all answers")
    return "Twice as many blocks, not quite half as many tokens: this limits how many people one machine can serve."


@exercise
def mask(may_attend: Callable) -> str:
    """may_attend(real) -> (B, T, T), True where position t (a row) may attend to s (a column); `real` is (B, T)."""
    for lengths, T in ((torch.tensor([3, 5]), 5), (torch.tensor([2, 7, 4]), 7)):
        real = torch.arange(T) >= T - lengths[:, None]  # padding in front
        past = torch.ones(T, T, dtype=torch.bool).tril()
        right = past & real[:, None]
        got = floats(may_attend(real), f"the mask must be a tensor of shape {tuple(right.shape)}")
        if got.shape == (len(lengths), 1, T, T):
            got = got[:, 0]
        got = tensor(got, *right.shape, what="the mask")
        if torch.equal(got[real], right[real].float()):  # whatever padding attends to, nobody reads it
            if not got.any(dim=2).all():
                raise Wrong("a row of padding sees nothing, and the softmax of nothing is nan: let it see itself")
            continue
        mistakes = {
            "every position sees what comes later: t may attend to s only where s <= t": real[:, None].expand_as(right),
            "padding is seen: it stands in front here, where the causal mask does not hide it": past.expand_as(right),
            "rows attend and columns are attended to: this is turned over": right.mT,
            "a position may attend to itself: s <= t, not s < t": right & ~torch.eye(T, dtype=torch.bool),
            "True means *may*, here it means *may not*": ~right,
            "both must agree, the causal mask *and* the padding": past | real[:, None],
        }
        for says, mistaken in mistakes.items():
            if torch.equal(got[real], mistaken[real].float()):
                raise Wrong(says)
        raise Wrong(f"with {lengths.tolist()} real tokens of T = {T} the mask is another one: draw T = 3 by hand")
    return "Real tokens see the real ones up to themselves, and no softmax is left empty."


STEPS, ENOUGH = 120, 0.7
"""Training steps of the last exercise, and the share of new numbers whose tokens must all be right."""


@exercise
def build(make: Callable) -> str:
    """make(source_vocab, target_vocab) -> a module from (source, mask, target) to logits (B, T, V), to be trained."""
    torch.manual_seed(6)
    model = trainable(make(len(translation.ENGLISH), len(translation.GERMAN)), "make(source_vocab, target_vocab)")
    for pair in (translation.encode((7, 621, 43)), translation.encode((512, 80))):
        _may_not_see(model, pair)
    train = translation.encode(numbers.numbers("train", 3))
    optimiser = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.01, total_steps=STEPS + 1, pct_start=0.1)
    for source, seen, target, asked in _first(batches(train, 32, torch.Generator().manual_seed(0)), STEPS):
        loss = cross_entropy(model(source, seen, target)[asked], target[asked])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    new = translation.encode(numbers.numbers("test", 3))
    answer = _logits(model, new).argmax(dim=2)
    share = ((answer == new.target) | ~new.asked).all(dim=1).float().mean().item()
    if share >= ENOUGH:
        return f"{share:.0%} of the new numbers, all tokens right, and every line of it is yours."
    raise Wrong(
        f"after {STEPS} steps {share:.0%} of the new numbers have all tokens right, and {ENOUGH:.0%} are asked for: "
        "are there positions on both sides, residual connections, and a norm before each part?"
    )


def _first(stream: Iterator[Pairs], steps: int) -> Iterator[Pairs]:
    for _ in range(steps):
        yield next(stream)


def _may_not_see(model: nn.Module, pair: Pairs) -> None:
    """Neither padding of the source nor the token to predict, nor what comes behind it."""
    before = _logits(model, pair)
    source = pair.source.masked_fill(~pair.mask, 3)
    if not torch.allclose(_logits(model, pair._replace(source=source)), before, atol=1e-4):
        raise Wrong("the logits change with what stands in the padding of the source: use `mask` wherever it is asked")
    t = pair.target.shape[1] // 2
    target = pair.target.clone()
    target[:, t] = (target[:, t] + 1) % len(translation.GERMAN)
    moved = (_logits(model, pair._replace(target=target)) - before).abs().amax(dim=(0, 2)) > 1e-4
    if bool(moved[t]):
        raise Wrong("a position sees the very token that it has to predict: move the target one place to the right")
    if bool(moved[:t].any()):
        raise Wrong("a position sees tokens that come later: the decoder needs a causal mask")
    if not bool(moved[t + 1 :].any()):
        raise Wrong("the logits do not depend on the tokens written before")


def _logits(model: nn.Module, pair: Pairs) -> Tensor:
    shape = *pair.target.shape, len(translation.GERMAN)
    try:
        with blame("your model", f"at a batch of {len(pair.source)} pairs"), torch.no_grad():
            return tensor(model.eval()(pair.source, pair.mask, pair.target), *shape, what="the logits")
    finally:
        model.train()
