"""The rows of the table: what each changes, on what all are trained, and how they are measured."""

import pytest
import torch

from attend.recipes.what_matters import (
    BASE,
    MOST,
    OWN_RATE,
    ROWS,
    AblationRecipe,
    encoded,
    measured,
    parameters,
)
from attend.tasks import numbers, pairs


def test_each_row_changes_something_and_no_two_the_same():
    for changed in ROWS.values():
        assert all(BASE[name] != value for name, value in changed.items())
    assert len({tuple(sorted(changed.items())) for changed in ROWS.values()}) == len(ROWS)
    assert set(OWN_RATE) < set(ROWS)
    with pytest.raises(ValueError, match="row: got 'luck'"):
        AblationRecipe("luck").settings()


def test_heads_cost_no_parameters_and_smaller_rows_have_fewer():
    assert {parameters(row) for row in ("base", "1 head", "16 heads", "no positions", "no residuals")} == {62_558}
    assert all(parameters(row) < 62_558 for row in ("keys of 2", "1 block", "half the width", "a quarter of F"))
    assert parameters("learned positions") == 62_558 + 64 * 32


def test_no_number_is_asked_that_was_trained_on():
    trained = set(numbers.numbers("train", 6, MOST["train"]))
    assert len(trained) == len(encoded("train").source) == 1_170
    for part, many in (("validation", 403), ("test", 1_204)):
        of = numbers.numbers(part, 6, MOST[part])
        assert len(of) == len(encoded(part).source) == many
        assert not trained & set(of)


def test_training_is_repeated_by_its_seed_and_leaves_the_generator_alone():
    state = torch.random.get_rng_state()
    one, same, other = (AblationRecipe("no dropout", seed, steps=4).train().state_dict() for seed in (3, 3, 4))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


def test_all_rows_of_a_seed_see_the_same_batches():
    one, other = (next(AblationRecipe(row, 5).batches()) for row in ("base", "1 block"))
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.nightly
def test_one_pass_counts_the_answers_that_are_written_without_a_mistake():
    model = AblationRecipe(steps=60, rate=2e-2).train()
    source, mask, target, asked = (column[:60] for column in encoded("validation"))
    tokens = target.new_zeros(60, 0)
    with torch.no_grad():
        for _ in range(target.shape[1]):
            logits = model(source, mask, torch.cat([tokens, tokens.new_zeros(60, 1)], dim=1))
            tokens = torch.cat([tokens, logits[:, -1:].argmax(2)], dim=1)
        logits = model(source, mask, target)
    written = pairs.exact(tokens, target, asked)
    assert torch.equal(written, pairs.exact(logits.argmax(2), target, asked))


def test_a_model_at_initialisation_knows_nothing():
    mistakes, nats = measured(AblationRecipe().build().eval(), "validation")
    assert mistakes > 99
    assert nats > 3
