"""Published models have their published numbers of weights, and cost what their papers' arithmetic says."""

import re

import pytest
import torch

from attend.recipes import sizes
from attend.recipes.sizes import HEAD, MODELS, costs, counted
from attend.train.cost import on_meta

ABOUT = {"M": 1e6, " ×10⁶": 1e6}
EXACT = re.compile(r"[\d,]+")


def weights(name):
    model = on_meta(MODELS[name].build)
    return sum(weight.numel() for weight in model.parameters() if weight.requires_grad)


@pytest.mark.parametrize("name", MODELS)
def test_the_number_of_weights_is_the_published_one(name):
    says = MODELS[name].says
    if EXACT.fullmatch(says):
        assert weights(name) == int(says.replace(",", ""))
    else:
        number, unit = re.fullmatch(r"([\d.]+)(\D.*)", says).groups()
        # Of the translator's vocabulary the paper says "about 37000"; the others are cut off or rounded.
        near = 0.04 if "Transformer" in name else 0.02
        assert weights(name) == pytest.approx(float(number) * ABOUT[unit], rel=near)


def test_the_numbers_that_everybody_knows():
    assert weights("GPT-2 small") == 124_439_808
    assert weights("BERT base") == 109_482_240
    assert weights("Llama 3 8B") == 8_030_261_248


def test_a_step_of_gpt_2_is_counted_as_its_matrices_say():
    """Two operations for each weight of a product and each token, thrice; and attention's two products of T × T."""
    found, T, D, L = counted("GPT-2 small").cost, 1_024, 768, 12
    products = 12 * D * D * L + 50_257 * D
    assert found.forward == 2 * T * products + L * 2 * 2 * T * T * D
    assert found.backward == 2 * found.forward
    assert found.weights == 4 * 124_439_808


@pytest.mark.nightly
def test_the_rule_of_thumb_is_near(tmp_path):
    for name in ("Transformer base", "BERT base"):
        found = counted(name)
        assert found.a_token == pytest.approx(found.rule, rel=0.15)


@pytest.mark.nightly
def test_every_model_takes_a_step():
    rows = costs()
    assert [row[0] for row in rows] == list(MODELS)
    assert all(len(row) == len(HEAD) for row in rows)


@pytest.mark.nightly
def test_a_row_says_what_is_published_and_what_is_not_told(capsys, monkeypatch):
    ((name, number, says, *_, training),) = costs("AWD-LSTM, Penn Treebank")
    assert (name, number, says, training) == ("AWD-LSTM, Penn Treebank", "24,221,600", "24M", "—")
    monkeypatch.setattr(sizes, "MODELS", {name: MODELS[name] for name in ("Transformer base",)})
    assert sizes.main() == 0
    assert "63,082,496" in capsys.readouterr().out


def test_a_model_that_is_not_there_is_refused_by_name():
    with pytest.raises(ValueError, match="name: got 'GPT-5', expected one of AWD-LSTM"):
        counted("GPT-5")
    with pytest.raises(ValueError, match="batch: got 0"):
        counted("GPT", 0)


def test_a_small_one_computes_with_values():
    """The same classes, small, with numbers in them: shapes, a finite loss, and every weight learns."""
    small = {
        "GPT": sizes.GPT("", "", None, 20, 6, 8, 2, 2, norm="post"),
        "GPT-2": sizes.GPT("", "", None, 20, 6, 8, 2, 2),
        "BERT": sizes.Bert("", "", None, 20, 14, 8, 2, 2),
        "Transformer": sizes.Translator("", "", None, 20, 8, 2, 16, length=5),
        "AWD-LSTM": sizes.AWDLSTM("", "", None, 20, width=4, hidden=6, length=5),
        "Llama": sizes.Llama("", "", None, 20, 6, 8, 2, 2, 1, 12),
    }
    for name, one in small.items():
        torch.manual_seed(0)
        model = one.build()
        loss = one.loss(model, one.example(3))
        loss.backward()
        assert torch.isfinite(loss), name
        assert all(weight.grad is not None for weight in model.parameters()), name
        assert one.read() > 0
