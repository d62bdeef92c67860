"""The model that the page on ELMo opens: its 1,500 most frequent words, each number in one byte."""

from collections.abc import Sequence

import safetensors.torch
import torch

from attend.core import files
from attend.recipes import WEIGHTS
from attend.recipes.elmo import ElmoRecipe, layers_at, vocabulary
from attend.tasks import senses
from attend.transformers.elmo import BiLM

DATA = ("recipes/weights/elmo_figure.safetensors",)
FILE = WEIGHTS / "elmo_figure.safetensors"
RECIPE = ElmoRecipe(seed=100, steps=1_800)


def words() -> tuple[str, ...]:
    """The words of the model, in the order of their tokens; unknown and edge first."""
    return vocabulary(RECIPE.num_targets)


def trained() -> BiLM:
    """The model of RECIPE with fewer words, from the weights of the package."""
    packed = safetensors.torch.load(files.read(FILE))
    model = BiLM(RECIPE.num_targets, RECIPE.d_model, num_targets=RECIPE.num_targets)
    names = model.state_dict()
    model.load_state_dict({name: packed[name] * packed[f"{name}.scale"].float() for name in names})
    return model.eval().requires_grad_(False)


def pack(model: BiLM) -> dict[str, torch.Tensor]:
    """Whole numbers from -127 to 127 by name, and for each row of them what they are to be multiplied by."""
    packed = {}
    for name, value in model.state_dict().items():
        kept = value[: RECIPE.num_targets] if name == "token.weight" else value
        scale = kept.abs().amax(dim=-1, keepdim=True).clamp(min=1e-4) / 127
        packed |= {name: (kept / scale).round().to(torch.int8), f"{name}.scale": scale.half()}
    return packed


def export() -> None:
    """Train the recipe and write its weights."""
    files.write(FILE, safetensors.torch.save(pack(RECIPE.train())))


SHOWN = ("play", "run", "work", "cut", "break", "touch", "fall", "call")
"""The spellings of the live figure."""


def axes(model: BiLM, examples: Sequence[senses.Example]) -> tuple[torch.Tensor, torch.Tensor]:
    """For each layer two directions (2, 2 D) and a centre (2 D): across from verb to noun, up what varies most besides.

    The first is a ridge regression of +1 for nouns and -1 for verbs on the vectors of the marked words, so that 0 is
    where it is undecided.
    """
    target = torch.tensor([1.0 if one.part_of_speech == "noun" else -1.0 for one in examples])
    directions, centres = [], []
    for vectors in layers_at(model, examples):
        mean, away = vectors.mean(0), vectors - vectors.mean(0)
        penalty = 0.01 * len(away) * away.var() * torch.eye(away.shape[1])
        across = torch.linalg.solve(away.T @ away + penalty, away.T @ (target - target.mean()))
        unit = across / across.norm()
        rest = away - (away @ unit)[:, None] * unit
        up = torch.linalg.svd(rest, full_matrices=False)[2][0]
        directions.append(torch.stack([across, up / (rest @ up).std()]))
        centres.append(mean - target.mean() * across / across.square().sum())
    return torch.stack(directions), torch.stack(centres)


def sentences(examples: Sequence[senses.Example], most: int = 12) -> dict[str, list[tuple[str, str]]]:
    """For each of SHOWN up to `most` examples, as many nouns as verbs as far as there are, each with what it is."""
    found = {}
    for word in SHOWN:
        both = []
        for kind in ("noun", "verb"):
            fits = [one for one in examples if one.word == word and one.part_of_speech == kind]
            both += [(" ".join(one.words), kind) for one in fits if one.words.count(word) == 1][: most // 2]
        found[word] = both
    return found
