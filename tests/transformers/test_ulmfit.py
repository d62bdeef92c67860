"""AWD-LSTM is torch's LSTM but for what it drops; padding changes no verdict; rates follow the paper's formula."""

import json
import re
from pathlib import Path

import pytest
import torch
from tests.agreement import agree
from torch import nn

from attend.transformers.ulmfit import AWDLSTM, TextClassifier, WeightDropLSTM, concat_pool, locked_dropout, slanted

V, D, H, B, T = 11, 4, 6, 3, 7


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def model(**more):
    torch.manual_seed(0)
    return AWDLSTM(V, D, H, **more)


def rows():
    return torch.randint(V, (B, T)), torch.arange(T) < torch.tensor([[7], [4], [1]])


def test_with_nothing_dropped_it_is_torch_own_lstm():
    ours, theirs = WeightDropLSTM(D, H, 0.0).double(), nn.LSTM(D, H, batch_first=True).double()
    theirs.load_state_dict(ours.lstm.state_dict())
    x, state = torch.randn(B, T, D).double().requires_grad_(), tuple(torch.randn(2, 1, B, H).double())
    for past in (None, state):
        out, (h, c) = ours(x, past)
        right, (h2, c2) = theirs(x, past)
        agree(out, right, [x], atol=1e-10, rtol=1e-8)
        torch.testing.assert_close((h, c), (h2, c2))


def test_a_share_of_the_recurrent_weights_is_dropped_at_every_step_alike_and_gets_no_gradient():
    ours = WeightDropLSTM(D, H, 0.5)
    ours(torch.randn(B, T, D))[0].sum().backward()
    gone = ours.lstm.weight_hh_l0.grad == 0
    assert 0.3 < gone.float().mean() < 0.7
    assert not (ours.lstm.weight_ih_l0.grad == 0).any()


def test_what_is_kept_is_scaled_up_and_all_is_kept_when_it_is_judged():
    ours, x = WeightDropLSTM(D, H, 0.5), torch.randn(B, T, D)
    torch.manual_seed(3)
    out, _ = ours(x)
    torch.manual_seed(3)
    twin = nn.LSTM(D, H, batch_first=True)
    twin.load_state_dict(ours.lstm.state_dict())
    torch.manual_seed(3)
    twin.weight_hh_l0.data = nn.functional.dropout(ours.lstm.weight_hh_l0, 0.5).data
    torch.testing.assert_close(out, twin(x)[0])
    ours.eval()
    torch.testing.assert_close(ours(x)[0], ours.lstm(x)[0])


def test_a_locked_mask_is_the_same_at_every_step():
    x = locked_dropout(torch.ones(B, T, 50), 0.4, True)
    assert torch.equal(x, x[:, :1].expand_as(x))
    assert x.unique().tolist() == pytest.approx([0.0, 1 / 0.6])
    assert torch.equal(locked_dropout(x, 0.4, False), x)


def test_a_word_is_dropped_wherever_it_stands():
    ours = model(dropout=0.5, weight_drop=0.0)
    ours(torch.arange(V).repeat(2, 1))[0].sum().backward()
    seen = []
    for n in range(20):
        torch.manual_seed(n)
        ours.token.weight.grad = None
        ours.states(torch.arange(V).repeat(2, 1))[0].sum().backward()
        seen.append((ours.token.weight.grad == 0).all(1))
    assert 0.3 < torch.stack(seen).float().mean() < 0.7


def test_in_pieces_as_all_at_once():
    ours, (tokens, _) = model().eval(), rows()
    whole, _ = ours(tokens)
    past, parts = None, []
    for piece in tokens.split([3, 1, 3], dim=1):
        logits, past = ours(piece, past)
        parts.append(logits)
    torch.testing.assert_close(torch.cat(parts, 1), whole)


def test_the_words_are_the_weights_of_the_softmax():
    ours, (tokens, _) = model().eval(), rows()
    h, _ = ours.states(tokens)
    torch.testing.assert_close(ours(tokens)[0], h @ ours.token.weight.T + ours.bias)
    assert sum(p.numel() for p in AWDLSTM(2_000, 48, 64).parameters()) == 149_072


def test_pooling_by_hand_and_by_a_loop():
    h = torch.tensor([[[2.0, 9, 1], [3, 2, 4], [1, 1, 8], [99, 99, 99]]])
    mask = torch.tensor([[True, True, True, False]])
    torch.testing.assert_close(concat_pool(h, mask), torch.tensor([[1, 1, 8, 3, 9, 8, 2, 4, 13 / 3]]))
    h, (_, mask) = torch.randn(B, T, D), rows()
    for b, length in enumerate(mask.sum(1).tolist()):
        some = h[b, :length]
        right = torch.cat([some[-1], some.amax(0), some.mean(0)])
        torch.testing.assert_close(concat_pool(h, mask)[b], right)


def test_padding_and_neighbours_change_no_verdict():
    ours, (tokens, mask) = TextClassifier(model(), 3).eval(), rows()
    whole = ours(tokens, mask)
    torch.testing.assert_close(ours(tokens[1:2, :4], mask[1:2, :4]), whole[1:2])
    other = tokens.where(mask, (tokens + 1) % V)
    torch.testing.assert_close(ours(other, mask), whole)


def test_groups_hold_every_weight_but_the_bias_of_the_softmax_once_from_the_top_down():
    ours = TextClassifier(model())
    groups = ours.groups()
    assert groups[0] is ours.head
    assert groups[-1] is ours.encoder.token
    held = [id(p) for group in groups for p in group.parameters()]
    assert len(set(held)) == len(held)
    assert set(held) == {id(p) for p in ours.parameters()} - {id(ours.encoder.bias)}


def test_the_schedule_by_the_paper_formula():
    steps, peak, cut_frac, ratio = 50, 0.01, 0.1, 32
    cut = int(steps * cut_frac)
    for t in range(steps):
        p = t / cut if t < cut else 1 - (t - cut) / (cut * (1 / cut_frac - 1))
        assert slanted(t, steps, peak) == pytest.approx(peak * (1 + p * (ratio - 1)) / ratio)
    assert slanted(0, 100, 1.0) == pytest.approx(1 / 32)
    assert slanted(10, 100, 1.0) == 1
    assert slanted(5, 100, 1.0) == pytest.approx(0.515625)
    assert slanted(55, 100, 1.0) == pytest.approx(0.515625)
    assert slanted(100, 100, 1.0) == pytest.approx(1 / 32)


def test_what_does_not_fit_is_refused_by_name():
    _, past = model()(rows()[0])
    with pytest.raises(ValueError, match="past: got 1"):
        model()(rows()[0], past[:1])
    with pytest.raises(ValueError, match="tokens"):
        model()(torch.full((1, 2), V))
    with pytest.raises(ValueError, match="weight_drop"):
        WeightDropLSTM(3, 4, 1.5)


def test_the_listing_of_the_page_runs_alone():
    page = Path(__file__).parents[2] / "chapters/transformers/ulmfit.ipynb"
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    [shown] = [one for one in cells if one["cell_type"] == "code" and "".join(one["source"]).startswith("show_whole")]
    text = "".join("".join(out["data"]["text/markdown"]) for out in shown["outputs"])
    text = text.partition("```python\n")[2].partition("```")[0]
    assert not re.search(r"^(from|import) attend", text, re.M)
    assert max(map(len, text.splitlines())) <= 76
    space = {"__name__": "pasted"}
    exec(compile(text, "<pasted>", "exec"), space)
    theirs, ours, (tokens, mask) = space["TextClassifier"](space["AWDLSTM"](V, D, H)), TextClassifier(model()), rows()
    theirs.load_state_dict(ours.state_dict())
    torch.testing.assert_close(theirs.eval()(tokens, mask), ours.eval()(tokens, mask))
    assert space["slanted"](7, 100, 0.01) == slanted(7, 100, 0.01)


def calls():
    """A valid call of each public function: the house tests break every argument of it."""
    tokens, mask = rows()
    return {
        WeightDropLSTM: {"input_size": 3, "hidden_size": 4, "weight_drop": 0.5},
        AWDLSTM: {
            "vocab_size": V,
            "d_model": D,
            "hidden_size": H,
            "num_layers": 2,
            "dropout": 0.1,
            "weight_drop": 0.5,
        },
        TextClassifier: {"encoder": model(), "classes": 2, "width": 5, "dropout": 0.1},
        locked_dropout: {"x": torch.randn(B, T, D), "p": 0.5, "training": True},
        concat_pool: {"h": torch.randn(B, T, D), "mask": mask},
        slanted: {"step": 3, "steps": 20, "peak": 0.01, "cut": 0.1, "ratio": 32.0},
        WeightDropLSTM(D, H).forward: {"x": torch.randn(B, T, D)},
        model().states: {"tokens": tokens},
        model().forward: {"tokens": tokens},
        TextClassifier(model()).eval().forward: {"tokens": tokens, "mask": mask},
    }


def good():
    """The first step is step 0."""
    return {slanted: {"step": {"zero"}}}
