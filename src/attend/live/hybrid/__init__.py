"""A recogniser step by step: where its last weights stood, where it listens next, and what it hears there."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.live.figure import LiveFigure

PARTS = ("attention.", "decoder.", "hidden.", "readout.", "embed.")


class Listening(LiveFigure):
    """Two trained recognisers of the same recordings, one that attends by content and one with hybrid attention.

    Decoder and attention travel as int8, with the encoder's states of each recording (T, F); `said` are their digits.
    `reach` is how many states the window keeps on each side. Raises ValueError for a content model whose attention
    sees the last weights, for a hybrid that lacks a part, and for as many texts as there are no recordings.
    """

    @checked
    def __init__(
        self,
        content: nn.Module,
        hybrid: nn.Module,
        recordings: Sequence[Float[Tensor, "_ F"]],
        said: Sequence[str],
        reach: Positive = 15,
    ):
        alone = _looks(content) == (True, False)
        expect(alone, "content", content, "a recogniser whose attention goes by content alone")
        expect(
            _looks(hybrid) == (True, True), "hybrid", hybrid, "a recogniser whose attention has content and location"
        )
        expect(len(said) == len(recordings) > 0, "said", said, f"{len(recordings)} texts, one for each recording")
        expect(all(text and set(text) <= set("0123456789") for text in said), "said", said, "digits")
        tensors: dict[str, Tensor] = {}
        for kind, model in (("content", content), ("hybrid", hybrid)):
            tensors |= {f"{kind}.{name}": part for name, part in model.state_dict().items() if name.startswith(PARTS)}
            for n, x in enumerate(recordings):
                with torch.no_grad():
                    h, _ = model.read(x[None], torch.ones(1, len(x), dtype=torch.bool))
                tensors[f"{kind}.states{n}"] = h[0]
        for n, x in enumerate(recordings):
            tensors[f"x{n}"] = ((x + 1) * 127.5).clamp(0, 255).round().to(torch.uint8)
        super().__init__(
            alt=(
                "A spectrogram of spoken digits. Above it a dashed outline is the last attention weights, a handle "
                "drags them elsewhere, and bars are the next weights. A button writes one digit after the other; "
                "attention is by content alone or hybrid, with or without a window."
            ),
            invite="Drag the dot, and with it the dashed last weights, somewhere else: where does it listen next?",
            data={"said": list(said), "reach": reach},
            tensors=tensors,
            precision="int8",
        )


def _looks(model: nn.Module) -> tuple[bool, bool]:
    """Whether a recogniser's attention has content, and location; neither, where it has no attention."""
    attention = getattr(model, "attention", None)
    return bool(getattr(attention, "content", False)), bool(getattr(attention, "location", False))
