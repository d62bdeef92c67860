"""The three stages of ULMFiT run, are repeatable, and read what they say."""

import pytest
import torch

from attend.recipes import ulmfit
from attend.tasks import reviews


@pytest.mark.nightly
def test_general_text_holds_no_film_review():
    films = {tuple(reviews.words(one.text)) for part in ("train", "validation", "test") for one in reviews.load(part)}
    assert not films & set(ulmfit.sentences("general", "train"))
    assert len(ulmfit.vocabulary()) == ulmfit.V
    assert len(ulmfit.sentences("films", "train")) == 6_744


def test_pieces_go_on_where_the_last_ended_and_lose_little():
    texts = tuple(torch.arange(n, n + 10) for n in range(0, 200, 10))
    batches = ulmfit.pieces(texts, 4, 7, 0)
    x, y, fresh = next(batches)
    assert fresh
    assert x.shape == y.shape == (4, 7)
    x2, _, fresh = next(batches)
    assert not fresh
    assert torch.equal(x2[:, 0], y[:, -1])
    assert torch.equal(y[:, :-1], x[:, 1:])
    seen = [x, x2]
    for x, _, fresh in batches:
        if fresh:
            break
        seen.append(x)
    assert sum(one.numel() for one in seen) == 4 * ((200 - 1) // 4)


def test_words_of_the_order_task_are_the_same_words_and_half_are_exchanged():
    (mixed, kinds), plain = ulmfit.examples("order", "validation"), ulmfit.sentences("films", "validation")
    assert kinds.double().mean().item() == pytest.approx(0.5, abs=0.05)
    assert all(sorted(a) == sorted(b) for a, b in zip(mixed, plain, strict=True))
    moved = torch.tensor([a != b for a, b in zip(mixed, plain, strict=True)])
    assert not moved[kinds == 0].any()
    assert moved[kinds == 1].double().mean() > 0.97
    differ = [sum(x != y for x, y in zip(a, b, strict=True)) for a, b in zip(mixed, plain, strict=True)]
    assert max(differ) <= 6


@pytest.mark.parametrize("task", ["order", "opinion"])
def test_labels_are_as_many_of_each_kind_and_differ_by_seed(task):
    kind, rows = ulmfit.examples(task, "train")[1], ulmfit.dealt(task, 100, 3)
    assert len(set(rows.tolist())) == 100
    assert kind[rows].sum() == 50
    assert ulmfit.dealt(task, 100, 3).equal(rows)
    assert not ulmfit.dealt(task, 100, 4).equal(rows)
    with pytest.raises(ValueError, match="labels: got 3"):
        ulmfit.dealt(task, 3, 0)


@pytest.mark.nightly
def test_the_weights_of_the_package_have_learned_english():
    model = ulmfit.trained()
    known = ulmfit.nats(model, "general", "validation")
    assert known < 3.6
    assert (
        ulmfit.nats(model, "films", "validation")
        < ulmfit.nats(ulmfit.LanguageModel().build(), "films", "validation") - 2
    )


def test_bytes_keep_the_weights_to_half_a_step():
    weights = ulmfit.LanguageModel().build().state_dict()
    packed = ulmfit.pack(weights)
    for name, value in weights.items():
        scale = packed[f"{name}.scale"].float()
        assert packed[name].dtype == torch.int8
        assert ((packed[name] * scale - value).abs() <= 0.6 * scale).all()
    assert ulmfit.FILE.stat().st_size < 160_000


def test_language_models_are_repeatable_and_go_on_from_a_start():
    one, two = (ulmfit.LanguageModel("films", 2, every=50).train() for _ in range(2))
    assert torch.equal(one.token.weight, two.token.weight)
    start = ulmfit.trained()
    kept = start.token.weight.clone()
    on = ulmfit.LanguageModel("films", 2, 1e-4, every=50).train(start)
    assert torch.equal(start.token.weight, kept)
    assert 0 < (on.token.weight - kept).abs().max() < 1e-2


def test_phases_unfreeze_from_the_top_and_leave_the_language_model_alone(monkeypatch):
    seen = []
    fit = ulmfit.fit

    def watched(model, *told, optimiser, schedule, steps, **more):
        seen.append(
            ([one["lr"] for one in optimiser.param_groups], steps, sum(p.requires_grad for p in model.parameters()))
        )
        fit(model, *told, optimiser=optimiser, schedule=schedule, steps=steps, **more)

    monkeypatch.setattr(ulmfit, "fit", watched)
    start = ulmfit.LanguageModel().build()
    kept = {name: value.clone() for name, value in start.state_dict().items()}
    ulmfit.Classify("order", 20, 0.01, steps=16).train(start)
    assert [steps for _, steps, _ in seen] == [2, 2, 2, 10]
    assert [len(rates) for rates, _, _ in seen] == [1, 2, 3, 4]
    last = seen[-1][0]
    assert last[0] / last[3] == pytest.approx(2.6**3)
    assert [count for _, _, count in seen] == sorted(count for _, _, count in seen)
    assert all(torch.equal(value, kept[name]) for name, value in start.state_dict().items())


def test_classifiers_learn_their_labels_and_are_repeatable():
    start = ulmfit.trained()
    one, two = (ulmfit.Classify("opinion", 20, 0.01, 1.0, False, 4, seed=1).train(start) for _ in range(2))
    assert torch.equal(one.head[2].weight, two.head[2].weight)
    assert 0.4 < ulmfit.accuracy(one, "opinion", "validation") < 0.7
    assert 0.5 < ulmfit.word_counts("opinion", 400, 100, "validation") < 0.8


def test_pooled_rows_are_those_of_the_reviews():
    model = ulmfit.trained()
    rows = ulmfit.pooled(model, "order", "validation")
    text = ulmfit.asked("order", "validation")[0][7]
    with torch.no_grad():
        states, _ = model.states(text[None])
    torch.testing.assert_close(rows[7, :48], states[0, -1], atol=1e-5, rtol=1e-4)


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        ulmfit.LanguageModel(steps=0)
    with pytest.raises(ValueError, match="task"):
        ulmfit.Classify("other")
