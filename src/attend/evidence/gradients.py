"""What the page on backpropagation through time claims: when gradients explode, what truncation and clipping do."""

import math

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from attend.evidence import All, More, OnlyIf, Reaches, measured_here, recorded
from attend.gating.lstm import LanguageModel
from attend.memory.elman import RNN
from attend.memory.gradients import jacobians, products
from attend.recipes.gradients import (
    CONTEXT,
    KINDS,
    LAG,
    LIMIT,
    RATES,
    TUNED_ON,
    WINDOWS,
    EchoRecipe,
    RecallRecipe,
    TextRecipe,
)
from attend.recipes.gradients_echo import SlowEchoRecipe
from attend.tasks import plays
from attend.transformers.tiny_transformer import TinyTransformer

DATA = ("evidence/records/gradients.json",)
FAR = 20
"""From how many characters back a character counts as far."""
BACK = (1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 60)


@torch.no_grad()
def steps_of(radius: float, seed: int, steps: int, inputs: int | None = None) -> Tensor:
    """The Jacobians (B, steps, 32, 32) of an RNN of 32 units, U a random orthogonal matrix times `radius`.

    It reads random inputs of three numbers; B is 1. With `inputs` given, the network is that of `seed` and the inputs
    are another draw.
    """
    generator = torch.Generator().manual_seed(seed)
    rnn = RNN(3, 32, radius, generator).double()
    if inputs is not None:
        generator.manual_seed(inputs)
    x = torch.randn(1, steps, 3, generator=generator).double()
    return jacobians(rnn.from_hidden.weight, rnn(x)[0])


def left(steps: Tensor) -> Tensor:
    """What is left of a gradient 0, 1, 2, … steps back: the largest singular value of each product, (B, T)."""
    return torch.linalg.matrix_norm(products(steps), ord=2).flip(1)


@measured_here(
    "If the largest singular values of the Jacobians are above 1, gradients explode.",
    source="erdem2021attention",
    quote="sing. values of Jacobians > 1 → gradients explode",
    rule=OnlyIf(
        "the radius of U is large enough, here 1.7, but not 1.3",
        inside=All((Reaches("radius 1.7", at_least=2.0), Reaches("largest singular value, radius 1.3", at_least=1.0))),
        outside=Reaches("radius 1.3", at_least=2.0),
    ),
    seeds=range(10, 20),
    tuned_on=(100, 101, 102),
    unit="log10 of the gradient left after 300 steps; the smallest, over all steps, of a step's largest singular value",
)
def explode(seed):
    """32 units and random inputs."""
    at_13, at_17 = (steps_of(radius, seed, 301) for radius in (1.3, 1.7))
    return {
        "radius 1.7": left(at_17)[0, 300].log10(),
        "radius 1.3": left(at_13)[0, 300].log10(),
        "largest singular value, radius 1.3": torch.linalg.matrix_norm(at_13[0, 1:], ord=2).min(),
    }


def random_products(seed: int, steps: int = 30, chains: int = 2_000, size: int = 16) -> Tensor:
    """Squared norms of `chains` gradients of norm 1 after 0 … `steps` random Jacobians, (steps + 1, chains).

    Every Jacobian is drawn anew, its entries independent with variance 1 / size: on average a squared norm stays 1.
    """
    generator = torch.Generator().manual_seed(seed)
    g = torch.zeros(chains, 1, size)
    g[:, :, 0] = 1
    norms = [torch.ones(chains)]
    for _ in range(steps):
        g = g @ (torch.randn(chains, size, size, generator=generator) / size**0.5)
        norms.append(g.square().sum(dim=(1, 2)))
    return torch.stack(norms)


@measured_here(
    "Of gradients that pass through random Jacobians, the variance of the squared norm grows exponentially.",
    source="erdem2021attention",
    quote="or random → variance grows exponentially",
    rule=Reaches("growth a step", at_least=1.09),
    seeds=range(20, 25),
    unit="factor by which the variance of the squared norm grows a step, between 5 and 25 steps (growth in a straight "
    "line would give 1.084)",
)
def variance(seed):
    """20,000 products of random 16 x 16 matrices that change no squared norm on average."""
    found = random_products(seed, 25, chains=20_000).var(dim=1)
    return {"growth a step": (found[25] / found[5]) ** (1 / 20)}


@recorded(
    f"To repeat its input of {LAG} steps ago, an RNN learns when gradients reach 29 steps back. When they reach 9, "
    "recurrent weights that learn slowly are better than untrained ones, and better than those that learn at the rate "
    "of the head.",
    source="ours",
    rule=All(
        (
            Reaches("window 30", at_least=0.98),
            More("window 10, slow", "random recurrent weights", by=0.03),
            More("window 10, slow", "window 10", by=0.1),
        )
    ),
    seeds=range(30, 40),
    tuned_on=TUNED_ON,
    budget="12,000 steps of 32 streams for every window; one learning rate, the best of four on another seed; slow: "
    "the rate of the head alone, and for the recurrent weights the best of five on two other seeds",
    unit="share of right bits (guessing: 0.5)",
)
def truncate(seed):
    """The gradient is cut every 10, 20 or 30 steps; the state is handed on."""
    recipes = {f"window {window}": EchoRecipe(window, seed) for window in WINDOWS if window >= 10}
    recipes["random recurrent weights"] = EchoRecipe(20, seed, frozen=True)
    recipes["window 10, slow"] = SlowEchoRecipe(10, seed)
    return {name: recipe.accuracy(recipe.train()) for name, recipe in recipes.items()}


@recorded(
    "Over a lag of 29 steps, clipping lets gradient descent learn at over one more of six learning rates.",
    source="ours",
    rule=More("clipped", "plain", by=1.0),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="400 steps of 32 sequences at each of six rates; the limit is the better of two on two other seeds",
    unit="of six learning rates, 0.02 to 0.8, how many end with an error below 0.02 (knowing nothing: 0.33)",
)
def clipping(seed):
    """And every error, and that of the largest rate over a lag of one step, without clipping."""
    found = {}
    for name, limit in {"plain": None, "clipped": LIMIT}.items():
        recipes = {rate: RecallRecipe(rate, limit, seed) for rate in RATES}
        errors = {rate: recipe.error(recipe.train()[0]) for rate, recipe in recipes.items()}
        found[name] = sum(error < 0.02 for error in errors.values())
        found |= {f"{name}, rate {rate:g}": error for rate, error in errors.items()}
    near = RecallRecipe(max(RATES), None, seed, lag=1)
    return found | {"over one step": near.error(near.train()[0])}


def from_one_hot(model: LanguageModel | TinyTransformer, x: Tensor) -> Tensor:
    """Logits of the token that follows, (B, V), from tokens as vectors (B, T, V) of zeros and a one."""
    if isinstance(model, TinyTransformer):
        x = x @ model.token.weight + model.position.weight[: x.shape[1]]
        return model.output(model.norm(model.blocks(x))[:, -1])
    return model.head(model.layer(x)[0][:, -1])


def by_character(model: LanguageModel | TinyTransformer, tokens: Tensor) -> Tensor:
    """The norm (B, T - 1) of the gradient by each character before the last, of -log p of that last one.

    Its mean over the alphabet is taken off: one character more makes sense only where another one goes.
    """
    x = one_hot(tokens[:, :-1], len(plays.ALPHABET)).float().requires_grad_()
    loss = cross_entropy(from_one_hot(model, x), tokens[:, -1], reduction="sum")
    (gradient,) = torch.autograd.grad(loss, x)
    return (gradient - gradient.mean(dim=2, keepdim=True)).norm(dim=2)


@recorded(
    f"Of its gradient, a Transformer trained on plays gets more from {FAR} or more characters back than an LSTM does, "
    "and an LSTM more than a vanilla RNN.",
    source="ours",
    rule=All((More("transformer", "lstm", by=0.02), More("lstm", "rnn", by=0.02))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="800 steps of 16 x 64 characters; the best of four learning rates after 300 steps on another seed",
    unit=f"share of the gradient's norm that belongs to characters {FAR} or more back, on unseen scenes",
)
def text(seed):
    """37,000 to 39,000 weights each; 600 windows. By distance, too, and the bits a character, for the pictures."""
    pages, found = plays.pages("test", CONTEXT + 1)[:600], {}
    for kind in KINDS:
        recipe = TextRecipe(kind, seed)
        model = recipe.train()
        profile = by_character(model, pages).mean(dim=0).flip(0)  # from 1 character back to 64
        found[kind] = (profile[FAR - 1 :].sum() / profile.sum()).item()
        found[f"{kind}, bits"] = recipe.loss(model, "test") / math.log(2)
        found |= {f"{kind}, {back} back": (profile[back - 1] / profile.sum()).item() for back in BACK}
    return found
