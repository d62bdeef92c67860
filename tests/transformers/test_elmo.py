"""Two language models: as torch's own bidirectional LSTM; no half sees the other side, and nobody sees padding."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attend.transformers.elmo import BiLM, ScalarMix

V, D, B, T = 9, 4, 3, 7


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def rows():
    mask = torch.arange(T) < torch.tensor([[7], [4], [2]])
    return torch.randint(V, (B, T)), mask


def test_one_layer_is_torch_own_bidirectional_lstm():
    model, (tokens, mask) = BiLM(V, D, 1, V).eval(), rows()
    both = nn.LSTM(D, D, batch_first=True, bidirectional=True)
    for ours, end in ((model.ahead[0], ""), (model.back[0], "_reverse")):
        for name, value in ours.named_parameters():
            getattr(both, name + end).data.copy_(value)
    packed = nn.utils.rnn.pack_padded_sequence(model.token(tokens), mask.sum(1), batch_first=True, enforce_sorted=False)
    wanted, _ = nn.utils.rnn.pad_packed_sequence(both(packed)[0], batch_first=True)
    torch.testing.assert_close(model(tokens, mask)[1][mask], wanted[mask])


def test_the_lowest_layer_is_the_word_twice():
    model, (tokens, mask) = BiLM(V, D, 2, V).eval(), rows()
    torch.testing.assert_close(model(tokens, mask)[0], model.token(tokens).repeat(1, 1, 2))


def test_each_half_sees_one_side():
    model, (tokens, mask) = BiLM(V, D, 2, V).eval(), rows()
    other = tokens.clone()
    other[0, 3] = (other[0, 3] + 1) % V
    moved = (model(tokens, mask) - model(other, mask))[1:, 0].abs().amax(0) > 0  # (T, 2 D)
    ahead, back = moved[:, :D].any(1), moved[:, D:].any(1)
    assert ahead.tolist() == [False] * 3 + [True] * 4
    assert back.tolist() == [True] * 4 + [False] * 3


def test_torch_own_two_layers_see_both_sides():
    both = nn.LSTM(D, D, num_layers=2, batch_first=True, bidirectional=True)
    x = torch.randn(1, T, D)
    other = x.clone()
    other[:, 4] += 1
    moved = (both(x)[0] - both(other)[0])[0].abs() > 0
    assert moved[3, :D].any()  # the half that reads ahead knows the step after it


def test_padding_changes_nothing():
    model, (tokens, mask) = BiLM(V, D, 2, V).eval(), rows()
    alone = model(tokens[1:2, :4], mask[1:2, :4])[:, 0]
    torch.testing.assert_close(model(tokens, mask)[:, 1, :4], alone)


def test_the_loss_by_a_loop():
    model, (tokens, mask) = BiLM(V, D, 2, 6).eval(), rows()
    top = model(tokens, mask)[-1]
    found = {"after": [], "before": []}
    rare = lambda token: token if token < 6 else torch.tensor(0)  # noqa: E731
    for b, length in enumerate(mask.sum(1)):
        for t in range(length - 1):
            found["after"].append(cross_entropy(model.logits(top[b, t, :D]), rare(tokens[b, t + 1])))
            found["before"].append(cross_entropy(model.logits(top[b, t + 1, D:]), rare(tokens[b, t])))
    wanted = sum(torch.stack(side).mean() for side in found.values()) / 2
    torch.testing.assert_close(model.loss(tokens, mask), wanted)


def test_the_mix_by_hand():
    mix = ScalarMix(3)
    layers = torch.tensor([[[[2.0, 0.0]]], [[[0.0, 4.0]]], [[[8.0, 0.0]]]])
    torch.testing.assert_close(mix(layers), layers.mean(0))
    mix.scores.data, mix.gamma.data = torch.tensor([1.0, 2.0, 1.0]).log(), torch.tensor(2.0)
    torch.testing.assert_close(mix(layers), torch.tensor([[[5.0, 4.0]]]))


def calls():
    tokens, mask = torch.zeros(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.bool)
    return {
        BiLM: {"vocab_size": 5, "d_model": 4, "num_layers": 2, "num_targets": 3, "dropout": 0.1},
        BiLM(5, 4, 2, 3).forward: {"tokens": tokens, "mask": mask},
        BiLM(5, 4, 2, 3).loss: {"tokens": tokens, "mask": mask},
        ScalarMix: {"num_layers": 3},
        ScalarMix(3).forward: {"layers": torch.ones(3, 2, 5, 4)},
    }


def good():
    return {ScalarMix(3).forward: {"layers": {"rank", "width"}}}
