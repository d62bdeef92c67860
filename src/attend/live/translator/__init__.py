"""A number to type, the Transformer that translates it in the browser, and every head of it to look at."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.bilingual import bilingual, vocabularies
from attend.live.figure import LiveFigure

LEVELS = 12
"""A weight travels as one of 2 · LEVELS + 1 steps of its row, in six bits: a letter of base64, which packs well."""
PLACES = ("encoder", "decoder", "between")

ALT = (
    "A number in English words and, below, the German pieces that the trained Transformer writes. A small table of "
    "weights for each of its heads, in rows of layers, and the chosen one in large, for the encoder, the decoder or "
    "between them. At 64,238, between the two, the last head of the second layer looks from the first piece, vier, to "
    "four, the second word, and then back to sixty, the first."
)


class TransformerHeads(LiveFigure):
    """English words of a number, German pieces below, and a table of weights for each head of each layer.

    `tensors` are those of a trained attend.transformers.translator.Transformer with K heads, pre-norm, with
    sinusoids, by their names in its state; matrices travel in six bits a weight (LEVELS). `english` and `german` are
    its vocabularies, `end` its last token; `number`, `place` (one of PLACES), `layer` and `head`
    (counted from 1) are what stands there at first. Raises ValueError for tensors of other vocabularies, for heads that
    are not there, and for a number of more than 15 digits.
    """

    @checked
    def __init__(
        self,
        tensors: Mapping[str, Tensor],
        english: Sequence[str],
        german: Sequence[str],
        K: int = 4,
        number: int = 64_238,
        place: str = "between",
        layer: int = 2,
        head: int = 1,
        end: int = 0,
    ):
        vocabularies(tensors, english, german, ("source_embedding.weight", "target_embedding.weight"))
        data = bilingual(english, german, number, end)
        N = sum(name.endswith("cross_attn.q_proj.weight") for name in tensors)
        expect(place in PLACES, "place", place, f"one of {', '.join(PLACES)}")
        expect(0 < layer <= N, "layer", layer, f"a layer from 1 to {N}")
        D = tensors["source_embedding.weight"].shape[1]
        expect(K > 0 and D % K == 0, "K", K, f"a number of heads that divides D = {D}")
        expect(0 < head <= K, "head", head, f"a head from 1 to {K}")
        super().__init__(
            alt=ALT,
            invite="Type a number and choose a head. Which of them look at the word that is said next?",
            data=data
            | {
                "K": K,
                "N": N,
                "place": place,
                "layer": layer - 1,
                "head": head - 1,
                "matrices": [[name, *of.shape] for name, of in tensors.items() if of.ndim == 2],
            },
            tensors=_packed(tensors) | {name: of for name, of in tensors.items() if of.ndim == 1},
            precision="float16",
        )

    def weights(self) -> dict[str, Tensor]:
        """The tensors as the browser computes with them, by their names."""
        seen = self.seen()
        bytes_, scales = seen.pop("packed").long().view(-1, 3), seen.pop("scales")
        whole = bytes_ @ torch.tensor([65_536, 256, 1])
        steps = torch.stack([whole >> shift & 63 for shift in (18, 12, 6, 0)], dim=1).flatten() - 32
        at = row = 0
        for name, rows, columns in self.data["matrices"]:
            size = rows * columns
            matrix = steps[at : at + size].view(rows, columns) * scales[row : row + rows, None]
            seen[name], at, row = matrix, at + size, row + rows
        return seen


def _packed(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """All matrices as one run of bytes, row after row, and the size of one step in each row."""
    for name, of in tensors.items():
        expect(bool(torch.isfinite(of).all()), "tensors", f"{name} with {of}", "finite numbers")
    matrices = [of for of in tensors.values() if of.ndim == 2]
    scales = [(of.abs().amax(dim=1).clamp(min=1e-3) / LEVELS).half().float() for of in matrices]
    steps = [(of / scale[:, None]).round().clamp(-LEVELS, LEVELS) for of, scale in zip(matrices, scales, strict=True)]
    run = torch.cat([of.flatten() for of in steps]).long() + 32
    four = torch.nn.functional.pad(run, (0, -len(run) % 4)).view(-1, 4)
    whole = four @ torch.tensor([262_144, 4_096, 64, 1])
    packed = torch.stack([whole >> shift & 255 for shift in (16, 8, 0)], dim=1)
    return {"packed": packed.flatten().to(torch.uint8), "scales": torch.cat(scales)}
