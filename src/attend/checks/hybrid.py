"""Exercises of the page on hybrid attention."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import conv1d, cross_entropy, pad

from attend.checks.answers import floats, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.soft.hybrid import Recogniser
from attend.tasks import speech
from attend.train.fit import fit
from attend.train.schedule import one_cycle

LAST, FILTER = torch.tensor([0.0, 0.5, 0.5, 0.0, 0.0, 0.0]), torch.tensor([2.0, 0.0, -1.0])


@exercise
def convolve(answer: list) -> str:
    """Six numbers: what the filter (2, 0, −1) makes of the last weights (0, ½, ½, 0, 0, 0)."""
    got = tensor(answer, 6, what="the answer")
    right = _slide(LAST, FILTER)
    if not torch.allclose(got, right, atol=0.01):
        recognise(
            (100 * got).round(),
            {
                "you turned the filter round: conv1d multiplies its first number by the place before": 100
                * _slide(LAST, FILTER.flip(0)),
                "the middle number of the filter is 0: the place itself does not count": 100
                * _slide(LAST, torch.tensor([0.0, 2.0, -1.0])),
            },
        )
        raise Wrong("place j gets 2 times the weight of the place before it, minus that of the place after it")
    return "Places behind the bump are lowered, places ahead of it are raised: such a filter goes forward."


def _slide(weights: Tensor, taps: Tensor) -> Tensor:
    return conv1d(weights[None, None], taps[None, None], padding=1)[0, 0]


@exercise
def window(mask_of: Callable) -> str:
    """mask_of(last, mask, back, ahead) -> (B, S): True from `back` places before the median to `ahead` behind it."""
    for seed, (B, S, back, ahead) in enumerate(((3, 11, 1, 4), (2, 17, 0, 3), (4, 9, 3, 1))):
        generator = torch.Generator().manual_seed(seed)
        mask = torch.arange(S) < torch.randint(S // 2, S + 1, (B, 1), generator=generator)
        mask[0] = True
        scores = 2.5 * torch.randn(B, S, generator=generator)
        scores[0, 0], scores[0, 1:] = 3.0, 1.2  # the heaviest place is not the median
        last = scores.masked_fill(~mask, -torch.inf).softmax(1)
        with torch.no_grad():
            answer = mask_of(last, mask, back, ahead)
        said = tensor(answer, B, S, what="the mask")
        if not bool(((said == 0) | (said == 1)).all()):
            raise Wrong("a mask is made of True and False, and of no other numbers")
        said = said.bool()
        median = (last.cumsum(1) < 0.5).sum(1, keepdim=True)
        mean = (last * torch.arange(S)).sum(1, keepdim=True).round()
        if torch.equal(said, _near(median, mask, back, ahead)):
            continue
        heaviest = last.argmax(1, keepdim=True)
        none = torch.ones_like(mask)
        recognise(
            said.float(),
            {
                "that is the heaviest place, and not the median: sum the weights from the left up to one half": _near(
                    heaviest, mask, back, ahead
                ).float(),
                "that is the mean place, which a little weight far away can move": _near(
                    mean, mask, back, ahead
                ).float(),
                "the median is one further: count the places whose sum from the left is below one half": _near(
                    median - 1, mask, back, ahead
                ).float(),
                "`back` and `ahead` are exchanged": _near(median, mask, ahead, back).float(),
                "padding is let in: what is not in `mask` stays out": _near(median, none, back, ahead).float(),
            },
        )
        raise Wrong(f"with S = {S}, back = {back} and ahead = {ahead}, keep places median − back to median + ahead")
    return "It moves with the weights, and costs one cumulative sum."


def _near(centre: Tensor, mask: Tensor, back: int, ahead: int) -> Tensor:
    place = torch.arange(mask.shape[1])
    return mask & (place >= centre - back) & (place <= centre + ahead)


STEPS, ENOUGH = 250, 0.3
"""Training steps, and the label error on unheard voices that a learner's attention must reach."""


class _Theirs(nn.Module):
    """A learner's attention behind the recogniser's call."""

    def __init__(self, attention: nn.Module):
        super().__init__()
        self.attention = attention

    def forward(self, state: Tensor, h: Tensor, mask: Tensor, last: Tensor, reach: int | None = None) -> Tensor:
        """The learner's weights; the exercise has no window."""
        return self.attention(state, h, mask, last)


@exercise
def build(make: Callable) -> str:
    """make(state_size, key_size) -> a module: (state, h, mask, last) to the next weights (B, S)."""
    torch.manual_seed(5)
    with blame("your attention", "at its first call"):
        small = make(4, 6)
        B, S = 3, 40
        state, h = torch.randn(B, 4), torch.randn(B, S, 6)
        mask = torch.arange(S) < torch.tensor([[S], [31], [12]])
        last = torch.zeros(B, S)
        last[:, 5] = 1.0
        first = small(state, h, mask, last)
    got = tensor(floats(first, f"the weights must be a tensor of shape ({B}, {S})"), B, S)
    if (got[~mask] != 0).any():
        raise Wrong("padding has weight: set the scores where `mask` is False to −∞ before the softmax")
    if not torch.allclose(got.sum(1), torch.ones(B), atol=1e-4):
        raise Wrong("the weights of a row do not add up to 1: the softmax goes over places, dimension 1")
    with torch.no_grad():
        if torch.allclose(small(state, h, mask, last.roll(3, 1)), got, atol=1e-7):
            raise Wrong("move the last weights, and nothing changes: where is the convolution?")
        if torch.allclose(small(state, h + 1, mask, last), got, atol=1e-7):
            raise Wrong("change the encoder's states, and nothing changes: where is the content?")
        if torch.allclose(small(state + 1, h, mask, last), got, atol=1e-7):
            raise Wrong("change the decoder's state, and nothing changes: where is the query?")
        alike = h[:, :1].expand(B, S, 6)
        near, moved = (small(state[:1], alike[:1], mask[:1], one[:1]) for one in (last.roll(12, 1), last.roll(15, 1)))
        if not torch.allclose(near[:, 12:25], moved[:, 15:28], rtol=1e-2, atol=1e-6):
            raise Wrong("frames that are all alike, last weights three places on: the new ones should move on by three")
    model = Recogniser(_Theirs(make(64, 64)))
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    with blame("your attention", "in training"):
        fit(
            model,
            _cost,
            speech.strings("train", 32, torch.Generator().manual_seed(5)),
            steps=STEPS,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, STEPS),
            clip=1.0,
        )
        found = _error(model.eval(), speech.load("validation"))
    if found <= ENOUGH:
        return f"{found:.0%} errors in voices it has never heard, after {STEPS} steps: it listens."
    raise Wrong(
        f"it trains, and still makes {found:.0%} errors; {ENOUGH:.0%} are allowed. Are the three parts added *before* "
        "tanh, and does the filter reach over a word, about 15 places each way?"
    )


def _cost(model: nn.Module, batch: speech.Spoken) -> Tensor:
    """Cross-entropy of each digit and of the END behind the last."""
    target, asked = pad(batch.target, (0, 1)), pad(batch.asked, (1, 0), value=True)
    return cross_entropy(model(batch.x, batch.mask, target)[0][asked], target[asked])


def _error(model: nn.Module, spoken: speech.Spoken) -> float:
    """The label error, with room for twice as many digits as were said."""
    with torch.no_grad():
        logits, _ = model(spoken.x, spoken.mask, None, 2 * spoken.target.shape[1] + 5)
    written = logits.argmax(2)
    before_end = (written == speech.END).cumsum(1) == 0
    return speech.label_error([speech.spell(row) for row in written * before_end], speech.said(spoken))
