"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import dnc as checks

RIGHT = (0.005, 0.9, 0.05, 0)


def update(L, p, w, diagonal=True, late=False, forget=True, turned=False):
    to, since = w[:, :, None], w[:, None, :]
    new = (1 - w.sum(1, keepdim=True)) * p + w
    L = (1 - to - since) * L if forget else L
    L = L + to * (new if late else p)[:, None]
    if diagonal:
        L = L * (1 - torch.eye(w.shape[1]))
    return (L.mT if turned else L), new


def by_loops(L, p, w):
    out = torch.zeros_like(L)
    for b in range(len(w)):
        for i in range(w.shape[1]):
            for j in range(w.shape[1]):
                if i != j:
                    out[b, i, j] = (1 - w[b, i] - w[b, j]) * L[b, i, j] + w[b, i] * p[b, j]
    return out.double().numpy(), ((1 - w.sum(1, keepdim=True)) * p + w).numpy()


def write(S, k, v):
    return S + (v - (S @ k[:, :, None])[..., 0])[:, :, None] * k[:, None]


def test_solutions_and_stubs():
    accepts(checks.links, update)
    accepts(checks.overwrite, write)
    assert checks.free_list(RIGHT).state == "right"
    assert checks.free_list(...).state == "not yet"


def test_other_right_answers_are_right():
    assert checks.free_list(torch.tensor(RIGHT, dtype=torch.float64).numpy()).state == "right"
    assert checks.links(by_loops).state == "right"

    def projected(S, k, v):
        other = torch.eye(k.shape[1]) - k[:, :, None] * k[:, None]
        return S @ other + torch.einsum("bv,bk->bvk", v, k)

    assert checks.overwrite(projected).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((0.1, 0.9, 0.5, 0), "several slots at once"),
        ((0.1, 0.81, 0.045, 0), "least used to the most"),
        ((0.9, 0.05, 0.005, 0), "its own slot"),
        ((0.01, 0.9, 0.05, 0), "product"),
        ((0, 1, 0, 0), "sort the usage"),
        ((0.9, 0.1), "shape"),
    ],
)
def test_wrong_allocations_are_named(answer, says):
    refuses(checks.free_list, answer, says=says)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"diagonal": False}, "diagonal"),
        ({"late": True}, "before"),
        ({"late": True, "diagonal": False}, "two faults"),
        ({"turned": True}, "exchanged"),
        ({"forget": False}, "forgotten"),
    ],
)
def test_slips_of_links_are_named(options, says):
    refuses(checks.links, lambda L, p, w: update(L, p, w, **options), says=says)


def test_other_slips_of_links_are_named():
    refuses(checks.links, lambda L, p, w: (update(L, p, w)[0], w), says="precedence")
    refuses(checks.links, lambda L, p, w: (L + 1, p), says="two sharp writes")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda S, k, v: S + v[:, :, None] * k[:, None], "together"),
        (lambda S, k, v: S - (S @ k[:, :, None]) * k[:, None], "no new one"),
        (lambda S, k, v: v[:, :, None] * k[:, None], "forgets"),
        (lambda S, k, v: write(S, k, v) @ (k[:, :, None] * k[:, None]) + 0 * S, "right angles|forgets"),
        (lambda S, k, v: S + 1, "read with the key first"),
    ],
)
def test_slips_of_writing_are_named(answer, says):
    outcome = checks.overwrite(answer)
    assert outcome.state == "wrong"
    assert any(part in outcome.says for part in says.split("|"))
