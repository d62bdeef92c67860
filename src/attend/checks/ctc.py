"""Exercises of the page on CTC."""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from attend.checks.answers import floats, number, parts, tensor
from attend.checks.exercise import Untouched, Wrong, blame, exercise
from attend.soft.ctc import Recogniser, best_path
from attend.tasks import speech


@exercise
def paths(answer) -> str:
    """What the path _33_37_ says, how many frames 3337 needs at least, how many paths of four frames say 33."""
    said, least, many = parts(answer, 3, "the answer")
    if said is ... or least is ... or many is ...:
        raise Untouched
    text = "".join(str(said).split())
    if text != "337":
        raise Wrong(
            {
                "37": "blanks were dropped before repeats were merged: the blank keeps the second 3 from the first",
                "3337": "33 side by side is one 3",
            }.get(text, "merge what stands side by side first, 33 to 3; then drop the blanks")
        )
    if (least := number(least, "the number of frames")) != 6:
        why = {4: "between two equal digits there must be a blank", 9: "the blanks at both ends may be left out",
               7: "7 is not a repeat: no blank is needed before it"}  # fmt: skip
        raise Wrong(why.get(int(least), "a frame for each digit, and one for each blank that must be there"))
    if (many := number(many, "the number of paths")) != 5:
        raise Wrong(
            f"{many:g} paths: the shortest is 3_3, three frames long; the fourth frame repeats one of the three, or is "
            "a blank at an end"
        )
    return "Merging first is what makes a blank worth having: it is the only way to say a digit twice."


def _forward(probs: Tensor, target: Tensor, skip: str = "right", last: bool = True) -> float:
    tokens = [0, *(token for label in target.tolist() for token in (label, 0))]
    alpha = [0.0] * len(tokens)
    for t, frame in enumerate(probs.tolist()):
        before, alpha = alpha, []
        for n, token in enumerate(tokens):
            come = (1.0 if n < 2 else 0.0) if t == 0 else before[n] + (before[n - 1] if n else 0.0)
            may = {
                "right": token != 0 and n > 1 and token != tokens[n - 2],
                "none": False,
                "repeats": token != 0 and n > 1,
                "blanks": n > 1 and (token == 0 or token != tokens[n - 2]),
            }[skip]
            alpha.append((come + (before[n - 2] if t and may else 0.0)) * frame[token])
    return alpha[-1] * last + alpha[-2]


@exercise
def forward(probability: Callable) -> str:
    """probability(probs, target) -> the sum over all paths; probs (T, V), target (L)."""
    for seed, (T, V, target) in enumerate(((3, 4, [1, 2]), (6, 5, [2, 2, 4]), (9, 3, [1, 2, 2, 1]), (2, 4, [3, 3]))):
        generator = torch.Generator().manual_seed(seed)
        probs, labels = torch.randn(T, V, generator=generator).mul(1.5).softmax(dim=1), torch.tensor(target)
        got = probability(probs.clone(), labels.clone())
        if got is None or got is ...:
            raise Untouched
        got, right = number(got, "the probability"), _forward(probs, labels)
        if math.isclose(got, right, rel_tol=1e-3, abs_tol=1e-9):
            continue
        faults = {
            "that is the loss, -ln of it": -math.log(right) if right else math.inf,
            "paths that end in the last blank are missing": _forward(probs, labels, last=False),
            "the blank between two equal digits was skipped: 3 then 3 would be merged": _forward(
                probs, labels, "repeats"
            ),
            "no blank was ever skipped; between different digits it may be": _forward(probs, labels, "none"),
            "a digit was skipped: only blanks may be": _forward(probs, labels, "blanks"),
        }
        for says, value in faults.items():
            if math.isclose(got, value, rel_tol=1e-3, abs_tol=1e-9):
                raise Wrong(says)
        raise Wrong(
            f"with {T} frames and the labels {target}, {got:.4g} is not the sum over all paths (which you can "
            "enumerate, and compare)"
        )
    return "The lattice has added up thousands of paths, and no path was ever written down."


STEPS, ENOUGH = 250, 0.5
"""Training steps, and the label error that a learner's loss must reach on new speakers."""


@exercise
def build(make: Callable) -> str:
    """make() -> a module from log_probs, lengths, target, target_lengths to -ln p of each row (B), with gradients."""
    with blame("your loss", "while it was made"):
        loss = make()
    if loss is None or loss is ...:
        raise Untouched
    if not callable(loss):
        raise Wrong(f"`Loss()` must be a module, got {loss!r}")
    for seed, (B, T, V, L) in enumerate(((3, 11, 5, 4), (2, 8, 3, 3))):
        generator = torch.Generator().manual_seed(seed)
        logits = torch.randn(B, T, V, generator=generator, requires_grad=True)
        lengths, sizes = torch.arange(T, T - B, -1), torch.arange(L, L - B, -1)
        target = torch.randint(1, V, (B, L), generator=generator)
        target[0, :2] = 1
        target = target * (torch.arange(L) < sizes[:, None])
        log_probs = logits.log_softmax(dim=2)
        with blame("your loss", f"with B = {B}, T = {T}, L = {L}"):
            said = loss(log_probs, lengths.clone(), target.clone(), sizes.clone())
        if said is None or said is ...:
            raise Untouched
        got = tensor(floats(said, f"the answer must be a tensor of shape ({B},)"), B)
        right = F.ctc_loss(log_probs.transpose(0, 1), target, lengths, sizes, reduction="none")
        if not torch.allclose(got, right, rtol=1e-3, atol=1e-4):
            if torch.allclose(got, -right, rtol=1e-3, atol=1e-4):
                raise Wrong("this is ln p; the loss is -ln p")
            if torch.allclose(got[:1], right[:1], rtol=1e-3, atol=1e-4):
                raise Wrong("the longest row is right, shorter ones are not: padding has been read as frames or labels")
            raise Wrong(f"with B = {B}, T = {T}, L = {L} the values are not those of torch's loss")
        if not (isinstance(said, Tensor) and said.requires_grad):
            raise Wrong("no gradient flows through your answer: was a tensor made of Python numbers?")
        mine, theirs = (torch.autograd.grad(one.sum(), logits, retain_graph=True)[0] for one in (said, right))
        if not mine.isfinite().all():
            raise Wrong(
                "the loss is right and its gradient is not finite: logsumexp of nothing but -inf has none; put a "
                "number like -1e30 in its place"
            )
        if not torch.allclose(mine, theirs, atol=1e-3):
            raise Wrong("the values are right and the gradients are not: is everything computed by torch's functions?")
    torch.manual_seed(3)
    model = Recogniser(speech.BANDS, speech.TOKENS, 64)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    draw = speech.batches(speech.load("train"), 16, torch.Generator().manual_seed(3))
    with blame("your loss", "in training"):
        for _ in range(STEPS):
            batch = next(draw)
            log_probs, mask = model(batch.x, batch.mask)
            each = loss(log_probs, mask.sum(dim=1), batch.target, batch.asked.sum(dim=1))
            optimiser.zero_grad()
            (each / batch.asked.sum(dim=1)).mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
    test = speech.load("test", 60)
    with torch.no_grad():
        log_probs, mask = model(test.x, test.mask)
    heard = [
        "".join(str(token - 1) for token in best_path(row[there])) for row, there in zip(log_probs, mask, strict=True)
    ]
    found = speech.label_error(heard, speech.said(test))
    shown = f"Of “three three seven” it heard {heard[speech.SHOWN] or 'nothing'}"
    if found <= ENOUGH:
        return f"{shown}; {found:.0%} of the digits of new speakers are wrong after {STEPS} steps with your loss."
    raise Wrong(f"{shown}; {found:.0%} of the digits are wrong, and at most {ENOUGH:.0%} are asked for")
