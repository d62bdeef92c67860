"""The two ways in which models of characters are trained: what they read, in which order, and what is handed on."""

import math

import pytest
import torch
from torch import nn

from attend.gating.lstm import LSTM, LanguageModel
from attend.memory.elman import RNN
from attend.tasks import plays
from attend.train import characters
from attend.train.characters import CONTEXT, bits, train_on_windows, train_reading_on

V = len(plays.ALPHABET)


class Table(nn.Module):
    """Logits of the next character from this one; remembers what it read."""

    def __init__(self):
        super().__init__()
        self.table, self.read = nn.Embedding(V, V), []
        nn.init.zeros_(self.table.weight)

    def forward(self, tokens, state=None):
        self.read.append((tokens, state))
        return self.table(tokens) if state is None else (self.table(tokens), state)


def test_windows_are_the_same_for_every_model_of_a_seed():
    seen = []
    for seed in (3, 3, 4):
        model = Table()
        train_on_windows(model, torch.optim.SGD(model.parameters(), lr=1.0), seed=seed, steps=4)
        seen.append(torch.cat([tokens for tokens, _ in model.read]))
    assert seen[0].shape[1] == CONTEXT
    assert torch.equal(seen[0], seen[1])
    assert not torch.equal(seen[0], seen[2])


def test_the_next_character_is_what_is_learned():
    model = Table()
    before = plays.cost(model(plays.stream("validation")[None, :-1]), plays.stream("validation")[None, 1:]).item()
    train_on_windows(model, torch.optim.Adam(model.parameters(), lr=0.3), seed=0, steps=60)
    after = plays.cost(model(plays.stream("validation")[None, :-1]), plays.stream("validation")[None, 1:]).item()
    assert before == pytest.approx(math.log(V))
    assert after < 2.7  # all counts of pairs together: about 2.45


@pytest.mark.parametrize("layer", [RNN, LSTM])
def test_the_state_is_handed_on_and_detached(layer, monkeypatch):
    torch.manual_seed(0)
    model, states = LanguageModel(layer(V, 8)), []
    forward = model.forward

    def spy(tokens, state=None):
        states.append(state)
        return forward(tokens, state)

    monkeypatch.setattr(model, "forward", spy)
    history = train_reading_on(model, torch.optim.Adam(model.parameters(), lr=0.01), steps=3, B=4, T=7)
    assert len(history.losses) == 3
    assert states[0] is None
    for state in states[1:]:
        parts = state if isinstance(state, tuple) else (state,)
        assert not any(part.requires_grad for part in parts)
        assert all(part.any() for part in parts)


def test_bits_of_a_blind_guess():
    torch.manual_seed(0)
    model = LanguageModel(RNN(V, 4))
    nn.init.zeros_(model.head.weight)
    nn.init.zeros_(model.head.bias)
    assert bits(model, "validation") == pytest.approx(math.log2(V))


def calls():
    def training(model):
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        return {"model": model, "optimiser": optimiser, "steps": 1, "label": "plays"}

    return {
        characters.train_on_windows: lambda: training(Table()) | {"seed": 0},
        characters.train_reading_on: lambda: training(LanguageModel(RNN(V, 4))) | {"B": 2, "T": 3},
        characters.bits: lambda: {"model": LanguageModel(RNN(V, 4)), "part": "validation"},
    }


def good():
    return {
        characters.train_on_windows: {"label": {"word"}, "seed": {"zero"}},
        characters.train_reading_on: {"label": {"word"}},
    }
