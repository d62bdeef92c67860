"""Where every head of a Transformer looks, in the encoder, in the decoder and between them, all steps at once.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3 (three uses of attention) and its appendix.
Departs  nothing: the weights are made again from what each part was given; the model's own values stay as they are.
Agrees   the looks of single steps (tests/transformers/test_looks.py).
"""

from copy import deepcopy
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.transformers.multihead import MultiHead
from attend.transformers.translator import Transformer

PLACES = ("encoder", "decoder", "between")
KINDS = ("around", "back", "across")
"""What the part of a block is called that looks at each of PLACES."""


class Looks(NamedTuple):
    """Weights by layer and head, each row of them one step that looks: of the `encoder` (B, N, K, S, S), the `decoder`

    (B, N, K, T, T), and `between` them (B, N, K, T, S).
    """

    encoder: Float[Tensor, "B N K S S"]
    decoder: Float[Tensor, "B N K T T"]
    between: Float[Tensor, "B N K T S"]


@checked
@torch.no_grad()
def looks(
    model: Transformer, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], target: Int[Tensor, "B T"]
) -> Looks:
    """Where all heads look while the model is given the true tokens of `target`."""
    found = {kind: [] for kind in KINDS}

    def listen(kind: str):
        def hear(part: MultiHead, given: tuple, _: Tensor) -> None:
            x, memory, seen = given
            found[kind].append(part.look(x, part.remember(memory), seen)[1])

        return hear

    parts = [(name.rsplit(".", 1)[-1], part) for name, part in model.named_modules() if isinstance(part, MultiHead)]
    handles = [part.register_forward_hook(listen(kind)) for kind, part in parts]
    try:
        model(source, mask, target)
    finally:
        for handle in handles:
            handle.remove()
    return Looks(*(torch.stack(weights, dim=1) for weights in found.values()))


@checked
def blurred(model: Transformer, place: str) -> Transformer:
    """A copy of the model whose heads at one place (of PLACES) weigh all that they may see alike.

    Queries of 0 give equal scores, and equal scores equal weights.
    """
    expect(place in PLACES, "place", place, f"one of {', '.join(PLACES)}")
    copy, kind = deepcopy(model), KINDS[PLACES.index(place)]
    with torch.no_grad():
        for name, part in copy.named_modules():
            if isinstance(part, MultiHead) and name.endswith(kind):
                part.query.weight.zero_()
                part.query.bias.zero_()
    return copy
