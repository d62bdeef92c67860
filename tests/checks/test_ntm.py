"""Each checker knows the solution, the typical wrong answers, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch.nn.functional import cosine_similarity, normalize

from attend.checks import ntm
from attend.soft.ntm import Head

SOLVED = [0.64 / 0.68, 0, 0, 0.04 / 0.68, 0]


def test_ring():
    accepts(ntm.ring, SOLVED)
    accepts(ntm.ring, torch.tensor(SOLVED).numpy())
    accepts(ntm.ring, [0.94, 0, 0, 0.06, 0])
    refuses(ntm.ring, [0.8, 0, 0, 0.2, 0], says="before sharpening")
    refuses(ntm.ring, [0.64, 0, 0, 0.04, 0], says="add up to 1")
    refuses(ntm.ring, [0.06, 0, 0, 0.94, 0], says="goes *back*")
    refuses(ntm.ring, [0, 0, 0, 1, 0], says="ring")
    refuses(ntm.ring, [0, 0, 1, 0, 0], says="one slot ahead")
    refuses(ntm.ring, [0.94, 0.06], says="shape")


STAY, AFTER, BEFORE = (0, 0, (0, 1, 0), 1), (100, 1, (0, 0, 1), 1), (1, 0, (1, 0, 0), 1)


def test_moves():
    accepts(ntm.moves, STAY, AFTER, BEFORE)
    accepts(ntm.moves, (5, 0.0, torch.tensor([0.1, 0.8, 0.1]), 9), (60.0, 0.999, [0, 0.1, 0.9], 5), BEFORE)
    refuses(ntm.moves, (5, 1, (0, 1, 0), 1), AFTER, BEFORE, says="`stay`")
    refuses(ntm.moves, STAY, (1, 1, (0, 0, 1), 1), BEFORE, says="the right slot, but with weight")
    refuses(ntm.moves, STAY, (100, 1, (0, 1, 0), 1), BEFORE, says="`after`")
    refuses(ntm.moves, STAY, AFTER, (1, 0, (0, 0, 1), 1), says="`before`")
    refuses(ntm.moves, STAY, AFTER, (1, 0, (1, 1, 0), 1), says="add up to 1")
    refuses(ntm.moves, STAY, AFTER, (1, 2, (1, 0, 0), 1), says="between 0 and 1")
    refuses(ntm.moves, STAY, AFTER, (1, 0, 1), says="4 values")


def by_hand(M, last, k, beta, g, s, gamma):
    cosines = torch.einsum("bnw,bw->bn", normalize(M, dim=2), normalize(k, dim=1))
    w = torch.lerp(last, (beta * cosines).softmax(1), g)
    w = torch.stack([w.roll(-1, 1), w, w.roll(1, 1)], 2) @ s[:, :, None]
    return (gamma * w[:, :, 0].log()).softmax(1)


def wrong(change):
    def address(M, last, k, beta, g, s, gamma):
        scores = (M @ k[:, :, None])[:, :, 0] if change == "dot" else cosine_similarity(M, k[:, None], dim=2)
        w = (scores if change == "beta" else beta * scores).softmax(1)
        w = (1 - g) * w + g * last if change == "gate" else g * w + (1 - g) * last
        if change == "early":
            w = w**gamma / (w**gamma).sum(1, keepdim=True)
        one = -1 if change == "turned" else 1
        back, ahead = w.roll(-one, 1), w.roll(one, 1)
        if change == "ring":
            back[:, -1], ahead[:, 0] = 0, 0
        w = s[:, :1] * back + s[:, 1:2] * w + s[:, 2:] * ahead
        if change in ("power", "early"):
            return w
        return w**gamma if change == "sum" else w**gamma / (w**gamma).sum(1, keepdim=True)

    return address


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("dot", "cosines"),
        ("beta", "β is missing"),
        ("gate", "wrong way round"),
        ("turned", "wrong way: s"),
        ("ring", "joined"),
        ("power", "power γ"),
        ("early", "after the shift"),
        ("sum", "divided by their sum"),
    ],
)
def test_build_names_the_step_that_is_wrong(change, says):
    refuses(ntm.build, wrong(change), says=says)


def test_build_refuses_other_things_by_name():
    refuses(ntm.build, lambda *_: torch.ones(3), says="shape")
    refuses(ntm.build, lambda *_: 1 / 0, says="ZeroDivisionError")
    refuses(ntm.build, lambda M, last, *_: last, says="four steps")


def test_build_accepts_the_solution_and_one_written_otherwise(monkeypatch):
    monkeypatch.setattr(ntm, "STEPS", 2)
    monkeypatch.setattr(ntm, "FAR", 12)
    refuses(ntm.build, Head.address, says="only 0%")
    monkeypatch.setattr(ntm, "ENOUGH", 0.0)
    accepts(ntm.build, Head.address)
    accepts(ntm.build, by_hand)


@pytest.mark.nightly
def test_build_trains_the_solution_until_it_copies():
    accepts(ntm.build, by_hand)


def test_build_says_that_arrays_carry_no_gradients(monkeypatch):
    monkeypatch.setattr(ntm, "ENOUGH", 0.0)
    monkeypatch.setattr(ntm, "STEPS", 2)
    accepts(ntm.build, lambda *given: Head.address(*given).detach().numpy())
    assert "no gradients" in ntm.build(lambda *given: Head.address(*given).detach().numpy()).says


def test_build_refuses_weights_without_gradients(monkeypatch):
    monkeypatch.setattr(ntm, "STEPS", 20)
    refuses(ntm.build, lambda *given: Head.address(*given).detach(), says="gradients flow")
