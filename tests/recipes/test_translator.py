import pytest
import torch

from attend.recipes.translator import (
    RaceRecipe,
    TransformerRecipe,
    cross_entropy_of,
    exact,
    xavier,
)

TINY = {"digits": 3, "most": 2, "batch": 8, "d_model": 16, "d_ff": 16}


def test_its_size():
    assert sum(p.numel() for p in TransformerRecipe().build().parameters()) == 99_582


@pytest.mark.nightly
def test_training_is_repeatable_and_learns():
    recipe = TransformerRecipe(steps=12, warm=2, dropout=0.1, **TINY)
    one, history = recipe.train()
    state = torch.random.get_rng_state()
    other, _ = recipe.train()
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert sum(history.losses[-3:]) < 3 * history.losses[0]


def test_the_rate_rises_and_falls():
    recipe = TransformerRecipe(steps=100, warm=10)
    shares = [recipe.warmed(step) for step in range(100)]
    assert shares[0] == pytest.approx(0.1)
    assert max(shares) == shares[9] == 1
    assert sorted(shares[9:], reverse=True) == shares[9:]
    assert 0 < shares[-1] < 0.001
    root = TransformerRecipe(steps=100, warm=10, fall="root")
    assert root.warmed(39) == pytest.approx(0.5)
    with pytest.raises(ValueError, match=r"fall: got 'off'"):
        TransformerRecipe(steps=2, warm=1, fall="off").train()
    with pytest.raises(ValueError, match=r"warm: got 3"):
        TransformerRecipe(steps=2, warm=3).train()


@pytest.mark.nightly
def test_both_racers_have_as_many_weights_and_see_the_same(monkeypatch):
    sizes = [sum(p.numel() for p in RaceRecipe(kind).build().parameters()) for kind in ("Transformer", "GRU")]
    assert sizes == [46_438, 46_561]
    seen = {}
    for kind in ("Transformer", "GRU"):
        racer = RaceRecipe(kind, steps=10)
        made = racer.build()
        monkeypatch.setattr(RaceRecipe, "build", lambda self, made=made: made)
        made.register_forward_pre_hook(lambda _, given, kind=kind: seen.setdefault(kind, []).append(given[0]))
        assert not racer.train().training
        monkeypatch.undo()
    assert all(torch.equal(*pair) for pair in zip(*seen.values(), strict=True))


def test_a_race_too_short_to_warm_up_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 5"):
        RaceRecipe(steps=5)


def test_a_model_that_knows_nothing_is_measured():
    model = TransformerRecipe(d_model=8, d_ff=8, num_heads=2).build().eval()
    assert exact(model, "validation") == 0
    assert cross_entropy_of(model, "validation") > 2


def test_xavier_draws_larger_matrices():
    ours, torchs = xavier("post", 2, 0), TransformerRecipe(d_model=32, d_ff=128, norm="post").build()
    for name, matrix in ours.encoder.named_parameters():
        if matrix.ndim == 2:
            bound = (6 / sum(matrix.shape)) ** 0.5
            assert 0.9 * bound < matrix.abs().max() <= bound
            assert matrix.shape == torchs.encoder.get_parameter(name).shape


def test_the_weights_that_come_with_the_package():
    assert exact(TransformerRecipe().load(), "validation") > 0.95
