"""A whole program in one listing runs in an empty file, without the package."""

import pytest
import torch
from tests.figures.test_code import lost

from attend.core.init import linear_
from attend.figures import whole
from attend.figures.whole import show_whole
from attend.transformers import heads, positions, tiny_translator
from attend.transformers.self_attention import attention


@pytest.fixture
def shown(displayed):
    return displayed(whole)


def test_the_translator_runs_where_it_is_pasted(shown):
    show_whole(
        {
            "known": (attention, linear_, heads.KVCache, heads.MultiHeadAttention),
            "positions": (positions.frequencies, positions.sinusoids),
            "new": (
                tiny_translator.FeedForward,
                tiny_translator.EncoderBlock,
                tiny_translator.DecoderBlock,
                tiny_translator.TinyTranslator,
            ),
        }
    )
    text = shown[-1].replace("```python", "").replace("```", "")
    assert "attend" not in text.split("# known")[0]
    assert "# positions" in text
    assert max(map(len, text.splitlines())) <= 76
    program, space = compile(text, "<pasted>", "exec"), {"__name__": "pasted"}
    exec(program, space)
    assert not list(lost(program, space))
    torch.manual_seed(0)
    model = space["TinyTranslator"](6, 7, 8, 2, 10, 1)
    source, mask = torch.tensor([[3, 1, 2]]), torch.ones(1, 3, dtype=torch.bool)
    torch.manual_seed(0)
    ours = tiny_translator.TinyTranslator(6, 7, 8, 2, 10, 1)
    assert torch.equal(model(source, mask, source), ours(source, mask, source))
    assert torch.equal(model.generate(source, mask, 4), ours.generate(source, mask, 4))


def test_parts_are_wanted():
    with pytest.raises(ValueError, match="parts: got"):
        show_whole({})


def calls():
    return {show_whole: {"parts": {"known": (attention,)}}}
