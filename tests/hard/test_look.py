"""One look: four ways beside loops over the places, the estimate beside the exact gradient, and where all agree."""

import pytest
import torch

from attend.hard import look
from attend.hard.look import (
    READINGS,
    Attended,
    OneStepAttention,
    hard_loss,
    log_marginal,
    log_probs_of_each,
    lower_bound,
    predict,
    soft_log_prob,
)
from attend.hard.reinforce import exact_gradient
from attend.tasks import marked


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def seen(S=7, seed=0, batch=1):
    """A fresh looker in double precision, with what it makes of some examples."""
    model = OneStepAttention(marked.MARKS, marked.LETTERS, generator=seeded(seed)).double()
    batch = marked.sample(batch, S, generator=seeded(seed + 1))
    return model, batch, model(batch.marks, batch.letters, batch.asked)


def by_hand(model, batch, row=0):
    """Weights, and the chances of all letters after each look, one place at a time, from the tables of the model."""
    query = model.query.weight[batch.asked[row]]
    scores = torch.stack([model.key.weight[mark] @ query / 4 for mark in batch.marks[row]])
    logits = [model.readout.weight @ model.value.weight[letter] + model.readout.bias for letter in batch.letters[row]]
    return scores.exp() / scores.exp().sum(), torch.stack(logits)


def test_the_three_aims_are_those_of_a_loop_over_the_places():
    model, batch, view = seen()
    weights, logits = by_hand(model, batch)
    right = int(batch.answer)
    p = logits.exp()[:, right] / logits.exp().sum(1)
    mean = sum(a * row for a, row in zip(weights, logits, strict=True))
    log_right = log_probs_of_each(view.values, model.readout, batch.answer)
    torch.testing.assert_close(view.weights[0], weights)
    torch.testing.assert_close(log_right[0], p.log())
    torch.testing.assert_close(lower_bound(view.weights, log_right)[0], (weights * p.log()).sum())
    torch.testing.assert_close(log_marginal(view.weights, log_right)[0], (weights * p).sum().log())
    torch.testing.assert_close(
        soft_log_prob(view, model.readout, batch.answer)[0], mean[right] - mean.exp().sum().log()
    )


def test_the_slopes_are_those_of_the_formulas():
    scores = torch.randn(1, 6, generator=seeded(3), dtype=torch.float64).requires_grad_()
    log_right = torch.randn(1, 6, generator=seeded(4), dtype=torch.float64).abs().neg()
    weights = scores.softmax(1)
    (of_bound,) = torch.autograd.grad(lower_bound(weights, log_right).sum(), scores, retain_graph=True)
    (of_marginal,) = torch.autograd.grad(log_marginal(weights, log_right).sum(), scores)
    posterior = weights * log_right.exp() / (weights * log_right.exp()).sum()
    torch.testing.assert_close(of_bound, exact_gradient(weights, log_right).detach())
    torch.testing.assert_close(of_marginal, (posterior - weights).detach())


@pytest.mark.nightly
@pytest.mark.parametrize("baseline", [False, True])
@pytest.mark.parametrize("looks", [1, 3])
def test_the_estimate_is_right_on_average_for_every_weight(looks, baseline):
    """Rows of equal examples are independent draws: their gradients average to that of the bound."""
    model, batch, _ = seen(S=5, seed=8)
    wide = marked.Places(*(column.expand(40, *column.shape[1:]).contiguous() for column in batch))
    names = [name for name, _ in model.named_parameters()]

    def flat(loss):
        return torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(model.parameters()))])

    view = model(batch.marks, batch.letters, batch.asked)
    exact = flat(-lower_bound(view.weights, log_probs_of_each(view.values, model.readout, batch.answer)).mean())
    dice, found = seeded(5), []
    for _ in range(400):
        view = model(wide.marks, wide.letters, wide.asked)
        found.append(flat(hard_loss(view, model.readout, wide.answer, looks, baseline, dice)))
    found = torch.stack(found)
    error = found.std(0) / len(found) ** 0.5
    along = (found @ exact, exact @ exact)
    assert len(names) == 5
    assert (along[0].mean() - along[1]).abs() < 3 * along[0].std() / len(found) ** 0.5
    assert ((found.mean(0) - exact).abs() <= 5 * error + 1e-12).all()  # the largest of 500 numbers


def test_the_bound_is_below_marginal_and_below_soft_and_meets_the_marginal_where_all_places_say_the_same():
    model, batch, view = seen(S=9, batch=200)
    log_right = log_probs_of_each(view.values, model.readout, batch.answer)
    low, high = lower_bound(view.weights, log_right), log_marginal(view.weights, log_right)
    assert (low < high).all()
    assert (low < soft_log_prob(view, model.readout, batch.answer)).all()
    same = log_right[:, :1].expand_as(log_right)
    torch.testing.assert_close(lower_bound(view.weights, same), log_marginal(view.weights, same))


def test_soft_is_the_geometric_mean_of_the_answers_scaled_to_one():
    model, batch, view = seen(S=9, batch=50)
    logs = model.readout(view.values).log_softmax(2)
    geometric = (view.weights[:, None] @ logs)[:, 0].log_softmax(1).gather(1, batch.answer[:, None])[:, 0]
    torch.testing.assert_close(soft_log_prob(view, model.readout, batch.answer), geometric)


def test_the_gap_is_the_divergence_between_the_chances_before_and_after_the_answer_is_known():
    model, batch, view = seen(S=9, batch=50)
    log_right = log_probs_of_each(view.values, model.readout, batch.answer)
    before = view.weights
    after = before * log_right.exp() / (before * log_right.exp()).sum(1, keepdim=True)
    gap = log_marginal(before, log_right) - lower_bound(before, log_right)
    torch.testing.assert_close(gap, (before * (before / after).log()).sum(1))


def test_all_ways_and_readings_agree_where_one_weight_is_one():
    model, batch, view = seen(S=6, batch=20)
    one = Attended(torch.eye(6, dtype=torch.float64)[batch.marks[:, 0] % 6], view.values)
    log_right = log_probs_of_each(one.values, model.readout, batch.answer)
    ways = [
        lower_bound(one.weights, log_right),
        log_marginal(one.weights, log_right),
        soft_log_prob(one, model.readout, batch.answer),
    ]
    for way in ways[1:]:
        torch.testing.assert_close(way, ways[0])
    told = [predict(one, model.readout, reading, seeded(0)) for reading in READINGS]
    for other in told[1:]:
        torch.testing.assert_close(other, told[0])


def test_readings_are_what_they_say():
    model, _, view = seen(S=5, batch=4)
    alone = model.readout(view.values).softmax(2)
    largest = view.weights.argmax(1)
    rows = torch.arange(4)
    torch.testing.assert_close(predict(view, model.readout, "largest"), alone[rows, largest])
    torch.testing.assert_close(predict(view, model.readout, "mixture"), torch.einsum("bs,bsv->bv", view.weights, alone))
    drawn = torch.stack([predict(view, model.readout, "drawn", seeded(seed)) for seed in range(600)])
    error = drawn.std(0) / 600**0.5
    assert ((drawn.mean(0) - predict(view, model.readout, "mixture")).abs() < 4 * error).all()


def test_a_seed_gives_the_same_looks():
    model, batch, view = seen(batch=30)
    losses = [hard_loss(view, model.readout, batch.answer, generator=seeded(seed)) for seed in (1, 1, 2)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_bad_arguments_are_refused_by_name():
    model, batch, view = seen()
    with pytest.raises(ValueError, match="reading: got"):
        predict(view, model.readout, "glance")
    with pytest.raises(ValueError, match="samples: got"):
        hard_loss(view, model.readout, batch.answer, 0)
    with pytest.raises(ValueError, match="f: got"):
        hard_loss(view, model.readout, batch.answer, 1)  # one look in all: there are no others


def calls():
    VIEW = look.Attended(torch.full((2, 4), 0.25), torch.ones(2, 4, 3))
    RIGHT = torch.tensor([0, 2])
    MODEL = look.OneStepAttention(5, 3, d_key=4, d_value=3, generator=torch.Generator())
    WEIGHTS = torch.full((2, 4), 0.25)
    LOG_RIGHT = torch.full((2, 4), -0.5)
    return {
        look.OneStepAttention: {
            "num_marks": 5,
            "num_letters": 3,
            "d_key": 4,
            "d_value": 3,
            "generator": torch.Generator(),
        },
        MODEL.forward: {"marks": torch.zeros(2, 4).long(), "letters": torch.ones(2, 4).long(), "asked": RIGHT},
        look.soft_log_prob: {"attended": VIEW, "readout": MODEL.readout, "target": RIGHT},
        look.log_probs_of_each: {"values": VIEW.values, "readout": MODEL.readout, "target": RIGHT},
        look.lower_bound: {"weights": WEIGHTS, "log_probs": LOG_RIGHT},
        look.log_marginal: {"weights": WEIGHTS, "log_probs": LOG_RIGHT},
        look.hard_loss: {
            "attended": VIEW,
            "readout": MODEL.readout,
            "target": RIGHT,
            "samples": 2,
            "baseline": True,
            "generator": torch.Generator(),
        },
        look.predict: {"attended": VIEW, "readout": MODEL.readout, "reading": "mean", "generator": torch.Generator()},
    }


def good():
    return {
        look.lower_bound: {"weights": {"rank"}, "log_probs": {"rank"}},
        look.log_marginal: {"weights": {"rank"}, "log_probs": {"rank"}},
    }
