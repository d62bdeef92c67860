"""With no knob turned it is the Transformer, weight for weight; every knob changes what it says and nothing else."""

import pytest
import torch

from attend.transformers import positions
from attend.transformers.ablated import AblatedTranslator, Attention, Block, sinusoids
from attend.transformers.translator import Transformer

SOURCE = torch.tensor([[3, 1, 2, 5], [4, 2, 0, 0]])
MASK = torch.tensor([[True] * 4, [True, True, False, False]])
TARGET = torch.tensor([[5, 2, 6, 1, 0], [3, 3, 0, 0, 0]])
SIZES = {"d_model": 8, "num_heads": 2, "d_ff": 12}
GIVEN = (SOURCE, MASK, TARGET)


def ablated(**knobs):
    torch.manual_seed(0)
    return AblatedTranslator(6, 7, **(SIZES | {"dropout": 0.0} | knobs))


def renamed(name):
    """The name of a weight in the Transformer."""
    side = "decoder" if name.startswith("decoder") else "encoder"
    last = "3" if side == "decoder" else "2"
    norms = {"norms.0": "norm1", "norms.1": "norm2", "norms.2": "norm3"} if last == "3" else {"norms.0": "norm1"}
    for ours, theirs in {
        **norms,
        "norms.1": "norm2",
        "feed_forward.0": "feed_forward.linear1",
        "feed_forward.2": "feed_forward.linear2",
        "position": "learned.embedding.weight",
    }.items():
        name = name.replace(ours, theirs)
    return name


@pytest.mark.parametrize("how", ["sinusoids", "learned", "none"])
def test_it_is_the_transformer(how):
    ours = ablated(positions=how).double()
    theirs = Transformer(6, 7, **SIZES, positions=how).double()
    weights = {renamed(name): value for name, value in ours.state_dict().items()}
    if how != "learned":
        weights.pop("learned.embedding.weight")
    theirs.load_state_dict(weights)
    one, other = ours(*GIVEN), theirs(*GIVEN)
    torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-5)
    for logits in (one, other):
        logits.logsumexp(2).square().sum().backward()
    for name, weight in ours.named_parameters():
        if weight.requires_grad:
            torch.testing.assert_close(weight.grad, theirs.get_parameter(renamed(name)).grad, atol=1e-5, rtol=1e-4)


def test_the_waves_are_those_of_the_course():
    torch.testing.assert_close(sinusoids(64, 32), positions.sinusoids(64, 32), atol=1e-5, rtol=1e-5)


ATTENTIONS = 6  # two in the encoder, four in the decoder


@pytest.mark.parametrize(
    ("knob", "more"),
    [
        ({"num_heads": 1}, 0),
        ({"num_heads": 8}, 0),
        ({"d_key": 3}, -ATTENTIONS * 2 * (8 + 1) * 2),
        ({"d_ff": 2}, -4 * 10 * (8 + 8 + 1)),
        ({"positions": "learned"}, 64 * 8),
        ({"positions": "none"}, 0),
        ({"residual": False}, 0),
        ({"dropout": 0.5}, 0),
    ],
)
def test_each_knob_changes_the_function_and_the_parameters_as_it_says(knob, more):
    base, changed = ablated(), ablated(**knob)
    counts = [sum(p.numel() for p in model.parameters() if p.requires_grad) for model in (base, changed)]
    assert counts[1] - counts[0] == more
    assert not torch.allclose(base(*GIVEN), changed(*GIVEN), atol=1e-3)


def test_without_positions_the_order_of_the_source_is_lost():
    order = torch.tensor([2, 0, 3, 1])
    for how, lost in (("none", True), ("sinusoids", False), ("learned", False)):
        model = ablated(positions=how).eval()
        moved = model(SOURCE[:1, order], MASK[:1], TARGET[:1])
        assert torch.allclose(model(SOURCE[:1], MASK[:1], TARGET[:1]), moved, atol=1e-5) == lost


def test_without_residuals_what_a_part_says_takes_the_place_of_x():
    torch.manual_seed(0)
    x, every = torch.randn(1, 3, 8), torch.ones(3, 3, dtype=torch.bool)
    for residual in (True, False):
        block = Block(8, 2, 4, 12, residual=residual)
        for part in (block.self_attn.out_proj, block.feed_forward[2]):
            torch.nn.init.zeros_(part.weight)
            torch.nn.init.zeros_(part.bias)
        assert torch.equal(block(x, every), x if residual else torch.zeros_like(x))


def test_padding_and_later_tokens_change_nothing():
    model = ablated().eval()
    other, later = SOURCE.clone(), TARGET.clone()
    other[~MASK], later[:, 3] = 5, 4
    before = model(*GIVEN)
    torch.testing.assert_close(model(other, MASK, TARGET), before)
    moved = (model(SOURCE, MASK, later) - before).abs().amax((0, 2))
    assert (moved[:4] < 1e-6).all()
    assert moved[4] > 1e-3


def test_heads_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="num_heads: got 3"):
        Attention(8, 3, 2)


def calls():
    sizes = {"d_model": 8, "num_heads": 2, "d_key": 3}
    every, x = torch.ones(4, 4, dtype=torch.bool), torch.ones(2, 4, 8)
    block = {"dropout": 0.1, "residual": False, "cross": True}
    return {
        Attention: sizes,
        Attention(**sizes).forward: {"x": x, "memory": torch.ones(2, 5, 8), "mask": torch.ones(4, 5).bool()},
        Block: sizes | {"d_ff": 12} | block,
        Block(8, 2, 3, 12, cross=True).forward: {
            "x": x,
            "mask": every,
            "memory": torch.ones(2, 5, 8),
            "memory_mask": torch.ones(2, 1, 1, 5, dtype=torch.bool),
        },
        sinusoids: {"T": 3, "D": 8},
        AblatedTranslator: SIZES
        | {"source_vocab": 6, "target_vocab": 7, "d_key": 2, "num_layers": 1, "dropout": 0.1, "positions": "learned"}
        | {"residual": False, "end": 1},
        ablated().forward: {"source": SOURCE, "mask": MASK, "target": TARGET},
    }


def good():
    return {AblatedTranslator: {"end": {"zero"}, "dropout": {"zero"}}, Block: {"dropout": {"zero"}}}
