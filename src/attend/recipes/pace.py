"""How long a step of training and the writing of an answer take, as sources and answers grow."""

import statistics
import time
from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.recipes.translation import TranslationRecipe
from attend.recipes.translator import TransformerRecipe
from attend.soft.decode import greedy
from attend.soft.translation import Translator
from attend.tasks import translation
from attend.tasks.pairs import Pairs, cost
from attend.transformers.translator import Transformer

MODELS = {"Transformer": TransformerRecipe, "gated units": TranslationRecipe}


@checked
def noise(T: int, B: int = 16) -> Pairs:
    """B pairs of T random tokens each: what is timed needs no sense. Raises ValueError for sizes not positive."""
    expect(T > 0, "T", T, "a positive whole number")
    expect(B > 0, "B", B, "a positive whole number")
    draw, there = torch.Generator().manual_seed(T), torch.ones(B, T, dtype=torch.bool)
    source = torch.randint(1, len(translation.ENGLISH), (B, T), generator=draw)
    return Pairs(source, there, torch.randint(1, len(translation.GERMAN), (B, T), generator=draw), there)


@checked
@torch.no_grad()
def anew(
    model: Transformer, source: Int[Tensor, "B S"], visible: Bool[Tensor, "B S"], steps: int
) -> Int[Tensor, "B T"]:
    """The likeliest token at each of `steps` steps, as `greedy` finds it, by the whole pass anew for every token."""
    expect(steps > 0, "steps", steps, "a positive whole number")
    tokens = source.new_full((len(source), steps), model.end)
    for t in range(steps):
        tokens[:, t] = model(source, visible, tokens[:, : t + 1])[:, t].argmax(-1)
        over = (tokens[:, :t] == model.end).any(dim=1)
        tokens[over, t] = model.end
    return tokens


@checked
def training(name: str, T: int, rounds: int = 3) -> float:
    """Milliseconds for one step of training, forward and back, on 16 pairs of T tokens: the median of some rounds."""
    expect(name in MODELS, "name", name, f"one of {', '.join(MODELS)}")
    model, of = MODELS[name]().build().train(), noise(T)

    def step() -> None:
        logits = model(of.source, of.visible, of.target)
        cost(logits.logits if isinstance(model, Translator) else logits, of.target, of.asked).backward()

    return _median(step, rounds)


@checked
def writing(name: str, T: int, rounds: int = 3, cached: bool = True) -> float:
    """Milliseconds for an answer of T tokens to one source of T: the median of some rounds.

    With `cached` false the whole pass is made anew for every token, which only the Transformer can do.
    """
    expect(name in MODELS, "name", name, f"one of {', '.join(MODELS)}")
    model, of = MODELS[name]().build().eval(), noise(T, 1)
    expect(cached or isinstance(model, Transformer), "cached", cached, "True for gated units")
    with torch.no_grad():
        model.readout.bias[model.end] = -1e4  # an answer that does not end early
    write = greedy if cached else anew
    return _median(lambda: write(model, of.source, of.visible, T), rounds)


def _median(run: Callable[[], object], rounds: int) -> float:
    expect(rounds > 0, "rounds", rounds, "a positive whole number")
    run()
    took = []
    for _ in range(rounds):
        began = time.process_time()
        run()
        took.append(time.process_time() - began)
    return 1000 * statistics.median(took)
