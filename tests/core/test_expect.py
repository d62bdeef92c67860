"""Bad input is refused by name: what came, what was expected."""

from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError, replace
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pytest
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch._subclasses import FakeTensorMode

from attend.core.expect import checked, expect, finite, recipe
from attend.core.types import Mask, MayBeEmpty, Positive, Tokens


@checked
def read(
    x: Float[Tensor, "B T D"],
    h: Float[Tensor, "B H"] | None = None,
    mask: Bool[Tensor, "B T"] | None = None,
    steps: int = 1,
    rate: float = 0.1,
    words: Int[Tensor, "..."] | None = None,
) -> Float[Tensor, "B T D"]:
    """A function with one argument of each kind."""
    return x


X = torch.zeros(2, 3, 4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"x": torch.zeros(2, 3)},
            r"x: got a float32 tensor of shape \(2, 3\), expected a Float tensor of shape \(B, T, D\)",
        ),
        ({"x": X.long()}, r"x: got a int64 tensor"),
        ({"x": [1.0]}, r"x: got \[1\.0\] \(list\), expected a Float tensor"),
        (
            {"x": X, "h": torch.zeros(3, 5)},
            r"h: got .* \(3, 5\), expected a Float tensor of shape \(B, H\) with B = 2 or None",
        ),
        ({"x": X, "mask": torch.ones(2, 4, dtype=torch.bool)}, r"mask: got .* with B = 2, T = 3"),
        ({"x": X, "mask": torch.ones(2, 3)}, r"mask: got a float32 tensor"),
        ({"x": X, "steps": 2.0}, r"steps: got 2\.0 \(float\), expected a value of type int"),
        ({"x": X, "steps": True}, r"steps: got True \(bool\)"),
        ({"x": X, "rate": "fast"}, r"rate: got 'fast' \(str\), expected a value of type float"),
        ({"x": X, "words": X}, r"words: got a float32 tensor"),
    ],
)
def test_the_message_names_argument_given_and_expected(given, message):
    with pytest.raises(ValueError, match="^" + message):
        read(**given)


def test_what_fits_passes():
    everything = {"h": torch.zeros(2, 5), "mask": torch.ones(2, 3, dtype=torch.bool), "steps": 3, "rate": 1}
    assert read(X, words=torch.zeros(1, 1, 1, dtype=torch.long), **everything) is X


def test_numbers_of_numpy_are_numbers():
    read(X, steps=np.int64(2), rate=np.float32(0.5))
    with pytest.raises(ValueError, match="steps: got"):
        read(X, steps=np.float64(2.5))


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (
            torch.zeros(2, 0, 4),
            r"x: got a float32 tensor of shape \(2, 0, 4\), expected a tensor with at least one value",
        ),
        (X + float("inf"), r"x: got 24 non-finite values"),
    ],
)
def test_empty_and_non_finite_tensors_are_refused(x, message):
    with pytest.raises(ValueError, match=message):
        read(x)


def test_a_type_may_let_in_what_is_empty():
    @checked
    def join(tokens: Annotated[Int[Tensor, "L"], MayBeEmpty], x: Float[Tensor, "T"]) -> int:
        return len(tokens) + len(x)

    none = torch.zeros(0, dtype=torch.long)
    assert join(none, torch.zeros(2)) == 2
    with pytest.raises(ValueError, match=r"x: got a .*at least one value"):
        join(none, torch.zeros(0))
    with pytest.raises(ValueError, match=r"tokens: got a .*Int tensor"):
        join(torch.zeros(0), torch.zeros(2))


def test_non_finite_values_may_be_let_in_by_name():
    @checked(may_be_nonfinite=("scores",))
    def mask(scores: Float[Tensor, "T"], x: Float[Tensor, "T"]) -> Tensor:
        return scores + x

    minus = torch.tensor([0.0, -float("inf")])
    assert mask(minus, torch.zeros(2))[1] == -float("inf")
    with pytest.raises(ValueError, match="x: got 1 non-finite"):
        mask(minus, minus)


def test_a_missing_argument_stays_pythons_own_error():
    with pytest.raises(TypeError, match="'x'"):
        read()


@checked
def told(name: str, times: int = 2) -> str:
    return name * times


def test_a_function_of_plain_values_is_checked_as_any_other():
    assert told("a") == told("a", 2) == told(times=2, name="a") == told("a", np.int64(2)) == "aa"
    with pytest.raises(ValueError, match=r"name: got 1 \(int\)"):
        told(1)
    for times in (True, 1.5, "2"):
        with pytest.raises(ValueError, match="times: got"):
            told("a", times)
    with pytest.raises(TypeError, match="too many"):
        told("a", 1, 2)


@pytest.mark.parametrize("at", range(9))
def test_every_item_is_looked_at(at):
    @checked
    def take(sizes: Sequence[int], named: Mapping[str, Sequence[float]] | None = None) -> None:
        """A function that takes many numbers."""

    good = [1] * 9
    take(good, {"a": [1.0, 2]})
    bad = [*good[:at], 2.5, *good[at + 1 :]]
    with pytest.raises(ValueError, match="sizes: got"):
        take(bad)
    with pytest.raises(ValueError, match="named: got"):
        take(good, {"a": [0.5], "b": [*bad, "x"]})


def test_letters_are_bound_within_one_call_only():
    read(X)
    read(torch.zeros(5, 1, 1))


def test_expect_and_finite():
    expect(True, "n", 1, "anything")
    with pytest.raises(ValueError, match=r"^n: got -1 \(int\), expected a positive whole number"):
        expect(False, "n", -1, "a positive whole number")
    finite("x", X)
    bad = X.clone()
    bad[1, 2, 0], bad[1, 2, 3] = float("nan"), float("inf")
    with pytest.raises(
        ValueError, match=r"x: got 2 non-finite values \(the first at \(1, 2, 0\)\), expected finite numbers"
    ):
        finite("x", bad)


def test_a_long_value_is_cut():
    with pytest.raises(ValueError, match="…") as caught:
        read("a" * 500)
    assert len(str(caught.value)) < 200


def test_a_sum_too_large_for_its_type_is_no_reason_to_refuse():
    finite("x", torch.full((4,), 3e38))
    finite("x", torch.full((9,), 6e4, dtype=torch.float16))


def test_infinities_that_cancel_are_refused():
    with pytest.raises(ValueError, match=r"x: got 2 non-finite values \(the first at \(0,\)\)"):
        finite("x", torch.tensor([torch.inf, 1.0, -torch.inf]))


class State(NamedTuple):
    """A state of two parts."""

    h: Float[Tensor, "B H"]
    c: Float[Tensor, "B H"]


class Deep(NamedTuple):
    """A state within a state."""

    inner: State
    mask: Bool[Tensor, "B"] | None = None


@checked
def plain(x: Float[Tensor, "B D"], state: tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]] | None = None) -> None:
    """A function with a state as a tuple."""


@checked
def named(x: Float[Tensor, "B D"], state: State | None = None) -> None:
    """A function with a state as a named tuple."""


@checked
def deep(x: Float[Tensor, "B D"], state: Deep | None = None) -> None:
    """A function with states in states."""


def handed(h, c):
    return {plain: (h, c), named: State(h, c), deep: Deep(State(h, c))}


@pytest.mark.parametrize("function", [plain, named, deep])
@pytest.mark.parametrize(
    ("h", "c"),
    [
        (torch.zeros(2, 4), torch.zeros(2, 1)),  # would be broadcast
        (torch.zeros(2, 4), torch.zeros(2, 4).long()),
        (torch.zeros(2, 4), torch.zeros(4)),
        (torch.zeros(2, 4), torch.full((2, 4), torch.nan)),
        (torch.zeros(2, 0), torch.zeros(2, 0)),
        (torch.zeros(2, 4), None),
    ],
)
def test_states_in_tuples_are_looked_through(function, h, c):
    function(torch.zeros(2, 3), handed(torch.zeros(2, 4), torch.ones(2, 4))[function])
    with pytest.raises(ValueError, match=r"^state: got"):
        function(torch.zeros(2, 3), handed(h, c)[function])


def test_a_batch_of_one_is_not_broadcast():
    with pytest.raises(ValueError, match=r"^state: got .* with B = 2"):
        plain(torch.zeros(2, 3), (torch.zeros(1, 4), torch.zeros(1, 4)))


def test_a_tuple_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"^state: got"):
        plain(torch.zeros(2, 3), (torch.zeros(2, 4),) * 3)


class Model(torch.nn.Module):
    """A model with weights."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)

    @checked
    def forward(
        self, x: Float[Tensor, "B 3"], words: Int[Tensor, "B"] | None = None, state: State | None = None
    ) -> Float[Tensor, "B 4"]:
        return self.linear(x)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
def test_another_floating_type_than_the_models_is_refused_by_name(dtype):
    model, x = Model(), torch.ones(2, 3)
    kind = str(dtype).removeprefix("torch.")
    with pytest.raises(ValueError, match=rf"^x: got a {kind} tensor of shape \(2, 3\), expected a float32 tensor"):
        model(x.to(dtype))
    with pytest.raises(ValueError, match=rf"^state: got a {kind} tensor"):
        model(x, state=State(torch.ones(2, 4), torch.ones(2, 4, dtype=dtype)))
    model(x, words=torch.ones(2, dtype=torch.int32))
    model.to(dtype)(x.to(dtype))
    with torch.autocast("cpu", torch.bfloat16):
        Model()(x.bfloat16())


def test_an_array_of_numpy_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^x: got a ndarray of float32 and shape \(2, 3\), expected a Float tensor"):
        Model()(np.ones((2, 3), dtype=np.float32))


def test_vmap_and_grad_go_through_and_still_refuse_wrong_shapes():
    model, x = Model(), torch.randn(5, 2, 3)
    torch.testing.assert_close(torch.vmap(model)(x), torch.stack([model(part) for part in x]))
    jacobian = torch.vmap(torch.func.jacrev(lambda x: model(x).sum(0)))(x)
    assert jacobian.shape == (5, 4, 2, 3)
    with pytest.raises(ValueError, match=r"^x: got a float32 tensor of shape \(2, 7\)"):
        torch.vmap(model)(torch.randn(5, 2, 7))
    with pytest.raises(ValueError, match=r"^x: got 1 non-finite"):
        torch.func.grad(lambda x: model(x).sum())(torch.tensor([[1.0, torch.nan, 2.0]]))


def test_the_meta_device_and_fake_tensors_go_through():
    assert Model().to("meta")(torch.ones(2, 3, device="meta")).shape == (2, 4)
    with pytest.raises(ValueError, match=r"^x: got"):
        Model().to("meta")(torch.ones(2, 4, device="meta"))
    with FakeTensorMode():
        assert Model()(torch.ones(2, 3)).shape == (2, 4)


@pytest.mark.nightly
def test_a_checked_model_can_be_exported():
    model, x = Model(), torch.randn(2, 3)
    batch = torch.export.Dim("batch", min=2, max=64)
    exported = torch.export.export(model, (x,), dynamic_shapes={"x": {0: batch}})
    x = torch.randn(7, 3)
    torch.testing.assert_close(exported.module()(x), model(x))


class Masked(torch.nn.Module):
    """A model whose tokens and mask have rules of their own."""

    def __init__(self):
        super().__init__()
        self.vocab_size = 5
        self.embedding = torch.nn.Embedding(5, 3)

    @checked
    def forward(self, words: Tokens["B T", "self.vocab_size"], mask: Mask["B T"]) -> Float[Tensor, "B 3"]:
        return (self.embedding(words) * mask[..., None]).sum(1)


def test_rules_on_values_wait_where_no_values_can_be_read():
    model, words = Masked(), torch.randint(5, (4, 2, 6))
    mask = torch.ones(4, 2, 6, dtype=torch.bool)
    expected = torch.stack([model(*each) for each in zip(words, mask, strict=True)])
    torch.testing.assert_close(torch.vmap(model)(words, mask), expected)
    torch.testing.assert_close(torch.vmap(model, (2, 0))(words.movedim(0, 2), mask), expected)
    empty = Masked().to("meta")(words[0].to("meta"), mask[0].to("meta"))
    assert empty.shape == (2, 3)
    torch.export.export(model, (words[0], mask[0]))


@recipe
class Budget:
    """A recipe with one field of each kind."""

    kind: Literal["short", "long"] = "short"
    steps: Positive = 10


@pytest.mark.parametrize(("field", "value"), [("steps", 0), ("steps", True), ("steps", 1.5), ("kind", "middling")])
def test_a_recipe_refuses_a_field_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got {value!r}"):
        Budget(**{field: value})
    with pytest.raises(ValueError, match=f"{field}: got {value!r}"):
        replace(Budget(), **{field: value})


def test_a_recipe_is_frozen_and_compared_by_its_fields():
    assert Budget(steps=3) == Budget("short", 3) != Budget("long", 3)
    with pytest.raises(FrozenInstanceError):
        Budget().steps = 4
