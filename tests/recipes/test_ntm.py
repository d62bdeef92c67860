"""What each kind leaves out, repeatable training, and the share of exact answers."""

import pytest
import torch

from attend.recipes.ntm import KINDS, NTMRecipe, Scattered, batches, build, exact, trained
from attend.tasks import tape


def weights_of(kind, gamma=None):
    """Both heads' weights on a row of digits, of a model at initialisation."""
    model = build(kind, "copy", 0)
    x, _ = tape.sample("copy", 2, 4, torch.Generator().manual_seed(1))
    return model, model(x, 9)[1:]


def test_content_alone_does_not_care_where_it_was():
    model, _ = weights_of("content")
    h, M = torch.randn(1, 64), torch.randn(1, 9, model.width)
    first, second = (model.read_head.weights(h, M, last) for last in torch.eye(9)[:2, None])
    assert torch.equal(first, second)


def test_location_alone_does_not_care_what_is_on_the_tape():
    model, _ = weights_of("location")
    h, last = torch.randn(1, 64), torch.eye(9)[:1]
    first, second = (model.read_head.weights(h, M, last) for M in torch.randn(2, 1, 9, model.width))
    assert torch.equal(first, second)
    assert first[0, 2:8].sum() == 0, "a head moves one slot either way"


def test_without_sharpening_the_power_is_one():
    model, _ = weights_of("blunt")
    plain = build("ntm", "copy", 0)
    plain.load_state_dict(model.state_dict())
    h, M, last = torch.randn(1, 64), torch.randn(1, 9, model.width), torch.eye(9)[:1]
    with torch.no_grad():
        model.read_head.linear.bias[-1] = plain.read_head.linear.bias[-1] = 3.0
        other = model.read_head.linear.bias.clone()
        blunt, sharp = (one.read_head.weights(h, M, last) for one in (model, plain))
        model.read_head.linear.bias[-1] = 0.0
        assert torch.equal(model.read_head.weights(h, M, last), blunt)
    assert other[-1] == 3.0
    assert sharp.max() > blunt.max()


def test_heads_that_begin_evenly_stay_even_and_scattered_rows_differ():
    _, (writes, reads) = weights_of("even")
    torch.testing.assert_close(writes, torch.full_like(writes, 1 / 9))
    torch.testing.assert_close(reads, torch.full_like(reads, 1 / 9))
    model = build("content", "copy", 0)
    assert isinstance(model, Scattered)
    M = model.start(1, 9)[0]
    assert torch.cdist(M[0], M[0])[~torch.eye(9, dtype=torch.bool)].min() > 0.5


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_training_is_repeatable_and_seeds_differ(kind):
    losses = [NTMRecipe(kind, "copy", seed, steps=3).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_a_transformer_does_not_see_what_comes_later():
    model = build("transformer", "copy", 0).eval()
    x, _ = tape.sample("copy", 1, 4, torch.Generator().manual_seed(1))
    changed = x.clone()
    changed[:, 3] += 1
    before, after = model(x, 9)[0], model(changed, 9)[0]
    torch.testing.assert_close(before[:, :3], after[:, :3])
    assert not torch.allclose(before[:, 3:], after[:, 3:])


def test_batches_have_the_lengths_of_training():
    drawn = [answer.shape[1] for (_, answer), _ in zip(batches("copy", 0), range(60), strict=False)]
    assert set(drawn) == set(range(1, 11))


def test_one_wrong_digit_makes_a_row_wrong():
    class Knows(torch.nn.Module):
        """Answers the digits, the first one wrong in every other row."""

        def forward(self, x, slots):
            """Logits of every step."""
            L = (x.shape[1] - 1) // 2
            said = torch.zeros(*x.shape[:2], 11)
            said[:, L + 1 :, :10] = x[:, :L, :10]
            said[::2, L + 1] = said[::2, L + 1].roll(1, 1)
            return (said,)

    assert exact(Knows(), "copy", 5, 3, rows=10) == 0.5


def test_the_shipped_copier_copies_fifty_digits():
    assert exact(trained(), "copy", 50, 7, slots=64, rows=20) >= 0.95


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        NTMRecipe(steps=0)
