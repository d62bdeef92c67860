"""A story to write, a question to ask, and what each hop of a trained memory network reads."""

from collections.abc import Mapping, Sequence

from torch import nn

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.live.figure import LiveFigure


class StoryFigure(LiveFigure):
    """A memory network whose memory is a story of at most `most` sentences, made from menus.

    `vocabulary` are the network's words, and `forms` {verb: (who may stand before it, what may stand behind it)}; the
    figure opens with `story`, triples of who, verb and what, and asks where `asked` is. The answer is one of `places`.
    Raises ValueError for words that the vocabulary lacks, for a story that does not fit, and for a network with more
    words than the vocabulary has, or fewer slots than `most`.
    """

    @checked
    def __init__(
        self,
        model: nn.Module,
        vocabulary: Sequence[str],
        forms: Mapping[str, tuple[Sequence[str], Sequence[str]]],
        places: Sequence[str],
        story: Sequence[tuple[str, str, str]],
        asked: str,
        most: Positive = 8,
    ):
        words = {one: token for token, one in enumerate(vocabulary)}
        size = getattr(model, "vocabulary", None)
        expect(size == len(vocabulary), "model", model, f"a memory network of {len(vocabulary)} words")
        expect(model.slots >= most, "model", model, f"a memory network of {most} slots at least")
        expect(len(places) > 1 and all(one in words for one in places), "places", places, "two known words at least")
        for verb, sides in forms.items():
            said = [*verb.split(), *(word for side in sides for one in side for word in one.split())]
            expect(all(word in words for word in said), f"forms[{verb!r}]", said, "words of the vocabulary")
        expect(0 < len(story) <= most, "story", story, f"1 to {most} sentences")
        for who, verb, what in story:
            fits = verb in forms and who in forms[verb][0] and what in forms[verb][1]
            expect(fits, "story", (who, verb, what), "a sentence of one of the forms")
        may = [*dict.fromkeys(one for who, _ in forms.values() for one in who)]
        may += [f"the {one}" for one in dict.fromkeys(forms["took the"][1] if "took the" in forms else ())]
        expect(asked in may, "asked", asked, f"one of {', '.join(may)}")
        tensors = {f"embed{i}": one.words.weight for i, one in enumerate(model.embed)}
        tensors |= {f"time{i}": one for i, one in enumerate(model.time)}
        super().__init__(
            alt=(
                "A story, one sentence a line, made from menus of who, does and what. Beside each sentence stands the "
                "attention weight of each hop; below it the question, and the probability of each place."
            ),
            invite="Change a sentence, or the question: which hop moves?",
            data={
                "words": words,
                "forms": {verb: [list(side) for side in sides] for verb, sides in forms.items()},
                "places": list(places),
                "story": [list(one) for one in story],
                "asked": asked,
                "may": may,
                "most": most,
                "position": bool(model.embed[0].position),
            },
            tensors=tensors,
            precision="float16",
        )
