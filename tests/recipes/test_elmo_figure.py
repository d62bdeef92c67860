"""The model of the figure is that of the recipe in fewer words and bytes; its directions tell nouns from verbs."""

import pytest
import torch

from attend.recipes import elmo_figure
from attend.recipes.elmo import ElmoRecipe, layers_at, nats, texts
from attend.tasks import senses


def test_bytes_keep_the_weights_to_half_a_step():
    model = ElmoRecipe().build()
    packed = elmo_figure.pack(model)
    for name, value in model.state_dict().items():
        kept = value[:1_500] if name == "token.weight" else value
        scale = packed[f"{name}.scale"].float()
        assert packed[name].dtype == torch.int8
        assert ((packed[name] * scale - kept).abs() <= 0.52 * scale + 127 * 1e-3 * scale).all()


@pytest.mark.nightly
def test_the_model_of_the_figure_has_learned():
    assert nats(elmo_figure.trained(), texts("validation")[:400]) < 3.9
    assert elmo_figure.FILE.stat().st_size < 165_000


@pytest.mark.nightly
def test_directions_by_a_loop_and_on_other_words():
    model, known = elmo_figure.trained(), set(elmo_figure.words()[2:])
    fits = [one for one in senses.load("train") if one.word in known and one.part_of_speech in ("noun", "verb")]
    some = fits[::16]  # nouns come first
    axes, centre = elmo_figure.axes(model, some)
    vectors = layers_at(model, some)[1]
    assert axes.shape == (3, 2, 96)
    assert abs(torch.nn.functional.cosine_similarity(axes[1, 0], axes[1, 1], dim=0)) < 1e-3
    across = (vectors - centre[1]) @ axes[1, 0]
    noun = torch.tensor([one.part_of_speech == "noun" for one in some])
    assert ((across > 0) == noun).double().mean() > 0.85
    assert abs(across.mean() - (2 * noun.double() - 1).mean()) < 1e-3


@pytest.mark.nightly
def test_each_sentence_of_the_figure_holds_its_word_once():
    everything = [one for part in ("train", "validation", "test") for one in senses.load(part)]
    found = elmo_figure.sentences(everything)
    assert tuple(found) == elmo_figure.SHOWN
    for word, some in found.items():
        assert {kind for _, kind in some} == {"noun", "verb"}
        assert all(sentence.split().count(word) == 1 for sentence, _ in some)
        assert len(some) == 12
