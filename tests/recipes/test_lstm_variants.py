"""The variants of the LSTM: as many weights that train, each at its own rate."""

import pytest
import torch

from attend.gating.lstm_variants import WithoutGate
from attend.recipes.lstm_variants import RATE, VARIANTS, VariantRecipe


def test_all_train_as_many_weights_to_within_two_percent():
    counts = {}
    for variant in VARIANTS:
        layer = VariantRecipe(variant=variant).build().layer
        layer(torch.randn(8, 3, layer.input_size))[0].square().sum().backward()
        counts[variant] = sum(int((weight.grad != 0).sum()) for weight in layer.parameters())
    assert max(counts.values()) < 1.02 * min(counts.values()), counts


def test_a_variant_trains_at_its_own_rate_unless_told_another(monkeypatch):
    rates = []
    monkeypatch.setattr(torch.optim, "Adam", lambda weights, lr: rates.append(lr) or torch.optim.SGD(weights, lr=lr))
    for rate in (None, 0.5):
        VariantRecipe(variant="no output gate", steps=1, rate=rate).train()
    assert rates == [RATE["no output gate"], 0.5]


def test_a_gate_is_named_by_its_variant():
    layer = VariantRecipe(variant="no forget gate").build().layer
    assert isinstance(layer, WithoutGate)
    assert layer.without == "forget"


def test_a_variant_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="variant: got 'no candidate'"):
        VariantRecipe(variant="no candidate")
