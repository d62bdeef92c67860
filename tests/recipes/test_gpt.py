"""The pre-trained GPT has learned something; labels are dealt fairly; training is repeatable."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from attend.recipes import gpt, launch, sizes
from attend.tasks import reviews, snippets
from attend.transformers.byte_pairs import learn


@pytest.mark.nightly
def test_the_byte_pairs_that_came_with_the_package_are_those_of_the_training_snippets():
    first = learn("\n".join(snippets.load("train")), 280)
    assert gpt.tokeniser().vocab[:280] == first
    assert len(gpt.tokeniser().vocab) == gpt.END


@pytest.mark.nightly
def test_the_pretrained_model_is_far_better_than_counting_tokens_and_texts_come_back():
    text = gpt.stream("validation")
    counts = torch.bincount(gpt.stream("train"), minlength=gpt.V).double() + 1
    unigram = cross_entropy((counts / counts.sum()).log().expand(len(text), -1), text).item()
    rows = text[: 40 * 81].view(40, 81)
    with torch.no_grad():
        nats = gpt.language_loss(gpt.trained(), rows).item()
    assert nats < unigram - 1
    first = text[: (text == gpt.END).nonzero()[0, 0]].tolist()
    assert gpt.tokeniser().decode(first) == snippets.load("validation")[0]


def test_rated_reviews_end_where_they_say():
    tokens, last, kind = gpt.rated("validation")
    assert len(tokens) == len(reviews.load("validation")) == len(kind)
    assert (tokens[torch.arange(len(tokens)), last] == gpt.END).all()
    assert (tokens != gpt.END).sum(1).equal(last)
    assert kind.double().mean().item() == pytest.approx(0.5, abs=0.05)


@pytest.mark.nightly
def test_labels_are_as_many_of_each_kind_and_differ_by_seed():
    kind = gpt.rated("train")[2]
    rows = gpt.chosen(100, 3)
    assert len(set(rows.tolist())) == 100
    assert kind[rows].sum() == 50
    assert gpt.chosen(100, 3).equal(rows)
    assert not gpt.chosen(100, 4).equal(rows)
    with pytest.raises(ValueError, match="labels: got 3"):
        gpt.chosen(3, 0)


@pytest.mark.nightly
def test_fine_tuning_is_repeatable_leaves_the_pretrained_model_alone_and_learns_its_labels():
    before = gpt.trained()
    kept = {name: value.clone() for name, value in before.state_dict().items()}
    runs = [gpt.FineTune(20, auxiliary, 3, seed=1).train(before) for auxiliary in (0.0, 0.0, 0.5)]
    one, two, other = (run.head.weight for run in runs)
    assert torch.equal(one, two)
    assert not torch.equal(one, other)
    assert all(torch.equal(value, kept[name]) for name, value in before.state_dict().items())
    assert 0.4 < gpt.accuracy(runs[0], "validation") < 0.7


def test_capacity_sees_as_much_text_as_it_is_told(monkeypatch):
    seen = []
    monkeypatch.setattr(gpt, "train_language", lambda model, text, **more: seen.append(len(text)))
    gpt.Capacity(8).train()
    gpt.Capacity(8, part=64).train()
    assert seen[1] == seen[0] // 64
    assert 4 < gpt.plays_nats(gpt.Capacity(8).build(), "validation", 10) < 5


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        gpt.GPTRecipe(steps=0)
    with pytest.raises(ValueError, match="kind"):
        gpt.FineTune.of("other", 100, 0)


@pytest.mark.nightly
def test_a_sized_one_of_the_page_is_the_page_model_and_learns():
    small, losses = gpt.SIZES["small"], []
    page = gpt.GPTRecipe().build().state_dict()
    assert all(torch.equal(page[name], value) for name, value in small.build().state_dict().items())
    short = gpt.SizedGPTRecipe(context=gpt.CONTEXT, steps=20, warmup=2, batch=8)
    short.train([lambda state: losses.append(state.loss)])
    assert losses[0] == pytest.approx(np.log(gpt.V), abs=0.5)
    assert sum(losses[-3:]) / 3 < losses[0] - 0.5


@pytest.mark.nightly
def test_at_the_size_of_gpt_it_lacks_positions_and_has_one_more_norm(tmp_path):
    paper = gpt.SIZES["paper"]
    found = launch.dry_run(paper, processes=8).parameters
    (there,) = sizes.costs("GPT")
    assert found == 116_143_104
    assert int(there[1].replace(",", "")) == 116_534_784 == found + 512 * 768 - 2 * 768
    assert paper.steps == pytest.approx(100 * 800e6 / (64 * 512), rel=1e-3)
    with pytest.raises(ValueError, match="data: got None"):
        paper.batches()
    np.save(tmp_path / "tokens.npy", np.arange(1_000, dtype=np.uint16) % 50)
    one = gpt.SizedGPTRecipe(data=str(tmp_path / "tokens.npy"), vocab_size=50, context=8, batch=2, steps=2)
    assert next(iter(one.batches())).shape == (2, 9)
    assert one.train().vocab_size == 50
