"""Exercises of the page on ELMo."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.checks.answers import floats, number, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise

LAYERS = torch.tensor([[5.0, 0.0], [0.0, 10.0], [10.0, 5.0]])
SCORES = torch.tensor([1.0, 3.0, 1.0]).log()


@exercise
def mix(answer: tuple) -> str:
    """Two numbers: three layers (5, 0), (0, 10), (10, 5), mixed with scores (0, ln 3, 0) and gamma = 1/2."""
    got = tensor(answer, 2, what="the vector")
    right = SCORES.softmax(0) @ LAYERS / 2
    if not torch.allclose(got, right, atol=0.01):
        recognise(
            (100 * got).round(),
            {
                "the scale is missing: multiply by γ": (200 * right).round(),
                "γ is ½: it multiplies, here you divided by it": (400 * right).round(),
                "that is the plain mean, with equal shares: the scores are not equal": (50 * LAYERS.mean(0)).round(),
                "the scores are not the shares: a softmax turns them into some": (50 * SCORES @ LAYERS).round(),
                "shares add up to 1: divide by 5": (250 * right * 2).round(),
            },
        )
        raise Wrong("turn the scores into powers, 1, 3 and 1, divide by their sum, mix, and multiply by γ")
    return "Three shares and one scale: that is all of ELMo that a task trains below its own layers."


@exercise
def loss(mine: Callable) -> str:
    """mine(ahead, back, tokens, mask, logits) -> nats a word, the mean of the means of both directions."""
    for seed, (B, T, D, V) in enumerate(((2, 5, 3, 7), (3, 4, 6, 5), (4, 7, 2, 9))):
        generator = torch.Generator().manual_seed(seed)
        ahead, back = (torch.randn(B, T, D, generator=generator) for _ in "lr")
        tokens, table = torch.randint(V, (B, T), generator=generator), torch.randn(D, V, generator=generator)
        lengths = torch.tensor([T, 2, 3, 4])[:B, None]
        mask = torch.arange(T) < lengths
        got = torch.tensor(number(mine(ahead, back, tokens, mask, lambda h, table=table: h @ table), "the loss"))

        def of(states: Tensor, targets: Tensor, real: Tensor, table: Tensor = table) -> Tensor:
            return cross_entropy(states[real] @ table, targets[real])

        every = torch.ones_like(mask)
        after = {padded: of(ahead[:, :-1], tokens[:, 1:], (every if padded else mask)[:, 1:]) for padded in (0, 1)}
        before = {padded: of(back[:, 1:], tokens[:, :-1], (every if padded else mask)[:, 1:]) for padded in (0, 1)}
        knows = {
            padded: of(back[:, :-1], tokens[:, :-1], (every if padded else mask)[:, which])
            for padded, which in ((0, slice(None, -1)), (1, slice(1, None)), (2, slice(1, None)))
        }
        knows[0] = of(back, tokens, mask)
        short = of(back[:, :-1], tokens[:, :-1], mask[:, 1:])
        half = lambda a, b: (a + b) / 2  # noqa: E731
        right = half(after[0], before[0])
        if torch.allclose(got.float(), right, rtol=1e-3, atol=1e-4):
            continue
        leak = "back has read the token that it is to predict: its state at step t + 1 is the one for token t"
        recognise(
            got.float(),
            {
                f"both faults are still there: padding is counted, and {leak}": half(after[1], knows[1]),
                leak: half(after[0], short),
                f"{leak} (and its own token is no help to it)": half(after[0], knows[0]),
                "what stands beyond the end of a sentence is counted: look at `mask`": half(after[1], before[1]),
                "padding is still counted in the direction back": half(after[0], before[1]),
                "padding is still counted in the direction ahead": half(after[1], before[0]),
                "the mean of both directions is asked for, not their sum": after[0] + before[0],
                "where is the direction back?": after[0],
                "where is the direction ahead?": before[0],
            },
        )
        raise Wrong(f"with B = {B} and T = {T} the loss is {float(right):.3f} nats, and yours is {float(got):.3f}")
    return "No state predicts a word that it has read, and no padding is a word."


LABELS, UNSEEN, ENOUGH = 150, 400, 0.9
"""Labelled sentences, unseen ones, and the share of these to get right, of which the words alone give six in ten."""


def made(seed: int) -> tuple[Tensor, Tensor]:
    """Layers (3, N, 96) as a frozen model might give them: the word says little, the layers above it equally much."""
    generator = torch.Generator().manual_seed(seed)
    noun = (torch.rand(LABELS + UNSEEN, generator=generator) < 0.5).float()
    layers = torch.randn(3, LABELS + UNSEEN, 96, generator=generator)
    for layer, strength in zip(layers, (0.4, 2.0, 2.0), strict=True):
        way = torch.randn(96, generator=generator)
        layer += strength * (2 * noun - 1)[:, None] * way / way.norm()
    return layers, noun


@exercise
def learn(mine: Callable) -> str:
    """mine(layers, noun) -> predict; predict(layers) -> (N) logits, above 0 for a noun."""
    shares = []
    for seed in (1, 2):
        layers, noun = made(seed)
        torch.manual_seed(0)
        predict = mine(layers[:, :LABELS], noun[:LABELS])
        if not callable(predict):
            raise Wrong(f"learn must return a function of layers, and returned {type(predict).__name__}")
        unseen, truth = layers[:, LABELS:], noun[LABELS:] > 0.5
        with blame("your function predict", "on unseen sentences"):
            answer = predict(unseen.clone())
        logits = floats(answer, f"predict must give {UNSEEN} numbers").reshape(-1)
        if len(logits) != UNSEEN:
            raise Wrong(f"predict must give a number for each of {UNSEEN} sentences, and gave {len(logits)}")
        share = ((logits > 0) == truth).double().mean().item()
        if share <= 1 - ENOUGH:
            raise Wrong(
                f"{share:.3f} of the unseen sentences are right: it knows them all, with the sign turned around"
            )
        if bool((logits >= 0).all()):
            raise Wrong(f"no number is below 0, and {share:.3f} are right: are these logits, or probabilities?")
        if share < ENOUGH:
            raise Wrong(
                f"{share:.3f} of the unseen sentences are right, and {ENOUGH} are asked for: does it read the layers "
                f"above the word, and does weight decay keep it from learning {LABELS} sentences by heart?"
            )
        shares.append(share)
    return f"{min(shares):.3f} of the unseen sentences are right, from {LABELS} labels. Now give it the page's own."
