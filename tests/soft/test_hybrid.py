"""Hybrid attention beside plain sums over places, padding that changes nothing, the window, and what is refused."""

import pytest
import torch
from tests.agreement import agree

from attend.soft.hybrid import HybridAttention, Recogniser

B, T, S, H, K, A = 2, 9, 7, 4, 6, 5


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def attention(**more):
    torch.manual_seed(0)
    return HybridAttention(H, K, A, filters=3, width=5, **more).double()


def given():
    mask = torch.arange(S) < torch.tensor([[S], [4]])
    return {
        "state": draw(B, H),
        "h": draw(B, S, K, seed=1),
        "mask": mask,
        "last": draw(B, S, seed=2).masked_fill(~mask, -torch.inf).softmax(1),
    }


def recogniser():
    torch.manual_seed(0)
    return Recogniser(HybridAttention(8, 8, A, filters=3, width=5), bands=3, tokens=4, encoder_size=4).eval()


def speech(dtype=torch.float32):
    mask = torch.arange(T) < torch.tensor([[T], [6]])
    return draw(B, T, 3, dtype=dtype), mask


def calls():
    x, mask = speech()
    inputs = {name: value.float() if value.is_floating_point() else value for name, value in given().items()}
    return {
        HybridAttention: {"state_size": 4, "key_size": 6, "hidden_size": 5, "filters": 3, "width": 5},
        attention().float().forward: inputs | {"reach": 2},
        Recogniser: {"attention": HybridAttention(8, 8), "encoder_size": 4},
        recogniser().forward: {"x": x, "mask": mask, "target": torch.tensor([[2, 1, 0], [3, 0, 0]])},
    }


def by_hand(model, state, h, mask, last):
    """The score of one place after the other, by the formula."""
    filters, rows = model.convolve.weight[:, 0], []
    for b in range(B):
        scores = []
        for j in range(int(mask[b].sum())):
            hidden = model.query_proj(state[b])
            if model.content:
                hidden = hidden + model.key_proj.weight @ h[b, j]
            if model.location:
                near = [last[b, j + r - 2] if 0 <= j + r - 2 < S else last.new_zeros(()) for r in range(5)]
                hidden = hidden + model.place_proj.weight @ (filters @ torch.stack(near))
            scores.append(model.score.weight[0] @ torch.tanh(hidden))
        rows.append(torch.nn.functional.pad(torch.stack(scores).softmax(0), (0, S - len(scores))))
    return torch.stack(rows)


def test_same_as_the_formula_place_by_place_in_values_and_gradients():
    model, inputs = attention(), given()
    agree(model(**inputs), by_hand(model, **inputs), tuple(model.parameters()))


def test_content_alone_does_not_see_the_last_weights_and_location_alone_does_not_see_the_frames():
    inputs = given()
    elsewhere, other = inputs | {"last": inputs["last"].flip(1)}, inputs | {"h": inputs["h"] + 1}
    content, location = attention(location=False), attention(content=False)
    assert torch.equal(content(**inputs), content(**elsewhere))
    assert torch.equal(location(**inputs), location(**other))
    assert not torch.allclose(attention()(**inputs), attention()(**elsewhere))
    assert not torch.allclose(attention()(**inputs), attention()(**other))


def test_two_places_that_sound_alike_get_like_weights_only_where_the_last_weights_are_alike_too():
    inputs = given() | {"mask": torch.ones(B, S, dtype=torch.bool)}
    inputs["h"][:, 4] = inputs["h"][:, 1]
    alone = attention(location=False)(**inputs)
    torch.testing.assert_close(alone[:, 4], alone[:, 1])
    assert not torch.isclose(*attention()(**inputs)[:, [1, 4]].unbind(1)).any()


def test_the_window_leaves_what_is_near_the_median_of_the_last_weights():
    inputs = given() | {"mask": torch.ones(B, S, dtype=torch.bool)}
    inputs["last"] = torch.tensor([[0.3, 0.1, 0.2, 0.0, 0.0, 0.1, 0.3], [0, 0, 0, 0, 0, 0.4, 0.6]]).double()
    weights = attention()(**inputs, reach=1)
    assert (weights > 0).tolist() == [[False, True, True, True, False, False, False], [False] * 5 + [True] * 2]
    torch.testing.assert_close(weights.sum(1), torch.ones(B).double())
    torch.testing.assert_close(attention()(**inputs, reach=S), attention()(**inputs))


def test_what_stands_behind_a_recording_changes_nothing():
    model, (x, mask) = recogniser(), speech()
    target = torch.tensor([[2, 1, 0], [3, 0, 0]])
    both = model(x, mask, target)
    alone = model(x[1:, :6], mask[1:, :6], target[1:])
    torch.testing.assert_close(both[0][1:], alone[0])
    torch.testing.assert_close(both[1][1:, :, :5], alone[1])


def test_greedy_decoding_writes_the_likeliest_token_and_stops_at_the_end():
    model, (x, mask) = recogniser(), speech()
    free, _ = model(x, mask, most=6)
    forced, _ = model(x, mask, free.argmax(2))
    torch.testing.assert_close(free, forced)
    model.readout.bias.data[0] = 100.0
    assert model(x, mask, most=6)[0].shape == (B, 1, 4)


def test_the_first_weights_stand_on_the_first_place():
    state, last = recogniser().start(torch.zeros(2, 5, 8))
    assert last.tolist() == [[1, 0, 0, 0, 0]] * 2
    assert state.shape == (2, 8)
    assert not state.any()


@pytest.mark.parametrize(
    ("changed", "says"),
    [({"width": 4}, "width: got 4"), ({"content": False, "location": False}, "location: got False")],
)
def test_an_attention_that_cannot_be_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        HybridAttention(4, 6, **changed)
