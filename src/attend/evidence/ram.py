"""What the page on the recurrent attention model claims of the beginning of its training."""

from attend.evidence import SHARE, All, More, Reaches, recorded
from attend.recipes.ram import GLIMPSES, SearchRecipe, evaluate, held_out

DATA = ("evidence/records/ram.json",)


@recorded(
    "From the digits' names alone, a model begins to move its glimpses towards the digit.",
    source="mnih2014recurrent",
    rule=All(
        (
            Reaches("right, step 600", at_least=0.4, limits=SHARE),
            More("second glimpse off by, step 0", "second glimpse off by, step 600", by=2.0),
        )
    ),
    seeds=range(10, 15),
    budget="the first 600 steps of a training, with its rate falling to zero by then; 500 validation canvases",
    unit="share of digits named right after five glimpses; pixels from the digit's middle",
)
def learns(seed):
    """Nothing tells the model where the digit is: the reward is a right name."""
    recipe, canvases, values = SearchRecipe(seed=seed, steps=600), held_out("validation", 500), {}
    for step, model in ((0, recipe.build()), (600, recipe.train()[0])):
        found = evaluate(model, canvases, GLIMPSES)
        values |= {f"right, step {step}": found["right"][-1], f"second glimpse off by, step {step}": found["away"][1]}
    return values
