"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import supervision


def ok_pooling(summaries, mask):
    there = mask[:, :, None]
    return (summaries * there).sum(1) / there.sum(1)


def in_place(summaries, mask):
    summaries *= mask[:, :, None]
    return summaries.sum(1) / mask.sum(1, keepdim=True)


def ok_perplexity(chances):
    return chances.log().mean().neg().exp()


def ok_write(step, state, end, steps):
    token, written = end, []
    for _ in range(steps):
        scores, state = step(token, state)
        token = int(scores.argmax())
        if token == end:
            break
        written.append(token)
    return written


def write(first=None, feed=True, carry=True, stop=True, drop_end=True, limit=True):
    """A writer with one of its habits broken."""

    def written(step, state, end, steps):
        token, out = end if first is None else first, []
        for _ in range(steps if limit else 10):
            scores, after = step(token, state)
            state = after if carry else state
            best = int(scores.argmax())
            if best == end and drop_end and stop:
                break
            out.append(best)
            if best == end and stop:
                break
            token = best if feed else token
        return out

    return written


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (supervision.pooling, ok_pooling),
        (supervision.perplexity, ok_perplexity),
        (supervision.free_running, ok_write),
        (supervision.free_running, write()),
    ],
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (supervision.pooling, lambda s, v: s.mean(1), "padding must not count"),
        (supervision.pooling, lambda s, v: (s * v[:, :, None]).mean(1), "not by T"),
        (supervision.pooling, lambda s, v: (s * v[:, :, None]).sum(1), "a sum grows"),
        (supervision.pooling, lambda s, v: s[:, -1], "last column"),
        (supervision.pooling, lambda s, v: s[torch.arange(len(s)), v.sum(1) - 1], "last visible summary"),
        (supervision.pooling, lambda s, v: (s * v[:, :, None]).amax(1), "largest visible value"),
        (supervision.pooling, lambda s, v: s, "got (3, 5, 2)"),
        (supervision.pooling, lambda s, v: s[:, 0] * 3, "something else"),
        (supervision.pooling, lambda s, v: s @ s, "stopped with RuntimeError"),
        (supervision.perplexity, lambda p: p.mean(), "mean chance itself"),
        (supervision.perplexity, lambda p: -p.log().mean(), "surprise in nats"),
        (supervision.perplexity, lambda p: -p.log2().mean(), "surprise in bits"),
        (supervision.perplexity, lambda p: (-p.log2().mean()).exp(), "raises e to a surprise in bits"),
        (supervision.perplexity, lambda p: 2 ** -p.log().mean(), "raises 2 to a surprise in nats"),
        (supervision.perplexity, lambda p: (-p.log().sum()).exp(), "averaged over the letters"),
        (supervision.perplexity, lambda p: 1 / p.mean(), "average the surprise, not the chances"),
        (supervision.perplexity, lambda p: (1 / p).mean(), "not 1/p"),
        (supervision.perplexity, lambda p: 1 / p.median(), "for the chances"),
        (supervision.perplexity, lambda p: 7.0, "its perplexity is 4"),
        (supervision.perplexity, lambda p: "four", "perplexity must be a number"),
        (supervision.free_running, write(first=1), "starts from the token"),
        (supervision.free_running, write(feed=False), "read at the next step"),
        (supervision.free_running, write(carry=False), "must go into the next step"),
        (supervision.free_running, write(stop=False), "stop at `end`"),
        (supervision.free_running, write(drop_end=False), "leave it out"),
        (supervision.free_running, write(limit=False), "at most `steps`"),
        (supervision.free_running, lambda *_: [1], "expected the likeliest"),
        (supervision.free_running, lambda *_: 5, "a list of tokens"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)


@pytest.mark.parametrize("answer", [in_place, lambda *given: ok_pooling(*given).numpy()])
def test_a_mean_in_place_or_as_numpy_is_right(answer):
    assert supervision.pooling(answer).state == "right"
