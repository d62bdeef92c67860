"""The whole model beside torch.nn.Transformer; with what is remembered, step by step, beside all at once."""

import pytest
import torch
from benchmarks.twin import layer_twin, norm_twin
from tests.agreement import agree
from tests.transformers.test_block import drawn
from torch import nn

from attend.memory.supervision import shift_right
from attend.soft.decode import beam, greedy
from attend.transformers.multihead import earlier
from attend.transformers.position import sinusoids
from attend.transformers.translator import POSITIONS, Transformer

B, S, T, V, D, K, F, N = 3, 5, 4, 7, 8, 2, 12, 2
VISIBLE = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]).bool()


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


SOURCE, TARGET = torch.randint(0, 9, (B, S), generator=seeded(1)), torch.randint(0, V, (B, T), generator=seeded(2))


def model(**options):
    return drawn(Transformer(9, V, D, K, F, N, generator=seeded(), **options)).eval()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("order", ["before", "after"])
def test_logits_and_gradients_are_those_of_torch(order):
    ours = model(order=order)
    options = {"dropout": 0.0, "batch_first": True, "norm_first": order == "before", "dtype": torch.float64}
    theirs = nn.Transformer(D, K, N, N, F, **options)
    layers = [*theirs.encoder.layers, *theirs.decoder.layers]
    for layer, block in zip(layers, [*ours.encoder, *ours.decoder], strict=True):
        layer.load_state_dict(layer_twin(block).state_dict())
    for norm, mine in zip((theirs.encoder.norm, theirs.decoder.norm), ours.norms, strict=True):
        norm_twin(norm, mine)
    words = ours.embed_source(SOURCE) * D**0.5 + sinusoids(S, D).double()
    told = ours.embed_target(shift_right(TARGET, 0)) * D**0.5 + sinusoids(T, D).double()
    hidden = {"src_key_padding_mask": ~VISIBLE, "memory_key_padding_mask": ~VISIBLE, "tgt_mask": ~earlier(T)}
    wanted, got = ours.readout(theirs(words, told, **hidden)), ours(SOURCE, VISIBLE, TARGET)
    agree(got, wanted, [ours.embed_source.weight, ours.embed_target.weight])


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("order", ["before", "after"])
def test_step_by_step_says_what_all_at_once_says(order, positions):
    ours = model(order=order, positions=positions)
    memory = ours.read(SOURCE, VISIBLE)
    state, said = ours.start(memory), []
    for token in shift_right(TARGET, ours.end).unbind(1):
        step = ours.step(token, state, memory)
        said.append(step.logits)
        state = step.state
        assert step.weights[~VISIBLE].abs().max() == 0
        torch.testing.assert_close(step.weights.sum(1), torch.ones(B, dtype=torch.float64))
    torch.testing.assert_close(torch.stack(said, dim=1), ours(SOURCE, VISIBLE, TARGET))


def test_a_word_knows_nothing_of_those_that_follow():
    ours, other = model(), TARGET.clone()
    other[:, 2:] = (other[:, 2:] + 1) % V
    one, two = ours(SOURCE, VISIBLE, TARGET), ours(SOURCE, VISIBLE, other)
    torch.testing.assert_close(one[:, :3], two[:, :3])
    assert not torch.allclose(one[:, 3], two[:, 3])


def test_without_places_the_order_of_the_source_is_lost():
    order = torch.tensor([4, 2, 0, 3, 1])
    for positions, same in (("none", True), ("sinusoids", False)):
        ours = model(positions=positions)
        one, two = ours(SOURCE, VISIBLE, TARGET), ours(SOURCE[:, order], VISIBLE[:, order], TARGET)
        assert torch.allclose(one, two) is same


def test_a_greedy_answer_is_the_likeliest_word_again_and_again():
    ours = model()
    written = greedy(ours, SOURCE, VISIBLE, 6)
    tokens = torch.full((B, 0), 0)
    for _ in range(6):
        following = ours(SOURCE, VISIBLE, torch.cat([tokens, torch.zeros(B, 1, dtype=torch.long)], dim=1))
        tokens = torch.cat([tokens, following[:, -1:].argmax(2)], dim=1)
    over = (tokens == ours.end).long().cumsum(1) > 0
    assert torch.equal(written.tokens, tokens.masked_fill(over, ours.end))
    wide = beam(ours, SOURCE, VISIBLE, 6, 4)
    assert bool((wide.log_probability >= written.log_probability - 1e-9).all())


@pytest.mark.parametrize(
    ("options", "says"),
    [({"N": 0}, "N: got 0"), ({"positions": "odd"}, "positions: got 'odd'"), ({"end": 9}, "end: got 9")],
)
def test_what_does_not_fit_is_refused(options, says):
    with pytest.raises(ValueError, match=says):
        Transformer(**({"source_V": 9, "target_V": 7} | options))
