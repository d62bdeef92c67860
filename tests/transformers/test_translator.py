"""The whole model beside torch.nn.Transformer; with what is remembered, step by step, beside all at once."""

import pytest
import torch
from benchmarks.twin import layer_twin
from tests.agreement import agree
from tests.transformers.test_blocks import drawn
from torch import nn

from attend.memory.supervision import shift_right
from attend.soft.decode import beam_search, greedy
from attend.transformers.positions import sinusoids
from attend.transformers.self_attention import causal_mask
from attend.transformers.translator import POSITIONS, Transformer

B, S, T, V, D, HEADS, FF, LAYERS = 3, 5, 4, 7, 8, 2, 12, 2
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]).bool()


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


SOURCE, TARGET = torch.randint(0, 9, (B, S), generator=seeded(1)), torch.randint(0, V, (B, T), generator=seeded(2))


def model(**options):
    return drawn(Transformer(9, V, D, HEADS, FF, LAYERS, generator=seeded(), **options)).eval()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_logits_and_gradients_are_those_of_torch(norm):
    ours = model(norm=norm)
    options = {"dropout": 0.0, "batch_first": True, "norm_first": norm == "pre", "dtype": torch.float64}
    theirs = nn.Transformer(D, HEADS, LAYERS, LAYERS, FF, **options)
    layers = [*theirs.encoder.layers, *theirs.decoder.layers]
    for layer, block in zip(layers, [*ours.encoder, *ours.decoder], strict=True):
        layer.load_state_dict(layer_twin(block).state_dict())
    theirs.encoder.norm.load_state_dict(ours.encoder_norm.state_dict())
    theirs.decoder.norm.load_state_dict(ours.decoder_norm.state_dict())
    words = ours.source_embedding(SOURCE) * D**0.5 + sinusoids(S, D).double()
    told = ours.target_embedding(shift_right(TARGET, 0)) * D**0.5 + sinusoids(T, D).double()
    hidden = {"src_key_padding_mask": ~MASK, "memory_key_padding_mask": ~MASK, "tgt_mask": ~causal_mask(T)}
    wanted, got = ours.output(theirs(words, told, **hidden)), ours(SOURCE, MASK, TARGET)
    agree(got, wanted, [ours.source_embedding.weight, ours.target_embedding.weight])


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_step_by_step_says_what_all_at_once_says(norm, positions):
    ours = model(norm=norm, positions=positions)
    memory = ours.read(SOURCE, MASK)
    state, said = ours.start(memory), []
    for token in shift_right(TARGET, ours.end).unbind(1):
        step = ours.step(token, state, memory)
        said.append(step.logits)
        state = step.state
    torch.testing.assert_close(torch.stack(said, dim=1), ours(SOURCE, MASK, TARGET))


def test_a_word_knows_nothing_of_those_that_follow():
    ours, other = model(), TARGET.clone()
    other[:, 2:] = (other[:, 2:] + 1) % V
    one, two = ours(SOURCE, MASK, TARGET), ours(SOURCE, MASK, other)
    torch.testing.assert_close(one[:, :3], two[:, :3])
    assert not torch.allclose(one[:, 3], two[:, 3])


def test_without_places_the_order_of_the_source_is_lost():
    order = torch.tensor([4, 2, 0, 3, 1])
    for positions, same in (("none", True), ("sinusoids", False)):
        ours = model(positions=positions)
        one, two = ours(SOURCE, MASK, TARGET), ours(SOURCE[:, order], MASK[:, order], TARGET)
        assert torch.allclose(one, two) is same


def test_a_greedy_answer_is_the_likeliest_word_again_and_again():
    ours = model()
    written = greedy(ours, SOURCE, MASK, 6)
    tokens = torch.full((B, 0), 0)
    for _ in range(6):
        following = ours(SOURCE, MASK, torch.cat([tokens, torch.zeros(B, 1, dtype=torch.long)], dim=1))
        tokens = torch.cat([tokens, following[:, -1:].argmax(2)], dim=1)
    over = (tokens == ours.end).long().cumsum(1) > 0
    assert torch.equal(written.tokens, tokens.masked_fill(over, ours.end))
    assert torch.equal(ours.generate(SOURCE, MASK, 6), written.tokens)
    wide = beam_search(ours, SOURCE, MASK, 6, 4)
    assert bool((wide.log_probs >= written.log_probs - 1e-9).all())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"num_layers": 0}, "num_layers: got 0"),
        ({"positions": "odd"}, "positions: got 'odd'"),
        ({"end": 9}, "end: got 9"),
    ],
)
def test_what_does_not_fit_is_refused(options, says):
    with pytest.raises(ValueError, match=says):
        Transformer(**({"source_vocab": 9, "target_vocab": 7} | options))


def calls():
    DRAW = {"generator": torch.Generator()}
    SIZES = {"d_model": 4, "num_heads": 2, "d_ff": 3, "dropout": 0.1, "norm": "post", **DRAW}
    MODEL = Transformer(5, 4, 4, 2, 3, 1)
    TOKENS = torch.tensor([[1, 2], [3, 3]])
    GIVEN = {"source": TOKENS, "mask": TOKENS > 0}
    return {
        Transformer: {
            "source_vocab": 5,
            "target_vocab": 4,
            "num_layers": 1,
            "positions": "learned",
            "max_length": 6,
            "end": 1,
            **SIZES,
        },
        MODEL.encode: GIVEN,
        MODEL.decode: {"tokens": TOKENS, "memory": torch.ones(2, 2, 4), "mask": TOKENS > 0},
        MODEL.forward: {**GIVEN, "target": TOKENS},
        MODEL.read: GIVEN,
        MODEL.generate: {**GIVEN, "max_length": 3},
    }


def good():
    ZERO = {"dropout": {"zero"}}
    return {
        Transformer: {**ZERO, "end": {"zero"}},
    }
