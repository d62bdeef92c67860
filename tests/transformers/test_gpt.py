"""GPT agrees with the tiny Transformer, and with its own cache; sampling keeps what it says."""

import json
import re
from pathlib import Path

import pytest
import torch
from tests.agreement import agree

from attend.transformers.gpt import GPT, Classifier, GPTBlock, RotaryAttention, generate, next_probs
from attend.transformers.positioned import PositionedAttention
from attend.transformers.self_attention import causal_mask

V, D, HEADS, T = 11, 12, 3, 7


def model(**more):
    torch.manual_seed(0)
    return GPT(V, D, HEADS, num_layers=2, context=16, **more)


def draw(*shape, seed=0):
    return torch.randint(V, shape, generator=torch.Generator().manual_seed(seed))


def calls():
    """A valid call of each public function: the house tests break every argument of it."""
    return {
        RotaryAttention: {"d_model": D, "num_heads": HEADS},
        GPTBlock: {"d_model": D, "num_heads": HEADS, "dropout": 0.1},
        GPT: {"vocab_size": V, "d_model": D, "num_heads": HEADS, "num_layers": 1, "context": 8, "dropout": 0.1},
        model().states: {"tokens": draw(2, T)},
        next_probs: {"logits": torch.randn(3, V), "temperature": 0.8, "top_k": 4, "top_p": 0.9},
        generate: {"model": model(), "tokens": draw(2, 3), "steps": 2, "temperature": 0.8, "top_k": 3, "top_p": 0.9},
        Classifier: {"gpt": model(), "classes": 3},
        GPTBlock(D, HEADS).forward: {"x": torch.randn(2, T, D)},
        model().forward: {"tokens": draw(2, T)},
        Classifier(model()).forward: {"tokens": draw(2, T), "last": torch.tensor([1, 3])},
    }


def good():
    """Logits may stand in any arrangement."""
    return {next_probs: {"logits": {"rank"}}}


def test_a_block_is_rotary_attention_and_a_feed_forward_network_as_on_the_page_on_positions():
    torch.manual_seed(1)
    ours, other = GPTBlock(D, HEADS).double(), PositionedAttention(D, HEADS, "rope").double()
    attn = ours.self_attn
    for bias in (attn.q_proj.bias, attn.k_proj.bias, attn.v_proj.bias, attn.out_proj.bias):
        torch.nn.init.normal_(bias)
    projections = (attn.q_proj, attn.k_proj, attn.v_proj)
    with torch.no_grad():
        other.qkv.weight.copy_(torch.cat([one.weight for one in projections]))
        other.qkv.bias.copy_(torch.cat([one.bias for one in projections]))
        other.out.load_state_dict(attn.out_proj.state_dict())
    x = torch.randn(2, T, D, dtype=torch.float64, requires_grad=True)
    read = x + other(ours.norm1(x))
    agree(ours(x)[0], read + ours.feed_forward(ours.norm2(read)), [x, ours.norm1.weight], atol=1e-10, rtol=1e-8)


def test_scores_depend_on_distance_alone():
    torch.manual_seed(2)
    attn, x = RotaryAttention(D, HEADS), torch.randn(1, 3, D)
    far = torch.cat([torch.randn(1, 4, D), x], dim=1)
    mask = torch.ones(3, 7, dtype=torch.bool).tril(4)
    mask[:, :4] = False
    near, _ = attn.attend(x, attn.keys_values(x), causal_mask(3))
    torch.testing.assert_close(attn.attend(x, attn.keys_values(far), mask)[0], near, atol=1e-6, rtol=1e-4)


def test_with_a_cache_token_by_token_or_in_pieces_as_all_at_once():
    ours, tokens = model().eval(), draw(3, T)
    whole, caches = ours(tokens)
    for sizes in ([1] * T, [2, 4, 1], [T]):
        past, logits = None, []
        for new in tokens.split(sizes, dim=1):
            some, past = ours(new, past)
            logits.append(some)
        torch.testing.assert_close(torch.cat(logits, dim=1), whole, atol=1e-5, rtol=1e-4)
        for one, two in zip(past, caches, strict=True):
            torch.testing.assert_close(one.key, two.key, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_generation_with_the_cache_is_generation_without():
    ours, tokens = model().eval(), draw(2, 4)
    got = generate(ours, tokens, 9, 0.9, 5, 0.8, torch.Generator().manual_seed(1))
    generator, slow = torch.Generator().manual_seed(1), tokens
    for _ in range(9):
        probs = next_probs(ours(slow)[0][:, -1], 0.9, 5, 0.8)
        slow = torch.cat([slow, torch.multinomial(probs, 1, generator=generator)], dim=1)
    assert torch.equal(got, slow)


def test_no_position_sees_a_later_one():
    ours, tokens = model().eval(), draw(1, T)
    changed = tokens.clone()
    changed[0, 4] = (tokens[0, 4] + 1) % V
    moved = (ours(changed)[0] != ours(tokens)[0])[0].any(-1)
    assert moved.tolist() == [False] * 4 + [True] * 3


def test_temperature_top_k_and_top_p():
    logits = torch.tensor([0.5, 0.25, 0.15, 0.1]).log()[None].double()

    def near(found, right):
        torch.testing.assert_close(found[0], torch.tensor(right).double(), atol=1e-6, rtol=0)

    near(next_probs(logits), [0.5, 0.25, 0.15, 0.1])
    near(next_probs(logits, 0.5), [x / 0.345 for x in (0.25, 0.0625, 0.0225, 0.01)])
    near(next_probs(logits, top_k=2), [2 / 3, 1 / 3, 0, 0])
    near(next_probs(logits, top_k=99), [0.5, 0.25, 0.15, 0.1])
    near(next_probs(logits, top_p=0.6), [2 / 3, 1 / 3, 0, 0])
    near(next_probs(logits, top_p=1e-9), [1, 0, 0, 0])
    near(next_probs(logits, top_p=0.0), [1, 0, 0, 0])
    near(next_probs(logits, top_k=3, top_p=0.8), [2 / 3, 1 / 3, 0, 0])
    near(next_probs(logits[:, [3, 0, 2, 1]], top_p=0.6), [0, 2 / 3, 0, 1 / 3])
    assert next_probs(torch.randn(2, 3, V)).shape == (2, 3, V)


def test_the_classifier_reads_the_state_of_the_token_asked_for_and_no_later_one():
    made = Classifier(model().eval(), 3)
    torch.nn.init.normal_(made.head.weight)
    tokens, last = draw(2, T), torch.tensor([2, 5])
    classes, x = made(tokens, last)
    changed = tokens.clone()
    changed[0, 3:] = 0
    torch.testing.assert_close(made(changed, last)[0], classes)
    changed[0, 2] = (tokens[0, 2] + 1) % V
    assert not torch.allclose(made(changed, last)[0][0], classes[0])
    torch.testing.assert_close(x @ made.gpt.token.weight.T, made.gpt(tokens)[0])


def test_what_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="tokens"):
        model()(draw(1, 17))
    _, past = model()(draw(1, 16))
    with pytest.raises(ValueError, match="context = 16"):
        model()(draw(1, 1), past)
    with pytest.raises(ValueError, match="tokens"):
        model()(torch.full((1, 3), V))
    with pytest.raises(ValueError, match="num_heads: got 5"):
        GPT(V, D, 5)
    with pytest.raises(ValueError, match="top_p"):
        next_probs(torch.zeros(1, V), top_p=-0.1)


def test_the_five_parts_of_the_page_run_alone_one_below_the_other():
    page = Path(__file__).parents[2] / "chapters/transformers/gpt.ipynb"
    parts = []
    for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        shown = [source] if cell["cell_type"] == "markdown" and "import pad, scaled" in source else []
        if cell["cell_type"] == "code" and source.startswith(("show_whole", "show_source")):
            shown = ["".join(out.get("data", {}).get("text/markdown", "")) for out in cell["outputs"]]
        parts += [one.partition("```")[0] for text in shown for one in text.split("```python")[1:]]
    text = "\n".join(parts)
    assert not re.search(r"^(from|import) attend", text, re.M)
    assert max(map(len, text.splitlines())) <= 76
    space = {"__name__": "pasted"}
    exec(compile(text, "<pasted>", "exec"), space)
    theirs, ours = space["GPT"](V, D, HEADS, 2, 16).eval(), model().eval()
    theirs.load_state_dict(ours.state_dict())
    tokens = draw(2, T)
    torch.testing.assert_close(theirs(tokens)[0], ours(tokens)[0])
    for write, gpt in ((space["generate"], theirs), (generate, ours)):
        torch.manual_seed(3)
        found = write(gpt, tokens, 5, top_k=4, top_p=0.0)
        assert torch.equal(found[:, :T], tokens)
    assert space["Classifier"](theirs)(tokens, torch.tensor([1, 3]))[0].shape == (2, 2)
    with pytest.raises(ValueError, match="expected at most context = 16"):
        theirs(draw(1, 17))
    assert space["BytePairs"](space["learn"]("low low", 258)).encode("low") == [257]
