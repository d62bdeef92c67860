"""What the page on convolution claims: what shared weights buy and when they cost, pooling, fields, any place."""

import torch
from torch import Tensor, nn

from attend.evidence import SHARE, All, More, Reaches, measured_here, recorded
from attend.memory.convnet import ConvNet, measured_field
from attend.recipes.convnet import SIZES, TUNED_ON, ConvNetRecipe, accuracy, by_shift, probe
from attend.tasks import digits

DATA = ("evidence/records/convnet.json",)
BUDGET = "600 steps of 32 digits a side; for every side and size the best of four learning rates on another seed"
NAMES = {"max": "shared weights", "local": "own weights", "dense": "fully connected"}


def right(**recipe) -> float:
    """The share of test digits that are read right after training."""
    recipe = ConvNetRecipe(**recipe)
    return recipe.accuracy(recipe.train())


@recorded(
    "With the same wiring, shared weights read over one digit in a hundred more right than weights of their own for "
    "every position, whether they learned from 75, 750 or 7,500 images.",
    source="ours",
    rule=All(tuple(More(f"shared weights, {n}", f"own weights, {n}", by=0.01) for n in SIZES)),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of test digits read right",
)
def sharing(seed):
    """5,994 weights, and 328,202; beside them a hidden layer of 76 units with 60,430, which no rule judges."""
    return {f"{name}, {n}": right(kind=kind, seed=seed, count=n) for kind, name in NAMES.items() for n in SIZES}


class Narrow(ConvNetRecipe):
    """The fully connected network with as many weights as the ConvNet, 7 hidden units in place of 76."""

    def build(self) -> nn.Module:
        """The network with its first weights, drawn by the seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            return nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 7), nn.ReLU(), nn.Linear(7, 10))


@recorded(
    "When the pixels of all images are shuffled in the same way, a fully connected network reads more digits right "
    "than the ConvNet.",
    source="ours",
    rule=More("fully connected", "ConvNet", by=0.01),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of test digits read right",
)
def shuffled(seed):
    """60,430 weights, and 5,994; 7,500 training images. No rule judges the third, with 5,575 weights."""
    sides = {"fully connected": "dense", "ConvNet": "max"}
    small = {"7 hidden units": Narrow("dense", seed, shuffled=True, rate=5e-3)}
    small["7 hidden units, as they are"] = Narrow("dense", seed, rate=1.2e-2)
    return {name: right(kind=kind, seed=seed, shuffled=True) for name, kind in sides.items()} | {
        name: recipe.accuracy(recipe.train()) for name, recipe in small.items()
    }


POOLS = ("max", "average", "stride")


@recorded(
    "Pooling improves robustness to the exact spatial location of features.",
    source="hu2019lecture16",
    quote="to improve robustness to the exact spatial location of features, as anything that is "
    '"close enough" would be pooled into the same output',
    rule=All((More("stride, lost", "max, lost", by=0.01), More("stride, lost", "average, lost", by=0.01))),
    seeds=range(10, 17),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="by how much the share of digits read right falls when the digit is moved by two pixels",
)
def pooling(seed):
    """Each net was trained with what it pools by; 500 test digits, in eight directions. The picture draws the rest."""
    found, some = {}, digits.Digits(*(part[:500] for part in digits.digits("test")))
    for kind in (*POOLS, "dense"):
        shares = by_shift(ConvNetRecipe(kind, seed).train(), some)
        found |= {f"{kind}, {pixels}": share for pixels, share in enumerate(shares)}
        found[f"{kind}, lost"] = shares[0] - shares[2]
    return found


def random_stack(depth: int) -> nn.Sequential:
    """Layers of 3 x 3 kernels as torch draws them, 8 maps each, with ReLUs."""
    layers = [part for n in range(depth) for part in (nn.Conv2d(8 if n else 1, 8, 3), nn.ReLU())]
    return nn.Sequential(*layers)


def effective_field(depth: int, seed: int) -> Tensor:
    """How strongly a unit on top of such a stack depends on each pixel of its field, 2 depth + 1 wide: (Y, X)."""
    torch.manual_seed(seed)
    width = 2 * depth + 1
    return measured_field(random_stack(depth), torch.randn(32, 1, width, width), (0, 0))


@measured_here(
    "The effective receptive field only occupies a fraction of the full theoretical receptive field.",
    source="luo2016understanding",
    quote="We introduce the notion of an effective receptive field, and show that it both has a Gaussian distribution "
    "and only occupies a fraction of the full theoretical receptive field.",
    rule=Reaches("share of the gradient", at_least=0.5),
    seeds=range(10),
    unit="share of the gradient that the middle 11 x 11 of 21 x 21 pixels receive (spread evenly: 0.27)",
)
def effective(seed):
    """Ten layers of 3 x 3 before any training."""
    strength = effective_field(10, seed)
    return {"share of the gradient": (strength[5:16, 5:16].sum() / strength.sum()).item()}


def peaks(model: ConvNet, images: Tensor, name: str) -> Tensor:
    """The largest value of each map of a layer, (N, F)."""
    return torch.cat([model.maps(part)[name].amax(dim=(2, 3)) for part in images.split(250)])


def probed(model: ConvNet, name: str) -> float:
    """What a linear probe reads from the peaks of eight maps, learned on the validation digits; a mean."""
    learn, ask = digits.digits("validation"), digits.digits("test")
    groups = (peaks(model, of.images, name).split(8, dim=1) for of in (learn, ask))
    found = [probe(one, learn.labels, other, ask.labels) for one, other in zip(*groups, strict=True)]
    return sum(found) / len(found)


@recorded(
    "The second layer tells more about the digit than the first, and not because it sees more of the image.",
    source="ours",
    rule=All((More("layer 2", "layer 1", by=0.05), More("layer 2", "layer 2, its kernels random", by=0.05))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of test digits that a linear probe reads from the peaks of eight maps",
)
def hierarchy(seed):
    """The control keeps the trained first layer and draws the second anew."""
    trained, control = ConvNetRecipe(seed=seed).train(), ConvNetRecipe(seed=seed).build().requires_grad_(False)
    control.conv1 = trained.conv1
    return {
        "layer 1": probed(trained, "conv1"),
        "layer 2": probed(trained, "conv2"),
        "layer 2, its kernels random": probed(control, "conv2"),
    }


@recorded(
    "When the digits may be anywhere on a canvas of 40 × 40, the same wiring reads more of them with shared weights.",
    source="ours",
    rule=More("shared weights", "own weights", by=0.02),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of test digits read right",
)
def scattered(seed):
    """Convolutions or locally connected layers; both with a last layer as wide as the last map."""
    return {"shared weights": right(kind="fixed", seed=seed), "own weights": right(kind="fixed_local", seed=seed)}


def canvases(width: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """The test digits at random places of wide canvases, their labels, and (row, column) of their corners."""
    images, labels = digits.digits("test")
    wide, corners = digits.place(images, width, torch.Generator().manual_seed(4_000 + seed))
    return wide, labels, corners


@torch.no_grad()
def region_weights(model: ConvNet, images: Tensor) -> Tensor:
    """How much each region adds to the sum of the class that wins: (B, R, C), adding up to 1."""
    logits = torch.cat([model.maps(part)["logits"] for part in images.split(250)])  # (B, K, R, C)
    winner = logits.logsumexp(dim=(2, 3)).argmax(dim=1)
    terms = logits[torch.arange(len(logits)), winner]
    return terms.flatten(1).softmax(dim=1).view_as(terms)


@recorded(
    "With a last layer that slides, a ConvNet reads digits anywhere on canvases larger than any it has seen and finds "
    "where they are; on canvases that it knows it beats a last layer as wide as the canvas.",
    source="ours",
    rule=All(
        (
            Reaches("sliding, 60 × 60", at_least=0.95, limits=SHARE),
            Reaches("pixels away", at_most=4.0),
            More("sliding, 40 × 40", "as wide as the canvas, 40 × 40", by=0.005),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of test digits read right; pixels from the region of the largest weight to the digit on 60 × 60, mean "
    "(the nearest region: 1.6)",
)
def anywhere(seed):
    """Both were trained on digits at random places of 40 × 40 pixels."""
    sliding, fixed = ConvNetRecipe("sliding", seed).train(), ConvNetRecipe("fixed", seed).train()
    known, (wide, labels, corners) = canvases(40, seed)[:2], canvases(60, seed)
    weights = region_weights(sliding, wide)
    largest = weights.flatten(1).argmax(dim=1)
    place = 4 * torch.stack([largest // weights.shape[2], largest % weights.shape[2]], dim=1)
    return {
        "sliding, 60 × 60": accuracy(sliding, wide, labels),
        "pixels away": (place - corners).float().norm(dim=1).mean().item(),
        "sliding, 40 × 40": accuracy(sliding, *known),
        "as wide as the canvas, 40 × 40": accuracy(fixed, *known),
    }
