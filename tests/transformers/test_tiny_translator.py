"""The translator of one screen beside the package's Transformer: same state dict, same values, same gradients."""

import pytest
import torch

from attend.transformers.tiny_translator import DecoderBlock, EncoderBlock, FeedForward, TinyTranslator
from attend.transformers.translator import Transformer

SOURCE = torch.tensor([[3, 1, 2, 5], [4, 2, 0, 0]])
MASK = torch.tensor([[True] * 4, [True, True, False, False]])
TARGET = torch.tensor([[5, 2, 6, 1, 0], [3, 3, 0, 0, 0]])


@pytest.fixture
def tiny():
    torch.manual_seed(0)
    return TinyTranslator(6, 7, d_model=8, num_heads=2, d_ff=10, num_layers=3).double()


def test_it_is_the_transformer(tiny):
    general = Transformer(6, 7, 8, 2, 10, 3).double()
    general.load_state_dict(tiny.state_dict())
    ours, theirs = tiny(SOURCE, MASK, TARGET), general(SOURCE, MASK, TARGET)
    torch.testing.assert_close(ours, theirs)
    for logits in (ours, theirs):
        logits.logsumexp(2).square().sum().backward()
    for name, weight in tiny.named_parameters():
        torch.testing.assert_close(weight.grad, general.get_parameter(name).grad)


def test_it_writes_what_the_transformer_writes_with_a_cache(tiny):
    general = Transformer(6, 7, 8, 2, 10, 3).double()
    general.load_state_dict(tiny.state_dict())
    written, kept = tiny.generate(SOURCE, MASK, 6), general.generate(SOURCE, MASK, 6)
    over = (kept == 0).cumsum(1) > 1
    assert torch.equal(written.masked_fill(over, 0), kept)


def test_padding_and_later_tokens_change_nothing(tiny):
    other, later = SOURCE.clone(), TARGET.clone()
    other[~MASK], later[:, 3] = 5, 4
    before = tiny(SOURCE, MASK, TARGET)
    torch.testing.assert_close(tiny(other, MASK, TARGET), before)
    moved = (tiny(SOURCE, MASK, later) - before).abs().amax((0, 2))
    assert (moved[:4] == 0).all()
    assert moved[4] > 0


def calls():
    tiny, sizes = TinyTranslator(6, 7, 8, 2, 10, 1), {"d_model": 8, "num_heads": 2, "d_ff": 10}
    return {
        FeedForward: {"d_model": 8, "d_ff": 10},
        EncoderBlock: sizes,
        DecoderBlock: sizes,
        tiny.encoder[0].feed_forward.forward: {"x": torch.ones(2, 3, 8)},
        tiny.encoder[0].forward: {"x": torch.ones(2, 3, 8), "mask": torch.ones(2, 1, 1, 3, dtype=torch.bool)},
        tiny.decoder[0].forward: {
            "x": torch.ones(2, 4, 8),
            "memory": torch.ones(2, 3, 8),
            "causal": torch.ones(4, 4, dtype=torch.bool).tril(),
            "mask": torch.ones(2, 1, 1, 3, dtype=torch.bool),
        },
        TinyTranslator: sizes | {"source_vocab": 6, "target_vocab": 7, "num_layers": 1, "end": 1},
        tiny.forward: {"source": SOURCE, "mask": MASK, "target": TARGET},
        tiny.generate: {"source": SOURCE, "mask": MASK, "max_length": 2},
    }


def good():
    return {TinyTranslator: {"end": {"zero"}}}
