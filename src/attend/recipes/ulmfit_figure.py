"""The classifier of the live figure: the 1,500 most frequent words of ULMFiT, each number in one byte."""

import safetensors.torch
import torch

from attend.core import files
from attend.recipes import WEIGHTS
from attend.recipes.ulmfit import BEST, Classify, LanguageModel, fine_tuned, pack, pooled, vocabulary
from attend.transformers.ulmfit import AWDLSTM, TextClassifier

DATA = ("recipes/weights/ulmfit_figure.safetensors",)
FILE = WEIGHTS / "ulmfit_figure.safetensors"
WORDS = 1_500
RECIPE = Classify("order", 6_000, BEST[True], steps=1_500, seed=100)


def words() -> tuple[str, ...]:
    """The words that it knows, in the order of their tokens; unknown and edge first."""
    return vocabulary()[:WORDS]


def fewer(model: TextClassifier) -> TextClassifier:
    """The same classifier, to which the rarer words are unknown."""
    small = TextClassifier(AWDLSTM(WORDS, model.encoder.token.embedding_dim, LanguageModel().hidden_size))
    kept = {name: value[:WORDS] if name in CUT else value for name, value in model.state_dict().items()}
    small.load_state_dict(kept)
    return small.eval()


CUT = ("encoder.token.weight", "encoder.bias")


def trained() -> tuple[TextClassifier, torch.Tensor]:
    """The classifier from the weights of the package, and the average of what it pools over the training reviews."""
    packed = safetensors.torch.load(files.read(FILE))
    model = TextClassifier(AWDLSTM(WORDS, LanguageModel().d_model, LanguageModel().hidden_size))
    named = {name: value for name, value in packed.items() if not name.endswith(".scale") and name != "average"}
    model.load_state_dict(
        {
            name: value * packed[f"{name}.scale"].float() if f"{name}.scale" in packed else value
            for name, value in named.items()
        }
    )
    return model.eval().requires_grad_(False), packed["average"]


def export() -> None:
    """Train stage two and three from the weights of stage one, and write the classifier."""
    whole = RECIPE.train(fine_tuned(100))
    model = fewer(whole)
    model.encoder.bias.data.zero_()  # of the softmax, which a classifier does not use
    numbers = {name: value for name, value in model.state_dict().items() if value.dim() and "running" not in name}
    kept = {name: value for name, value in model.state_dict().items() if name not in numbers}
    average = {"average": pooled(whole.encoder, "order", "train").mean(0)}
    files.write(FILE, safetensors.torch.save(pack(numbers) | kept | average))
