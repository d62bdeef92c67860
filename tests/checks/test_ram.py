"""Each checker knows the solution, unusual right answers, the typical wrong ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn
from torch.distributions import Categorical, Normal

from attend.checks import ram
from attend.hard.glimpse import glimpse

RIGHT = (0.7, 0.7, 0.5)


def ok_cost(T, width, scales=None, missing=0):
    if scales is None:
        scales = 1
        while 12 * 2 ** (scales - 1) < width:
            scales += 1
    return T * (scales * 144 * 64 + 2 * 16 + 80 * 64 + 2 * 64 * 64 + 5 * 64 - missing)


def to_go(rewards):
    return rewards.flip(1).cumsum(1).flip(1)


def ok_terms(logits, passable, direction, rewards, weight=to_go):
    return -weight(rewards) * Categorical(logits=logits.masked_fill(~passable, -torch.inf)).log_prob(direction)


def others(logits, passable, direction, rewards):
    left = to_go(rewards) - (to_go(rewards).sum(0) - to_go(rewards)) / (len(rewards) - 1)
    return ok_terms(logits, passable, direction, rewards, lambda _: left)


class PolicyLoss(nn.Module):
    def forward(self, log_probs, rewards):
        return -(to_go(rewards) * log_probs).mean()


class Small(nn.Module):
    """A RAM in few lines; what is asked of it first can be spoiled."""

    spoil = ""

    def __init__(self):
        super().__init__()
        self.core, self.classifier, self.location = nn.RNNCell(434, 8), nn.Linear(8, 3), nn.Linear(8, 2)

    def forward(self, images, steps, sigma):
        h, found = images.new_zeros(len(images), 8), []
        for _ in range(steps):
            mean = self.location(h.detach() if self.spoil == "detached" else h).tanh()
            noise = 0 * mean if self.spoil == "still" else torch.randn_like(mean)
            location = mean + (0.1 if self.spoil == "always drawn" else sigma) * noise
            location = location if self.spoil == "attached" else location.detach()
            policy = Normal(mean.detach() if self.spoil == "no gradient" else mean, sigma or 1.0)
            log_prob = policy.log_prob(location).sum(1)
            h = self.core(torch.cat([glimpse(images, location).flatten(1), location], dim=1), h)
            found.append((self.classifier(h), log_prob, location))
        return tuple(torch.stack(part, dim=1) for part in zip(*found, strict=True))


def test_solutions_and_stubs():
    accepts(ram.credit, RIGHT)
    accepts(ram.cost, ok_cost)
    accepts(ram.labyrinth, ok_terms)
    for answers in ((..., ...), (None, None)):
        assert ram.build(*answers).state == "not yet"


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (ram.credit, np.array(RIGHT, dtype=np.float32)),
        (ram.credit, torch.tensor(RIGHT).double()),
        (ram.cost, lambda T, width: np.int64(ok_cost(T, width))),
        (ram.cost, lambda T, width: torch.tensor(ok_cost(T, width))),
        (ram.labyrinth, others),
        (ram.labyrinth, lambda *given: ok_terms(*given).double().numpy()),
    ],
)
def test_other_right_answers_are_right(check, answer):
    outcome = check(answer)
    assert outcome.state == "right", outcome


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (ram.credit, (-0.7, -0.7, -0.5), "sign is turned"),
        (ram.credit, (1.5, 1.3, 0.8), "still to be subtracted"),
        (ram.credit, (0.0, 0.2, 0.5), "what comes after it"),
        (ram.credit, (0.0, 0.2, 0.7), "what came before it"),
        (ram.credit, (0.7, 0.7, 0.7), "whole return"),
        (ram.credit, (0.35, 0.35, 0.25), "the other draw alone"),
        (ram.cost, lambda T, width: ok_cost(1, width), "T of them"),
        (ram.cost, lambda T, width: ok_cost(T, width, 3), "three scales whatever"),
        (ram.cost, lambda T, width: ok_cost(T, width, missing=64 * 64), "two layers"),
        (ram.cost, lambda T, width: ok_cost(T, width, missing=128), "location head is missing"),
        (ram.cost, lambda T, width: 7, "add up seven layers"),
        (ram.labyrinth, lambda *given: -ok_terms(*given), "sign is turned"),
        (ram.labyrinth, lambda z, free, d, r: ok_terms(z, free | True, d, r), "walls are missing"),
        (ram.labyrinth, lambda *given: ok_terms(*given, lambda r: r), "add up rewards from the end"),
        (ram.labyrinth, lambda *given: ok_terms(*given, lambda r: r.cumsum(1)), "what came before it"),
        (ram.labyrinth, lambda *given: ok_terms(*given, torch.ones_like), "rewards are missing"),
        (ram.labyrinth, lambda z, free, d, r: ok_terms(z * free, free | True, d, r), "not a probability of 0"),
        (ram.labyrinth, lambda z, free, d, r: ok_terms(z, free, d, r).sum(1), "a tensor of shape"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        ("detached", "do not detach"),
        ("still", "came twice"),
        ("always drawn", "nothing is drawn"),
        ("attached", "runs back through the locations"),
        ("no gradient", "knows no gradient"),
        ("", "do not go to it"),
    ],
)
def test_a_model_of_ones_own_is_looked_at_before_it_is_trained(monkeypatch, spoil, says):
    monkeypatch.setattr(ram, "STEPS", 2)
    monkeypatch.setattr(Small, "spoil", spoil)
    refuses(ram.build, Small, PolicyLoss, says=says)
