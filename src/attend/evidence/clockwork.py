"""What the page on the clockwork RNN claims: how far gradients reach, who says a wave best, what clocks do not hear."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from attend.evidence import All, More, Reaches, recorded
from attend.memory.clockwork import Clockwork
from attend.memory.delays import Delayed
from attend.memory.elman import RNN
from attend.recipes.clockwork import LATEST, NETWORKS, PERIODS, TUNED_ON, ManyToMany, RecallRecipe, WaveRecipe
from attend.tasks import distractors, wave

DATA = ("evidence/records/clockwork.json",)
SHOWN = ("clockwork", "lstm", "dilated")
"""The networks of which the picture shows every step."""
LAYERS = {
    "vanilla RNN": lambda: RNN(8, 35),
    "skip of 10": lambda: Delayed(8, 27, 10),
    "clockwork RNN": lambda: Clockwork(8, 6, PERIODS[:8]),
}
"""From 1,540 to 1,728 weights; the matrices of the first two start orthogonal, with a gain of 1."""


BACK = range(0, 129, 2)


def gradient_left(layer: nn.Module, back: int = 128, batch: int = 32) -> Tensor:
    """The norm of dL/dstate 0, 1, … `back` steps before the end, L = v · h at the end: geometric means, (back + 1)."""
    x, _ = distractors.sample(batch, back)
    x, H = x.double(), layer.hidden_size
    state = torch.zeros(batch, layer.delay, H) if isinstance(layer, Delayed) else torch.zeros(batch, H)
    state, states = state.double().requires_grad_(), []
    for t, x_t in enumerate(x.unbind(dim=1)):
        state = layer.step(x_t, (state, t))[0] if isinstance(layer, Clockwork) else layer.step(x_t, state)
        states.append(state)
    h = state[:, -1] if isinstance(layer, Delayed) else state
    grads = torch.autograd.grad(h, states, normalize(torch.randn_like(h), dim=1))
    norms = torch.stack([grad.flatten(1).norm(dim=1) for grad in grads])  # (T, B)
    return norms.clamp_min(1e-300).log().mean(dim=1).exp().flip(0)


@recorded(
    "Before training, a skip and slow clocks let a gradient reach farther back than a vanilla RNN does.",
    source="erdem2021attention",
    quote="Delays & Hierarchies to Reach Farther",
    rule=All(
        (
            More("skip of 10, 100 steps back", "vanilla RNN, 100 steps back", by=1.0),
            More("clockwork RNN, 100 steps back", "vanilla RNN, 100 steps back", by=1.0),
        )
    ),
    seeds=range(10, 15),
    budget="1,540 to 1,728 weights each, none of them trained",
    unit="log10 of the gradient left",
)
def gradient(seed):
    """A margin of 1 is a factor of ten. The picture above the box draws every second step."""
    found = {}
    for name, make in LAYERS.items():
        torch.manual_seed(seed)
        left = gradient_left(make().double()).log10()
        found |= {f"{name}, {back} steps back": left[back].item() for back in BACK}
    return found


@recorded(
    "At making a recorded sound, a clockwork RNN leaves less than half the error of an RNN and of an LSTM with as many "
    "weights.",
    source="koutnik2014clockwork",
    quote="The network is demonstrated in preliminary experiments involving two tasks: audio signal generation and "
    "TIMIT spoken word classification, where it outperforms both RNN and LSTM networks.",
    rule=All((More("RNN", "clockwork RNN", by=math.log10(2)), More("LSTM", "clockwork RNN", by=math.log10(2)))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="400 steps of Adam a network; the best rate of four for the clockwork RNN, the best of four rates and two "
    "starts for its rivals, after 300 steps on two other seeds",
    unit="log10 of the error (0: as bad as the mean of the wave all along)",
)
def sound(seed):
    """Beside them, outside of the rule, an LSTM with six times the steps, which takes about as many seconds."""
    recipes = {
        "clockwork RNN": WaveRecipe("clockwork", seed, 400),
        "RNN": WaveRecipe("rnn", seed, 400),
        "LSTM": WaveRecipe("lstm", seed, 400),
        "LSTM, 2,400 steps": WaveRecipe("lstm", seed, 2_400),
    }
    return {name: math.log10(recipe.error(recipe.train())) for name, recipe in recipes.items()}


@torch.no_grad()
def without(model: ManyToMany, period: int) -> tuple[float, float]:
    """The error when the clock of one module never ticks, and when all tick but the readout does not hear this module.

    Not to hear it means to hear it as it would be with its clock stopped: at zero.
    """
    wanted = wave.recording()
    start = wave.start_signal(len(wanted))
    rnn, muted = model.rnn, model.rnn.period == period
    h, stopped = torch.zeros(1, rnn.hidden_size), []
    for t, x_t in enumerate(start.unbind(dim=1)):
        h = torch.where(muted, h, rnn.step(x_t, (h, t))[0])
        stopped.append(h)
    unheard = model(start)[1].masked_fill(muted, 0.0)
    both = (torch.stack(stopped, dim=1), unheard)
    return tuple(wave.cost(model.readout(hidden)[..., 0], wanted).item() for hidden in both)


@recorded(
    "What a slow module does for the wave it does through the faster ones: stopping its clock costs more than twice "
    "what it costs not to hear it.",
    source="ours",
    rule=More("stopped", "not heard", by=math.log10(2)),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="400 steps of Adam; the best rate of four after 300 steps on two other seeds",
    unit="log10 of the mean error without one of the modules of period 8 to 256",
)
def conduct(seed):
    """Every module by itself as well: the picture above the box draws them."""
    recipe = WaveRecipe("clockwork", seed, 400)
    model = recipe.train()
    errors = {period: without(model, period) for period in PERIODS}
    found = {f"{what}, period {p}": errors[p][k] for k, what in enumerate(("stopped", "not heard")) for p in PERIODS}
    slow = [errors[period] for period in PERIODS if period >= 8]
    mean = [sum(column) / len(slow) for column in zip(*slow, strict=True)]
    return {"stopped": math.log10(mean[0]), "not heard": math.log10(mean[1])} | found


@recorded(
    "A clockwork RNN recalls a key from the first step 127 steps later, and more surely than a vanilla RNN.",
    source="ours",
    rule=All((Reaches("clockwork", at_least=0.95), More("clockwork", "rnn", by=0.05))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="400 steps of 32 sequences of 128; the best of three rates at the task of the next claim",
    unit="share of right answers (guessing: 0.25)",
)
def first(seed):
    """All four networks."""
    recipes = {network: RecallRecipe(network, False, seed) for network in NETWORKS}
    return {network: recipe.right(recipe.train())[0].float().mean().item() for network, recipe in recipes.items()}


@recorded(
    "When the key may come at any step, a clockwork RNN misses much of what comes between the ticks of its slow "
    "modules, and an LSTM and dilated convolutions recall more.",
    source="ours",
    rule=All(
        (
            More("clockwork, ticks of period 8", "clockwork, odd steps", by=0.2),
            More("lstm", "clockwork", by=0.1),
            More("dilated", "clockwork", by=0.1),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="1,200 steps of 32 sequences of 64; the best of three rates after 600 steps on two other seeds",
    unit="share of right answers (guessing: 0.25)",
)
def anywhere(seed):
    """All four networks, step by step; about 200 sequences for every step at which the key may come."""
    found = {}
    for network in NETWORKS:
        recipe = RecallRecipe(network, True, seed, 1_200)
        right, at = recipe.right(recipe.train(), 200 * LATEST)
        found[network] = right.float().mean().item()
        if network == "clockwork":
            found["clockwork, ticks of period 8"] = right[at % 8 == 0].float().mean().item()
            found["clockwork, odd steps"] = right[at % 2 == 1].float().mean().item()
        if network in SHOWN:
            found |= {f"{network}, step {t}": right[at == t].float().mean().item() for t in range(LATEST)}
    return found
