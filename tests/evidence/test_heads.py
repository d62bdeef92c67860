"""What page heads measures is what its sentences are about; who was taught nothing knows none of what is asked."""

import pytest
import torch

from attend.evidence import heads
from attend.recipes.attention_only import build
from attend.recipes.heads import HeadsRecipe
from attend.tasks import repeats
from attend.transformers.attention_only import AttentionOnly
from attend.transformers.tiny_transformer import TinyTransformer


@pytest.fixture(autouse=True)
def untaught(monkeypatch):
    monkeypatch.setattr(HeadsRecipe, "train", lambda recipe: (recipe.build(), None))


@pytest.mark.parametrize("claim", [heads.two, heads.several], ids=["two", "several"])
def test_an_untaught_reader_gets_nothing_whole(claim):
    assert all(0 <= share < 0.1 for share in claim(0).values())


class Looking(torch.nn.Module):
    """A model without layers whose two heads look at the token before, and at what came next last time."""

    def forward(self, tokens):
        (B, T), rows = tokens.shape, torch.arange(len(tokens))[:, None]
        weights, t = torch.zeros(B, 1, 2, T, T), torch.arange(T)
        weights[:, 0, 0, t, (t - 1).clamp(0)] = 1
        weights[rows, 0, 1, t, repeats.before(tokens) + 1] = 1
        return None, weights


def test_roles_are_told_apart():
    back, next_time = heads.roles(Looking(), 50)
    assert back.shape == next_time.shape == (1, 2)
    assert back[0, 0] == 1
    assert next_time[0, 1] == 1
    assert back[0, 1] < 0.5
    assert next_time[0, 0] < 0.5


def test_what_a_layer_does_not_use_may_be_hidden_from_it():
    model = build("two layers", 0)
    model.output.weight.data[:, :26] += 10 * torch.eye(26)  # not all is guessing
    free = heads.hidden_from(model, 0, "the token before", 50)
    for layer in model.layers:
        layer.out_proj.weight.data.zero_()
    shut = {heads.hidden_from(model, n, what, 50) for n in (0, 1) for what in ("the token before", "what came next")}
    assert len(shut) == 1
    assert 0 <= free <= 1


def test_who_is_blind_to_the_word_does_not_change_with_it():
    made = heads.unseen()
    torch.manual_seed(0)
    model = AttentionOnly(35, 8, 2, num_layers=2, context=12, causal=False)
    assert heads.blinded(model, made, ()) == heads.understood(model, made)
    assert 0 <= heads.blinded(model, made, ("it", "referent", "other")) <= 1


def test_a_model_without_heads_knows_what_its_character_says():
    torch.manual_seed(0)
    model = TinyTransformer(63, 8, 2, num_layers=2)
    every = [(layer, head) for layer in range(2) for head in range(2)]
    headless = heads.beheaded(model, every)
    tokens = torch.randint(63, (1, 9))
    other = tokens.clone()
    other[0, 3] = (other[0, 3] + 1) % 63
    assert torch.equal(headless(tokens)[0, 4:], headless(other)[0, 4:])
    assert not torch.equal(model(tokens)[0, 4:], model(other)[0, 4:])
    assert heads.nats(model, "validation", 3) > 3
