"""What the page on REINFORCE claims: what a baseline is worth, what entropy does, credit, and how one look scales."""

from dataclasses import replace

import torch

from attend.evidence import All, More, OnlyIf, Reaches, recorded
from attend.hard.reinforce import HardAttention
from attend.recipes.reinforce import OFFSET, OFFSETS, TUNED_ON, WEIGHTS, WINDOWS, StreetRecipe, side
from attend.tasks.street import Street

DATA = ("evidence/records/reinforce.json",)
TUNING = "the best of three learning rates on two other seeds and validation photos, for each side"
DRAWS = 60
"""How often the looks at the same photos are drawn anew, to see how much an estimate varies."""


def trained(name: str, seed: int) -> tuple[HardAttention, float]:
    """The model of one side of a trial, and its share of right answers on new photos."""
    recipe = side(name, seed)
    model = recipe.train()
    return model, recipe.accuracy(model)


def variance(recipe: StreetRecipe, model: HardAttention, photo: Street) -> float:
    """The variance of the gradient that teaches where to look, over new draws at the same photos: log10 of its sum."""
    torch.manual_seed(4_000 + recipe.seed)
    parameters = list(model.score.parameters())
    drawn = []
    for _ in range(DRAWS):
        grads = torch.autograd.grad(recipe.loss(model, photo), parameters)
        drawn.append(torch.cat([grad.flatten() for grad in grads]))
    return torch.stack(drawn).var(dim=0).sum().log10().item()


@recorded(
    "A baseline lowers the variance of the estimator, to half at most.",
    source="erdem2021attention",
    quote="Baseline is used to lower the variance of the estimator",
    rule=OnlyIf(
        "rewards lie far from 0, compared with how much they differ",
        inside=Reaches("rewards from -4", at_most=0.5),
        outside=Reaches("rewards from 0", at_most=0.5),
    ),
    seeds=range(20, 25),
    tuned_on=TUNED_ON,
    budget="models after 20 steps with a baseline; the same 128 photos and draws for both estimates",
    unit="variance with the mean of the others, as a share of that without a baseline",
)
def calm(seed):
    """A wrong answer is paid -4, 0 or 4, a right one 1 more. And with rewards from 0 for models after 160 steps."""
    found = {}
    for steps, lows in ((20, OFFSETS), (160, (0,))):
        begun = replace(side("baseline", seed), steps=steps)
        model, photo = begun.train(), _photos(begun)
        calmed = variance(begun, model, photo)
        for low in lows:
            name = f"rewards from {low}"
            bare = variance(side(f"no baseline, {name}", seed), model, photo)
            found[name + ", 160 steps" * (steps == 160)] = 10 ** (calmed - bare)
    return found


@recorded(
    "Without a baseline, a constant added to all rewards, 4 or -4, makes the training take longer.",
    source="ours",
    rule=All(tuple(More(f"no baseline, rewards from {low}", "baseline", by=20) for low in (OFFSETS[0], OFFSETS[-1]))),
    seeds=range(20, 30),
    tuned_on=TUNED_ON,
    budget=f"at most 600 steps of 128 photos, 16 windows; {TUNING}",
    unit="steps until half of the answers are right on new photos (600: not within 600)",
)
def offset(seed):
    """With the mean of the others as baseline the constant cancels, so one column stands for all."""
    return {name: side(name, seed).steps_to_half() for name in OFFSET}


@recorded(
    "An entropy term reduces the variance of the estimator.",
    source="erdem2021attention",
    quote="To reduce the estimator variance, entropy term $H[s]$ and bias are added",
    rule=All(tuple(More("entropy 0.0", f"entropy {weight}", by=0.0) for weight in WEIGHTS[1:])),
    seeds=range(20, 25),
    tuned_on=TUNED_ON,
    budget=f"160 steps of 128 photos, 16 windows; {TUNING}; a baseline on all sides",
    unit="log10 of the variance, the mean after 40, 80, 120 and 160 steps",
)
def entropy(seed):
    """The gradients at the same 128 photos, their looks drawn 60 times. And the share of right answers at the end."""
    found = {}
    for weight in WEIGHTS:
        name, varied = f"entropy {weight}", []
        recipe = side(name, seed)
        photo = _photos(recipe)

        def watch(step, recipe=recipe, photo=photo, varied=varied):
            if step.step % 40 == 0:
                state = torch.get_rng_state()
                varied.append(variance(recipe, step.model, photo))
                torch.set_rng_state(state)

        model = recipe.train([watch])
        found |= {name: sum(varied) / len(varied), f"{name}, right": recipe.accuracy(model)}
    return found


@recorded(
    "The estimate varies less when a look is credited with later rewards only, by a twentieth at least.",
    source="ours",
    rule=Reaches("later rewards", at_most=0.95),
    seeds=range(20, 25),
    tuned_on=TUNED_ON,
    budget=f"160 steps of 128 photos, 16 windows, 4 looks; {TUNING}; a baseline on both sides",
    unit="variance, as a share of that with all rewards",
)
def to_go(seed):
    """After 40 of the steps, at the same photos. And the share of answers that are right at the end, over all looks."""
    begun = replace(side("later rewards", seed), steps=40)
    model, photo = begun.train(), _photos(begun)
    later, every = (10 ** variance(side(name, seed), model, photo) for name in ("later rewards", "all rewards"))
    shares = {f"{name}, right": trained(name, seed)[1] for name in ("later rewards", "all rewards")}
    return {"later rewards": later / every} | shares


@recorded(
    "Among 64 windows, one look learns less in as many steps than the exact gradients, which read every window.",
    source="ours",
    rule=More("every window, 64 windows", "one look, 64 windows", by=0.2),
    seeds=range(20, 25),
    tuned_on=TUNED_ON,
    budget=f"240 steps of 128 photos; {TUNING}",
    unit="share of right answers on new photos",
)
def scale(seed):
    """One look is an estimate of these gradients. And both among 4 and 16 windows."""
    ways = ("one look", "every window")
    return {name: trained(name, seed)[1] for S in WINDOWS for name in (f"{way}, {S} windows" for way in ways)}


def _photos(recipe: StreetRecipe) -> Street:
    """128 photos that none of the trainings sees."""
    return Street(*(part[:128] for part in recipe.judging("validation")))
