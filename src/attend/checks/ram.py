"""Exercises of the page on the recurrent attention model."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from attend.checks.answers import close, recognise, tensor, whole
from attend.checks.exercise import Wrong, blame, exercise, written_class
from attend.hard.ram import right_log_probs
from attend.hard.reinforce import leave_one_out, rewards_to_go
from attend.tasks import signs

FIRST, SECOND = (0.2, 0.5, 0.8), (0.2, 0.3, 0.3)
"""What two draws at the same canvas earned, glimpse by glimpse."""


@exercise
def credit(advantages: object) -> str:
    """The advantages (3) of the first draw's locations; the second draw is the baseline."""
    rewards = torch.tensor([FIRST, SECOND])
    to_go, so_far = rewards_to_go(rewards), rewards.cumsum(1)
    got, right = tensor(advantages, 3, what="the advantages"), to_go[0] - to_go[1]
    if torch.allclose(got, right, atol=2e-3):
        return "The second draw missed the digit, so whatever the first one did gets the credit for more to come."
    recognise(
        got,
        {
            "the sign is turned: how much more the first draw earned than the second": -right,
            "this is the reward-to-go; the baseline has still to be subtracted": to_go[0],
            "this is the baseline; subtract it from the first draw's own rewards-to-go": to_go[1],
            "each glimpse by itself: a location also gets the credit for what comes after it": rewards[0] - rewards[1],
            "a location gets no credit for what came before it: add up from the end": so_far[0] - so_far[1],
            "the whole return for all three: leave out what came before a location": torch.full(
                (3,), float(rewards[0].sum() - rewards[1].sum())
            ),
            "the first draw's own rewards are in this baseline: compare with the other draw alone": right / 2,
            "a sum, not a mean: credit is all that a location can still change": right / torch.arange(3, 0, -1),
            "a location's own glimpse counts, too": (to_go - rewards)[0] - (to_go - rewards)[1],
        },
    )
    raise Wrong("for each of the three glimpses: what the first draw earns from there on, less what the second does")


HIDDEN, LOCATION, CROP, CLASSES = 64, 16, 12, 3


@exercise
def cost(count: Callable) -> str:
    """count(T, width) -> multiplications by weights of T glimpses, with as many scales as cover the image."""
    for T, width in ((5, 60), (3, 48), (7, 49), (1, 10), (4, 960), (2, 384), (6, 385)):
        got, right = whole(count(T, width), "the count"), T * _a_glimpse(_scales(width))
        if got == right:
            continue
        scales = _scales(width)
        mistakes = {
            "that is one glimpse; there are T of them": (_a_glimpse(scales),),
            "three scales whatever the width: a wide image needs more of them": (T * _a_glimpse(3),),
            "one scale too few: the widest crop must cover the image": (T * _a_glimpse(scales - 1),),
            "one scale too many: the widest crop covers the image already": (T * _a_glimpse(scales + 1),),
            "the location head is missing: 2 numbers from 64": (right - T * 2 * HIDDEN,),
            "the classifier is missing: 3 numbers from 64": (right - T * CLASSES * HIDDEN,),
            "the two heads are missing": (right - T * (CLASSES + 2) * HIDDEN,),
            "`where` is missing: 16 numbers from 2": (right - T * 2 * LOCATION,),
            "the core has two layers, one for the glimpse and one for the old hidden state": (right - T * HIDDEN**2,),
            "`combine` reads what and where: 80 numbers": (right - T * LOCATION * HIDDEN,),
            "each scale has 12 × 12 numbers, and `what` multiplies every one of them by 64 weights": (
                T * (_a_glimpse(scales) - scales * CROP**2 * HIDDEN + scales * CROP * HIDDEN),
                T * (_a_glimpse(scales) - scales * CROP**2 * HIDDEN + CROP**2 * HIDDEN),
            ),
            "biases are added, not multiplied": (right + T * (4 * HIDDEN + LOCATION + CLASSES + 2),),
        }
        for says, wrong in mistakes.items():
            if got in wrong:
                raise Wrong(says)
        raise Wrong(f"{T} glimpses, {width} pixels: the widest crop needs {scales} scales; add up seven layers")
    return "Sixteen times the width is 256 times the pixels, and four scales more."


def _scales(width: int) -> int:
    scales = 1
    while CROP * 2 ** (scales - 1) < width:
        scales += 1
    return scales


def _a_glimpse(scales: int) -> int:
    what, where, combine = scales * CROP**2 * HIDDEN, 2 * LOCATION, (HIDDEN + LOCATION) * HIDDEN
    return what + where + combine + 2 * HIDDEN**2 + (CLASSES + 2) * HIDDEN


@exercise
def labyrinth(terms: Callable) -> str:
    """terms(logits, free, direction, rewards) -> (B, T): −(reward-to-go) · log-probability of the direction taken."""
    for seed, (B, T) in enumerate(((5, 3), (3, 7))):
        generator = torch.Generator().manual_seed(seed)
        logits = torch.randn(B, T, 4, generator=generator)
        direction = torch.randint(4, (B, T), generator=generator)
        passable = torch.rand(B, T, 4, generator=generator) < 0.6
        passable = passable.scatter(2, direction[..., None], True)
        rewards = torch.rand(B, T, generator=generator) - 1
        given = logits.clone(), passable.clone(), direction.clone(), rewards.clone()
        got = tensor(terms(*given), B, T, what="the terms")
        to_go, ones = rewards_to_go(rewards), torch.ones(B, T)
        walled = logits.masked_fill(~passable, -torch.inf)
        taken = Categorical(logits=walled).log_prob(direction)
        right = -to_go * taken
        if any(close(got, one) for one in (right, -(to_go - leave_one_out(to_go)) * taken)):
            continue
        recognise(
            got,
            {
                "the sign is turned: an optimiser makes the loss small, so put a minus before the reward": -right,
                "return a number for each robot and step; the mean comes later": right.mean() * ones,
                "walls are missing: a direction that is closed has probability 0, so it takes part in nothing": (
                    -to_go * Categorical(logits=logits).log_prob(direction)
                ),
                "a logit of 0 is not a probability of 0: put −∞ where there is a wall": -to_go
                * Categorical(logits=logits * passable).log_prob(direction),
                "each step answers for what comes after it, too: add up rewards from the end": -rewards * taken,
                "a step gets no credit for what came before it": -rewards.cumsum(1) * taken,
                "every step gets the whole return: leave out what came before it": -rewards.sum(1, keepdim=True)
                * taken,
                "the rewards are missing": -taken,
                "the logits are not log-probabilities yet: they need a softmax": -to_go
                * logits.gather(2, direction[..., None])[..., 0],
                "the logarithm of the probability, not the probability itself": -to_go * taken.exp(),
                "these are the log-probabilities; each has still to be multiplied by −(reward-to-go)": taken,
            },
        )
        raise Wrong("−(reward-to-go) times the log-probability of the direction taken, with the walls left out")
    return "Where a glimpse draws a point from a bell curve, the robot draws one of four. Nothing else has changed."


ENOUGH, NEARER, STEPS, GLIMPSES = 0.65, 1.0, 300, 3
"""What the learner's model must reach after so many steps: a share of right answers (guessing: 0.33), and a last

glimpse that lies by so many pixels nearer to the digit than the first one."""


@exercise
def build(made: type, policy_loss: type) -> str:
    """The learner's RAM: forward(images, steps, sigma) -> logits (B, T, 3), log_probs (B, T), locations (B, T, 2).

    It is trained by the learner's policy_loss, forward(log_probs, rewards) -> a number.
    """
    for one in (made, policy_loss):
        written_class(one, "forward")
    with blame("your class"):
        torch.manual_seed(1)
        model, loss = made(), policy_loss()
    _looks(model)
    shares, away = _trained(model, loss)
    if away[0] - away[-1] < NEARER:
        raise Wrong(
            f"after {STEPS} steps the first glimpse is {away[0]:.1f} pixels off the digit and the last {away[-1]:.1f}: "
            "the glimpses do not go to it. Is each log-probability that of the location that was looked at?"
        )
    if shares[-1] < ENOUGH:
        raise Wrong(
            f"the glimpses go to the digit, but only {shares[-1]:.0%} are right after {STEPS} steps: do the crops and "
            "the old hidden state both reach the new one?"
        )
    said = ", ".join(f"{share:.0%}" for share in shares)
    return f"After one, two and three glimpses {said} are right. It goes to the digit, and nobody told it where it is."


def _looks(model: nn.Module) -> None:
    """Refuse a model whose glimpses are not what the page says."""
    for seed, (B, W) in enumerate(((5, 32), (3, 41))):
        of = signs.canvases("validation", B, W, generator=torch.Generator().manual_seed(seed))
        logits, log_probs, locations = _called(model, of.images, 4, 0.2)
        for name, got, shape in (
            ("logits", logits, (B, 4, 3)),
            ("log_probs", log_probs, (B, 4)),
            ("locations", locations, (B, 4, 2)),
        ):
            tensor(got.detach(), *shape, what=name)
        if locations.requires_grad:
            raise Wrong("a gradient runs back through the locations: draw them with sample(), or detach them")
        again = _called(model, of.images, 4, 0.2)[2]
        if torch.equal(again[:, 1:], locations[:, 1:]):
            raise Wrong("with sigma = 0.2 the same locations came twice: draw them anew each time")
        if not torch.equal(_called(model, of.images, 4, 0.0)[2], _called(model, of.images, 4, 0.0)[2]):
            raise Wrong("with sigma = 0 the model looks at the mean, and nothing is drawn")
        parameters = list(model.parameters())
        if not log_probs.requires_grad:
            raise Wrong("log_probs knows no gradient: compute it from the mean, at the location that was drawn")
        gradient = torch.autograd.grad(log_probs[:, -1].sum(), parameters, allow_unused=True)
        reached = sum(one is not None for one in gradient)
        if reached <= 2:
            raise Wrong("the last log-probability teaches its own head alone: do not detach the hidden state before it")


def _called(model: nn.Module, *given: object) -> tuple[Tensor, Tensor, Tensor]:
    """What the model returns: three tensors."""
    with blame("your class"):
        logits, log_probs, locations = model(*given)
    if not all(isinstance(one, Tensor) for one in (logits, log_probs, locations)):
        raise Wrong("forward returns three tensors: logits, log_probs, locations")
    return logits, log_probs, locations


def _trained(model: nn.Module, loss: Callable) -> tuple[list[float], list[float]]:
    """The shares of right answers after each glimpse, and how far from the digit they fell."""
    data = signs.canvases("train", 8_000, generator=torch.Generator().manual_seed(0))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.01, STEPS)
    generator = torch.Generator().manual_seed(1)
    for step in range(STEPS):
        rows = torch.randint(len(data.labels), (256,), generator=generator)
        logits, log_probs, _ = _called(model, data.images[rows], GLIMPSES, 0.35 - 0.2 * step / STEPS)
        right = right_log_probs(logits, data.labels[rows])
        where = loss(log_probs, right.exp().detach())
        optimiser.zero_grad()
        (2 * where - right.mean()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    of = signs.canvases("test", 1_000, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        logits, _, locations = _called(model, of.images, GLIMPSES, 0.0)
    shares = (logits.argmax(dim=2) == of.labels[:, None]).float().mean(dim=0)
    return shares.tolist(), signs.distance(locations, of.middles).mean(dim=0).tolist()
