"""What the page on saliency claims: where a net without attention looks, what its maps know, what pooling adds."""

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity, pad

from attend.evidence import All, More, recorded
from attend.recipes.saliency import CHEAT, RATE, TUNED_ON, CrowdRecipe, accuracy, named
from attend.soft.saliency import PooledNet, grad_cam, gradient_map, integrated_gradients, share_inside
from attend.tasks import crowd
from attend.tasks.clutter import INK

DATA = ("evidence/records/saliency.json",)
MAPS = {"gradient": gradient_map, "integrated gradients": integrated_gradients, "Grad-CAM": grad_cam}
REMOVED = (2, 5, 10, 20)
"""How many pixels of ink are taken away."""


def canvases(seed: int, count: int = 500, pieces: int = crowd.PIECES) -> crowd.Crowd:
    """New canvases with digits that no training has seen: without `pieces`, the same digits alone."""
    return crowd.canvases("test", count, torch.Generator().manual_seed(2_000 + seed), pieces)


def correlation(one: Tensor, other: Tensor) -> float:
    """Pearson's correlation of the sizes of two maps, pixel by pixel: the mean over images (B, Y, X)."""
    a, b = (maps.abs().flatten(1) for maps in (one, other))
    a, b = (values - values.mean(dim=1, keepdim=True) for values in (a, b))
    return cosine_similarity(a, b).mean().item()


def without(images: Tensor, rating: Tensor, count: int) -> Tensor:
    """The images (B, Y, X) without the `count` pixels of ink that are rated highest."""
    rating = rating.masked_fill(images < INK, -torch.inf)
    highest = rating.flatten(1).topk(count).indices  # (B, count)
    return images.flatten(1).scatter(1, highest, 0.0).view_as(images)


def around(corners: Tensor, size: int, edge: int = 2) -> Tensor:
    """1 in squares that begin at `corners` (N, 2), and `edge` pixels around them; 0 on the rest of the canvas."""
    square = torch.ones(len(corners), size + 2 * edge, size + 2 * edge)
    wide = crowd.lay(square, corners, crowd.WIDTH + 2 * edge)
    return pad(wide, (-edge, -edge, -edge, -edge))


def peak_inside(maps: Tensor, boxes: Tensor) -> float:
    """The share of canvases on which the largest size of a map (B, H, W) lies in the digit's box."""
    at = maps.abs().flatten(1).argmax(1, keepdim=True)
    return boxes.flatten(1).gather(1, at).double().mean().item()


BUDGET = (
    "300 steps of 32 canvases; the best of three learning rates, or four where it stood at the edge, on another seed"
)


@recorded(
    "Training turns a net without attention to the digit: integrated gradients and Grad-CAM put more into its box than "
    "before training, and more than the box has of the ink.",
    source="adaloglou2020attention",
    quote="Deep networks are very rich function approximators. So, without any further modification, they tend to "
    "ignore parts of the input and focus on others.",
    rule=All(
        (
            More("integrated gradients, trained", "integrated gradients, untrained", by=0.1),
            More("integrated gradients, trained", "ink", by=0.1),
            More("Grad-CAM, trained", "Grad-CAM, untrained", by=0.1),
            More("Grad-CAM, trained", "ink", by=0.1),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share inside the digit's box, 15 % of the canvas",
)
def implicit(seed):
    """Average pooling. The gradient beside them, and how far each map agrees with that of the net before training.

    Both nets are asked about the digit that the trained one names. No rule judges on how many canvases the largest
    size lies in the box.
    """
    recipe, of = CrowdRecipe(seed=seed), canvases(seed, 300)
    model, fresh, boxes = recipe.train(), recipe.build(), crowd.boxes(of.corners)
    found, asked = {"ink": share_inside(of.images, boxes).mean()}, named(model, of.images)
    for name, make in MAPS.items():
        maps = [make(net, of.images, asked) for net in (model, fresh)]
        for state, one in zip(("trained", "untrained"), maps, strict=True):
            found[f"{name}, {state}"] = share_inside(one, boxes).mean()
            found[f"{name}, {state}, largest"] = peak_inside(one, boxes)
        found[f"{name}, agreement"] = correlation(*maps)
    return found


@recorded(
    "Each map knows more than where the digit is: without the five pixels of ink that it rates highest, fewer answers "
    "stay right than without five pixels of the digit at random.",
    source="ours",
    rule=All(tuple(More("the digit at random, 5", f"{name}, 5", by=0.05) for name in MAPS)),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of right answers that stay right",
)
def removed(seed):
    """Average pooling. Three controls, and all numbers of REMOVED pixels, for the picture.

    The same canvases without pieces tell which ink is the digit's: pieces lie in its box, too.
    """
    model, of, alone = CrowdRecipe(seed=seed).train(), canvases(seed, 300), canvases(seed, 300, pieces=0)
    right = named(model, of.images) == of.labels
    images, labels, own = of.images[right], of.labels[right], (alone.images[right] >= INK).float()
    chance = torch.rand(images.shape, generator=torch.Generator().manual_seed(seed))
    ratings = {name: make(model, images, labels) for name, make in MAPS.items()}
    ratings["gradient"] = ratings["gradient"].abs()
    ratings |= {"the digit at random": own + chance, "the digit, most ink": own + images, "any ink at random": chance}
    return {
        f"{name}, {count}": (named(model, without(images, rating, count)) == labels).double().mean()
        for name, rating in ratings.items()
        for count in REMOVED
    }


@recorded(
    "Where every 7 of the training carries a mark, all three maps point at the mark, and those of a net trained "
    "without marks do not.",
    source="ours",
    rule=All(tuple(More(f"{name}, marked", f"{name}, without marks", by=0.1) for name in MAPS)),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of the map of a marked 7 in a square of 8 x 8 pixels around the mark, 5 % of the canvas",
)
def marked(seed):
    """Average pooling. And the shares of sevens named right by both nets, with the mark and without."""
    nets = {"marked": CrowdRecipe(seed=seed, marked=True).train(), "without marks": CrowdRecipe(seed=seed).train()}
    of, found = canvases(seed, 1_500), {}
    sevens = crowd.Crowd(*(part[of.labels == CHEAT] for part in of))
    shown, corners = crowd.marked(sevens, sevens.labels == CHEAT, torch.Generator().manual_seed(seed))
    for state, net in nets.items():
        for name, make in MAPS.items():
            maps = make(net, shown.images, shown.labels)
            found[f"{name}, {state}"] = share_inside(maps, around(corners, crowd.MARK)).mean()
        found[f"right, {state}"] = accuracy(net, of)
        found[f"7s with the mark, {state}"] = accuracy(net, shown)
        found[f"7s without, {state}"] = accuracy(net, sevens)
    return found


@recorded(
    "With the same layers below, attention pooling names more digits than average pooling and than max pooling.",
    source="ours",
    rule=All((More("attention", "average", by=0.02), More("attention", "maximum", by=0.02))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of 2,000 new digits named right",
)
def pooling(seed):
    """And the share of each net's gradient, of its Grad-CAM and of the attention weights inside the digit's box."""
    of, found = canvases(seed, 2_000), {}
    some = crowd.Crowd(*(part[:300] for part in of))
    boxes = crowd.boxes(some.corners)
    for pool in RATE:
        model, name = CrowdRecipe(pool, seed).train(), "maximum" if pool == "max" else pool
        found[name], labels = accuracy(model, of), named(model, some.images)
        for kind in ("gradient", "Grad-CAM"):
            found[f"{name}, {kind}"] = share_inside(MAPS[kind](model, some.images, labels), boxes).mean()
    found["attention, weights"] = share_inside(weights_of(model, some.images), boxes).mean()
    return found


@torch.no_grad()
def weights_of(model: PooledNet, images: Tensor) -> Tensor:
    """The attention weights of a net's positions as a map of the image: each spread over its own 4 x 4 pixels."""
    weights = model.weights(model.features(images[:, None]))  # (B, 9, 9)
    return weights.repeat_interleave(4, dim=1).repeat_interleave(4, dim=2) / 16
