"""What is trained, on what; what is asked of it afterwards; and what the weights of the package know."""

import pytest
import torch

from attend.recipes.bert import (
    KINDS,
    TASKS,
    BertRecipe,
    Classifier,
    Watch,
    causal,
    counted,
    labelled,
    labels_right,
    pairs_right,
    probes,
    trained,
    tune,
    words_right,
)
from attend.tasks import village


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_a_short_training_lowers_the_loss_and_is_repeated_by_its_seed(kind):
    losses, watch = [], Watch(kind, (1, 12))
    model = BertRecipe(kind, seed=1, steps=12, batch=8).train((lambda step: losses.append(step.loss), watch))
    again = BertRecipe(kind, seed=1, steps=12, batch=8).train()
    assert sum(losses[-3:]) < sum(losses[:3])
    assert watch.found.keys() == {1, 12}
    assert watch.found[12] == words_right(model, kind)
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), again.parameters(), strict=True))


def test_the_rival_sees_itself_and_its_left():
    mask = causal(torch.tensor([[1, 5, 6, 0]]))
    assert mask.tolist() == [[[True, *[False] * 3], [True, True, False, False], *[[True, True, True, False]] * 2]]


@pytest.mark.parametrize("task", TASKS)
def test_labels_are_balanced_drawn_anew_and_fit_their_sentences(task):
    batch, label = labelled(task, 400, 2)
    assert 0.4 < label.double().mean() < 0.6
    assert bool(batch.segments.any()) == (task == "same people")
    other, _ = labelled(task, 400, 2, draw=1)
    assert batch.tokens.shape != other.tokens.shape or not torch.equal(batch.tokens, other.tokens)


@pytest.mark.nightly
def test_fine_tuning_leaves_the_encoder_as_it_was_and_adds_98_weights():
    encoder = BertRecipe().build()
    before = [p.clone() for p in encoder.parameters()]
    model = tune(encoder, "mood", 20, 0, steps=3)
    assert all(torch.equal(one, two) for one, two in zip(before, encoder.parameters(), strict=True))
    assert sum(p.numel() for p in model.parameters()) - sum(map(torch.numel, before)) == 98
    assert isinstance(model, Classifier)
    assert 0 <= labels_right(model, "mood") <= 1


@pytest.mark.nightly
def test_counts_find_the_word_that_decides():
    assert counted("mood", 200, 0) > 0.95
    assert counted("grammatical", 200, 0) < 0.7


def test_the_model_of_the_package_knows_the_village():
    model = trained()
    assert words_right(model, "bert") > 0.63
    assert pairs_right(model) > 0.7


@pytest.mark.nightly
def test_probes_ask_what_the_stories_say():
    found = probes(trained())
    assert found["the verb, past a noun of the other number"] > 0.95
    assert found["where"] > 0.95
    assert all(value < 0.9 for value in probes(BertRecipe().build()).values())


@pytest.mark.parametrize(("field", "value"), [("kind", "gpt"), ("steps", 0), ("rate", -1.0), ("batch", 0)])
def test_fields_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        BertRecipe(**{field: value})


def test_who_is_wrong_about_a_story_disagrees_twice():
    told = village.stories(1, 200)
    texts, right = village.grammatical(told, torch.Generator().manual_seed(0))
    for one, text, fine in zip(told, texts, right.tolist(), strict=True):
        changed = [
            place for place, pair in enumerate(zip(one.first.split(), text.split(), strict=True)) if len({*pair}) > 1
        ]
        assert len(changed) == (0 if fine else 2)
