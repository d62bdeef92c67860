"""What is trained, and what is read of it: marked words at their places, means over words alone."""

from itertools import islice

import pytest
import torch

from attend.recipes.elmo import (
    ElmoRecipe,
    layers_at,
    nats,
    neighbours,
    pooled,
    texts,
    vocabulary,
    with_random_lstms,
)
from attend.tasks import senses


@pytest.mark.nightly
def test_a_short_training_lowers_the_loss_and_is_repeated_by_its_seed():
    losses = []
    recipe = ElmoRecipe(seed=3, V=300, d_model=8, num_targets=200, steps=25)
    model = recipe.train(callbacks=(lambda step: losses.append(step.loss),))
    assert sum(losses[-5:]) < sum(losses[:5])
    again = recipe.train()
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), again.parameters(), strict=True))
    assert not any(p.requires_grad for p in model.parameters())


@pytest.mark.nightly
def test_sentences_of_a_batch_are_about_equally_long():
    for tokens, mask in islice(ElmoRecipe().batches(), 5):
        lengths = mask.sum(1)
        assert len(tokens) == 64
        assert lengths.max() - lengths.min() <= 2 or lengths.max() > 30


def test_words_are_those_of_both_sources():
    assert {"film", "the", "her"} <= set(vocabulary(300))
    assert len(vocabulary(4_000)) == 4_000
    assert vocabulary(300) == vocabulary(4_000)[:300]


def test_nats_are_the_mean_over_all_words():
    model = ElmoRecipe(V=300, d_model=8, num_targets=200).build().eval()
    some = list(texts("validation")[:250])
    tokens, mask = senses.encode(some, vocabulary(300))
    assert nats(model, some) == pytest.approx(model.loss(tokens, mask).item(), rel=1e-4)


def test_random_lstms_share_the_words_and_nothing_else():
    model = ElmoRecipe(V=300, d_model=8, num_targets=200).build()
    other = with_random_lstms(model, 0)
    for name, value in other.state_dict().items():
        assert torch.equal(value, model.state_dict()[name]) == (name in ("token.weight", "bias")), name


def test_layers_and_neighbours_are_those_of_the_marked_word():
    model = ElmoRecipe(V=300, d_model=8, num_targets=200).build().eval()
    some = [one for one in senses.load("validation") if one.place >= 0][:230]
    words, found, beside = vocabulary(300), layers_at(model, some), neighbours(model, some)
    for n in (0, 7, 229):
        tokens, mask = senses.encode([some[n].words], words)
        at = some[n].place + 1
        torch.testing.assert_close(found[:, n], model(tokens, mask)[:, 0, at], atol=1e-6, rtol=1e-4)
        torch.testing.assert_close(beside[n], model.token(tokens[0, at - 1 : at + 2]).flatten())


def test_pooled_is_the_mean_of_the_words_without_edges():
    model = ElmoRecipe(V=300, d_model=8, num_targets=200).build().eval()
    some = list(texts("validation")[:210])
    found = pooled(model, some)
    for n in (0, 3, 209):
        tokens, mask = senses.encode([some[n]], vocabulary(300))
        torch.testing.assert_close(found[:, n], model(tokens, mask)[:, 0, 1:-1].mean(1), atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize(("field", "value"), [("steps", 0), ("V", -1), ("learning_rate", 0.0)])
def test_fields_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        ElmoRecipe(**{field: value})
