"""Exercises of the page on supervision: pool over the mask, perplexity, running free."""

import math
from collections.abc import Callable

import torch

from attend.checks.answers import number, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.memory.supervision import running_mean


@exercise
def pooling(pooled: Callable) -> str:
    """pooled(summaries (B, T, H), visible (B, T)) -> (B, H): the mean of the summaries that are really there."""
    generator = torch.Generator().manual_seed(0)
    summaries = torch.rand(3, 5, 2, generator=generator) + 1
    mask = torch.arange(5) < torch.tensor([[5], [2], [1]])
    got = tensor(pooled(summaries, mask), 3, 2, what="one summary a row, so the answer")
    wanted = running_mean(summaries, mask)[:, -1]
    if torch.allclose(got, wanted, atol=1e-5):
        alone = tensor(pooled(summaries[1:2, :2], mask[1:2, :2]), 1, 2, what="the answer for one row")
        if not torch.allclose(alone, wanted[1:2], atol=1e-5):
            raise Wrong("padding must change nothing: the same row without its padding gives another mean")
        return "Padding adds nothing to the sum and nothing to the count."
    there = summaries * mask.unsqueeze(-1)
    mistakes = {
        "padding must not count: this is the mean over all steps, hidden ones too": summaries.mean(1),
        "divide by the number of visible steps of each row, not by T": there.mean(1),
        "a sum grows with the length: divide it by the number of visible steps": there.sum(1),
        "this is the last visible summary of each row: it is one of those to average": summaries[
            torch.arange(3), mask.sum(1) - 1
        ],
        "this is the largest visible value: the mean lets every visible step count alike": there.amax(1),
        "this is the last column: it is padding in the shorter rows, and no mean in any": summaries[:, -1],
    }
    recognise(got, mistakes)
    raise Wrong("the mean of the visible summaries of each row is something else")


@exercise
def perplexity(perplexity_of: Callable) -> str:
    """perplexity_of(chances) -> a number, from the probability that was given to each letter that came."""
    got = number(perplexity_of(torch.full((7,), 0.25)), "perplexity")
    if abs(got - 4) > 1e-4:
        for value, says in (
            (0.25, "this is the mean chance itself: perplexity is one over a mean of chances, of the right kind"),
            (math.log(4), "this is the surprise in nats: raise e to it"),
            (math.log2(4), "this is the surprise in bits: raise 2 to it"),
            (math.exp(math.log2(4)), "this raises e to a surprise in bits: take the logarithm and the power alike"),
            (2 ** math.log(4), "this raises 2 to a surprise in nats: take the logarithm and the power alike"),
            (4**7, "surprise is averaged over the letters: a longer text must not be more perplexing"),
        ):
            if math.isclose(got, value, rel_tol=1e-4):
                raise Wrong(says)
        raise Wrong(f"a model that always gives 1/4 to what comes chooses among 4: its perplexity is 4, got {got:.4g}")
    chances = torch.tensor([0.9, 0.5, 0.01, 0.6])
    got, wanted = number(perplexity_of(chances), "perplexity"), float((-chances.log()).mean().exp())
    if math.isclose(got, wanted, rel_tol=1e-4):
        return "It is the number of equally likely letters that would surprise you as much."
    if math.isclose(got, float(1 / chances.mean()), rel_tol=1e-4):
        raise Wrong("average the surprise, not the chances: one letter that was held impossible must hurt")
    if math.isclose(got, float((1 / chances).mean()), rel_tol=1e-4):
        raise Wrong("average the surprise -log p before you raise e to it, not 1/p")
    raise Wrong(f"for the chances {[round(c, 2) for c in chances.tolist()]} it is {wanted:.4f}, got {got:.4f}")


@exercise
def free_running(write: Callable) -> str:
    """write(step, state, end, steps) -> tokens, where step(token, state) -> (scores, state)."""
    end, chain = 0, {0: 3, 3: 1, 1: 4, 4: 2, 2: 0}
    heard: list[tuple[int, int]] = []

    def step(token, state):
        heard.append((int(token), int(state)))
        scores = torch.zeros(5)
        scores[chain[int(token)]] = 1.0
        return scores, state + 1

    got = _tokens(write(step, 0, end, 10))
    if heard and heard[0][0] != end:
        raise Wrong(f"the writer starts from the token `end` = {end}, it was given {heard[0][0]}")
    if [token for token, _ in heard[:3]] == [end] * min(3, len(heard)) and len(heard) > 1:
        raise Wrong("each token that was written must be read at the next step: the writer was given `end` every time")
    if len(heard) > 1 and heard[1][1] == heard[0][1]:
        raise Wrong("the state that a step returns must go into the next step")
    if len(got) > 4 and got[:4] == [3, 1, 4, 2]:
        raise Wrong(f"stop at `end`, and leave it out: expected [3, 1, 4, 2], got {got}")
    if got != [3, 1, 4, 2]:
        raise Wrong(f"expected the likeliest token at each step, [3, 1, 4, 2], got {got}")
    if _tokens(write(step, 0, end, 2)) != [3, 1]:
        raise Wrong("write at most `steps` tokens, even when `end` has not come yet")
    return "The model reads what it wrote itself. Nobody corrects it on the way."


def _tokens(value: object) -> list[int]:
    try:
        return [int(token) for token in value]
    except (TypeError, ValueError):
        raise Wrong(f"the answer is a list of tokens, got {value!r}") from None
