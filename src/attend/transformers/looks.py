"""Where every head of a Transformer looks, in the encoder, in the decoder and between them, all steps at once.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3 (three uses of attention) and its appendix.
Departs  nothing: the weights are made again from what each part was given; the model's own values stay as they are.
Agrees   the looks of single steps (tests/transformers/test_looks.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked
from attend.soft.seq2seq import before
from attend.transformers.multihead import MultiHead
from attend.transformers.translator import Transformer


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
    model: Transformer, source: Int[Tensor, "B S"], visible: Bool[Tensor, "B S"], target: Int[Tensor, "B T"]
) -> Looks:
    """Where all heads look while the model is given the true tokens of `target`."""
    found = {"around": [], "back": [], "across": []}

    def listen(kind: str):
        def hear(part: MultiHead, given: tuple, _: Tensor) -> None:
            x, memory, seen = given
            found[kind].append(part.look(x, part.remember(memory), seen)[1])

        return hear

    parts = [(name.rsplit(".", 1)[-1], part) for name, part in model.named_modules() if isinstance(part, MultiHead)]
    handles = [part.register_forward_hook(listen(kind)) for kind, part in parts]
    try:
        model(source, visible, target)
    finally:
        for handle in handles:
            handle.remove()
    return Looks(*(torch.stack(weights, dim=1) for weights in found.values()))


@checked
@torch.no_grad()
def needed(
    model: Transformer, source: Int[Tensor, "B S"], visible: Bool[Tensor, "B S"], target: Int[Tensor, "B T"]
) -> Bool[Tensor, "B T"]:
    """At which tokens of `target` did it matter where the model looked in the source?

    Each step is taken twice, with its looks across as they are and with looks that weigh all visible words alike, in
    every layer and head; True where the two choose different tokens.
    """
    memory = model.read(source, visible)
    blurred = memory._replace(across=tuple(of._replace(keys=torch.zeros_like(of.keys)) for of in memory.across))
    state, found = model.start(memory), []
    for token in before(target, model.end).unbind(1):
        looked = model.step(token, state, memory)
        guessed = model.step(token, state, blurred)
        found.append(looked.logits.argmax(1) != guessed.logits.argmax(1))
        state = looked.state
    return torch.stack(found, dim=1)
