"""Each checker knows the solution, the typical wrong answers, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import ulmfit
from attend.transformers.ulmfit import concat_pool, slanted


def test_rates():
    accepts(ulmfit.rates, (0.00148, 0.000763))
    accepts(ulmfit.rates, torch.tensor([0.01 / 6.76, 0.01 * 33 / 64 / 6.76]))
    refuses(ulmfit.rates, (0.01, 0.00516), says="third group from the top")
    refuses(ulmfit.rates, (0.003846, 0.001983), says="not one")
    refuses(ulmfit.rates, (0.01 / 2.6**3, 0.00515625 / 2.6**3), says="not three")
    refuses(ulmfit.rates, (0.01 / 6.76, 0.005 / 6.76), says="not half the peak")
    refuses(ulmfit.rates, (0.01 / 6.76, 0.001), says="step 110")
    refuses(ulmfit.rates, (0.002, 0.001), says="step 20")


def by_loop(h, mask):
    rows = [some[keep] for some, keep in zip(h, mask, strict=True)]
    return torch.stack([torch.cat([some[-1], some.max(0).values, some.mean(0)]) for some in rows])


def test_pool():
    accepts(ulmfit.pool, concat_pool)
    accepts(ulmfit.pool, by_loop)
    accepts(ulmfit.pool, lambda h, mask: by_loop(h.double(), mask).numpy())

    def wrong(last=None, largest=None, mean=None):
        def made(h, mask):
            parts = list(concat_pool(h, mask).chunk(3, 1))
            for n, other in enumerate((last, largest, mean)):
                if other:
                    parts[n] = other(h, mask)
            return torch.cat(parts, 1)

        return made

    refuses(ulmfit.pool, wrong(last=lambda h, m: h[:, -1]), says="is padding")
    refuses(ulmfit.pool, wrong(largest=lambda h, m: h.amax(1)), says="leaves out")
    refuses(ulmfit.pool, wrong(largest=lambda h, m: (h * m[..., None]).amax(1)), says="zeros for padding")
    refuses(ulmfit.pool, wrong(mean=lambda h, m: (h * m[..., None]).mean(1)), says="not by T")
    refuses(ulmfit.pool, wrong(mean=lambda h, m: h.mean(1)), says="leaves out")
    refuses(ulmfit.pool, wrong(mean=lambda h, m: h.sum(1)), says="not right yet")
    refuses(ulmfit.pool, lambda h, m: torch.cat(concat_pool(h, m).chunk(3, 1)[::-1], 1), says="another order")
    refuses(ulmfit.pool, lambda h, m: h.mean(1), says="shape")


def fine_tune(groups, loss, phases, peak, decay, *, shape=slanted, frozen=True, rate=None, whole=True):
    total, done, losses = sum(phases), 0, []
    for k, steps in enumerate(phases, 1):
        live = groups if not frozen else groups[:k]
        for n, group in enumerate(groups):
            group.requires_grad_(n < len(live))
        optimiser = torch.optim.SGD([{"params": group.parameters()} for group in live], lr=peak)
        for step in range(steps):
            for n, some in enumerate(optimiser.param_groups):
                at = shape(done + step, total, peak) if whole else shape(step, steps, peak)
                some["lr"] = at / (decay**n if rate is None else rate(n))
            optimiser.zero_grad()
            value = loss()
            value.backward()
            optimiser.step()
            losses.append(value.item())
        done += steps
    return losses


def by_hand(groups, loss, phases, peak, decay):
    losses = []
    for k, steps in enumerate(phases, 1):
        for _ in range(steps):
            weights = [list(group.parameters()) for group in groups[:k]]
            flat = [p for some in weights for p in some]
            losses.append(loss())
            grads = iter(torch.autograd.grad(losses[-1], flat))
            with torch.no_grad():
                for n, some in enumerate(weights):
                    for p in some:
                        p -= slanted(len(losses) - 1, sum(phases), peak) / decay**n * next(grads)
    return torch.stack(losses)


@pytest.mark.nightly
def test_fine_tune():
    accepts(ulmfit.fine_tune, fine_tune)
    accepts(ulmfit.fine_tune, by_hand)

    def with_(**more):
        return lambda *told: fine_tune(*told, **more)

    refuses(ulmfit.fine_tune, with_(frozen=False), says="should be frozen")
    refuses(ulmfit.fine_tune, with_(rate=lambda n: 1), says="as fast as the top")
    refuses(ulmfit.fine_tune, with_(rate=lambda n: 2.6 ** (n + 1)), says="the shape is right")
    refuses(ulmfit.fine_tune, with_(shape=lambda step, steps, peak: peak), says="same rate at every step")
    refuses(ulmfit.fine_tune, with_(whole=False), says="one triangle goes over all")
    refuses(ulmfit.fine_tune, with_(shape=lambda s, n, p: -slanted(s, n, p)), says="up the gradient")
    refuses(ulmfit.fine_tune, with_(shape=lambda s, n, p: slanted(n - 1 - s, n, p)), says="straight lines")
    refuses(ulmfit.fine_tune, with_(shape=lambda s, n, p: slanted(s, n, p, 0.1, 4.0)), says="rises from peak / 32")
    refuses(ulmfit.fine_tune, lambda g, loss, phases, p, d: fine_tune(g, loss, phases[:1], p, d), says="calls of loss")
    refuses(ulmfit.fine_tune, lambda g, loss, *rest: [loss().item() for _ in range(sum(rest[0]))], says="did not move")
    refuses(ulmfit.fine_tune, lambda *told: fine_tune(*told)[1:], says="you returned")
