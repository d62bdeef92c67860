"""How long a step of training and the writing of an answer take, as sources and answers grow."""

import statistics
import time
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from attend.core.expect import expect
from attend.fast import fast
from attend.memory.supervision import shift_right
from attend.recipes.translation import TranslationRecipe
from attend.recipes.translator import TransformerRecipe
from attend.soft.decode import greedy
from attend.soft.translation import Translator
from attend.tasks import translation
from attend.tasks.pairs import Pairs, cost
from attend.transformers.translator import Transformer


def noise(T: int, B: int) -> Pairs:
    """B pairs of T random tokens each: what is timed needs no sense. Raises ValueError for sizes not positive."""
    expect(T > 0, "T", T, "a positive whole number")
    expect(B > 0, "B", B, "a positive whole number")
    draw, there = torch.Generator().manual_seed(T), torch.ones(B, T, dtype=torch.bool)
    source = torch.randint(1, len(translation.ENGLISH), (B, T), generator=draw)
    return Pairs(source, there, torch.randint(1, len(translation.GERMAN), (B, T), generator=draw), there)


@torch.no_grad()
def anew(model: Transformer, source: Tensor, mask: Tensor, steps: int) -> Tensor:
    """The tokens (B, T) that `greedy` finds in T = `steps` steps, by the whole pass anew for every token."""
    tokens = source.new_full((len(source), steps), model.end)
    for t in range(steps):
        tokens[:, t] = model(source, mask, tokens[:, : t + 1])[:, t].argmax(-1)
        over = (tokens[:, :t] == model.end).any(dim=1)
        tokens[over, t] = model.end
    return tokens


@torch.no_grad()
def stepwise(model: Transformer, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
    """The logits (B, T, V) of all tokens of `target`, the true ones before each given, by one step after another."""
    memory = model.read(source, mask)
    state, logits = model.start(memory), []
    for token in shift_right(target, model.end).unbind(1):
        taken = model.step(token, state, memory)
        state = taken.state
        logits.append(taken.logits)
    return torch.stack(logits, dim=1)


def embedded(model: Transformer, run: Callable[[], object]) -> int:
    """How many words of the answer `run` sends through the decoder of the model, as often as it is sent."""
    sent = []
    handle = model.target_embedding.register_forward_hook(lambda part, given, _: sent.append(given[0].numel()))
    try:
        run()
    finally:
        handle.remove()
    return sum(sent)


def training(T: int, rounds: int = 5) -> dict[str, float]:
    """Milliseconds for one step of training, forward and back, on 16 pairs of T tokens."""
    of = noise(T, 16)

    def step(model: Transformer | Translator) -> Callable[[], None]:
        def run() -> None:
            logits = model(of.source, of.mask, of.target)
            cost(logits.logits if isinstance(model, Translator) else logits, of.target, of.asked).backward()

        return run

    return in_turns({name: step(model.train()) for name, model in _models().items()}, rounds)


def writing(T: int, rounds: int = 3) -> dict[str, float]:
    """Milliseconds for an answer of T tokens to one source of T; "anew" makes the whole pass for every token."""
    of, models = noise(T, 1), _models()
    for model in models.values():
        with torch.no_grad():
            _output_layer(model).bias[model.end] = -1e4  # an answer that does not end early

    def write(how: Callable, name: str) -> Callable[[], object]:
        return lambda: how(models[name].eval(), of.source, of.mask, T)

    runs = {name: write(greedy, name) for name in models}
    return in_turns(runs | {"anew": write(anew, "Transformer")}, rounds)


def in_turns(runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median processor time of each of `runs` in milliseconds; they take turns, so that all share a busy hour."""
    expect(rounds > 0, "rounds", rounds, "a positive whole number")
    took: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            began = time.process_time()
            run()
            if turn:  # the first is for warming up
                took[name].append(time.process_time() - began)
    return {name: 1000 * statistics.median(times) for name, times in took.items()}


def _models() -> dict[str, Transformer | Translator]:
    return {"Transformer": fast(TransformerRecipe().build()), "gated units": TranslationRecipe().build()}


def _output_layer(model: Transformer | Translator) -> torch.nn.Linear:
    return model.output if isinstance(model, Transformer) else model.readout
