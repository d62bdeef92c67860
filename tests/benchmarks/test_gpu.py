"""What a card would time is the same function on both sides; the result that stands is whole, as is its picture."""

import json

import pytest
import torch
from benchmarks import gpu
from PIL import Image


@pytest.fixture(scope="module")
def result():
    return json.loads(gpu.RESULT.read_text())


def test_the_two_ways_to_attend_are_the_same_function():
    generator = torch.Generator().manual_seed(0)
    given = [torch.randn(2, 3, 7, 5, generator=generator, dtype=torch.float64) for _ in range(3)]
    torch.testing.assert_close(gpu.listing(*given), gpu.fused(*given))


def test_the_rivals_have_as_many_weights_in_their_layers_and_give_logits_of_one_shape():
    models = gpu.models(8)
    layers = {"GRU": models["GRU"].gru, "Transformer": models["Transformer"].blocks}
    ours, theirs = (sum(p.numel() for p in layers[name].parameters()) for name in ("Transformer", "GRU"))
    assert abs(ours / theirs - 1) < 0.01
    tokens = torch.zeros(2, 8, dtype=torch.long)
    assert {model(tokens).shape for model in models.values()} == {(2, 8, gpu.VOCABULARY)}


@pytest.mark.nightly
def test_a_step_changes_every_weight(monkeypatch):
    monkeypatch.setattr(gpu, "TOKENS", 16)
    for model in gpu.models(8).values():
        before = [p.detach().clone() for p in model.parameters()]
        gpu.step(model, 8, "cpu")()
        assert not any(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))


def test_times_have_quartiles_and_a_processor_has_no_peak():
    rows = list(gpu.timed({"one": lambda: None}, 2, task="t", device="cpu", precision="p", B=1, T=1))
    assert [row.unit for row in rows] == ["one"]
    assert rows[0].MiB is None
    assert rows[0].low_ms <= rows[0].ms <= rows[0].high_ms


def test_the_result_is_whole(result):
    on_card = [row for row in result["rows"] if row["device"] == "cuda"]
    training = {(row["unit"], row["T"]) for row in on_card if row["task"] == "training"}
    assert training == {(unit, T) for unit in ("GRU", "Transformer") for T in gpu.LENGTHS}
    attention = {(row["unit"], row["precision"], row["T"]) for row in on_card if row["task"] == "attention"}
    assert len(attention) == 2 * 2 * len(gpu.LONG)
    assert all(0 < row["low_ms"] <= row["ms"] <= row["high_ms"] for row in result["rows"])
    assert all(row["B"] * row["T"] == gpu.TOKENS for row in result["rows"])


def test_listing_and_fused_call_agreed_on_the_card(result):
    for name, distance in result["agree"].items():
        assert distance < (0.05 if "bfloat16" in name else 0.005)


def test_the_picture_shows_this_result():
    with Image.open(gpu.PICTURE) as picture:
        assert picture.info["digest"] == gpu.digest(gpu.RESULT), "draw it again: python -m benchmarks.gpu --picture"


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a card")
def test_a_machine_without_a_card_is_refused(capsys):
    assert gpu.main([]) == 2
    assert "device: got a machine without CUDA" in capsys.readouterr().err
