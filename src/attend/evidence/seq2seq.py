"""What the page on sequence to sequence claims: what the context vector holds, what width, time, data and order do."""

import torch
from torch import Tensor

from attend.evidence import SHARE, All, More, OnlyIf, Reaches, recorded
from attend.recipes.seq2seq import DIGITS, TUNED_ON, WIDTHS, TranslateRecipe, exact
from attend.soft.seq2seq import Seq2Seq, shift_right
from attend.tasks import numbers, translation
from attend.tasks.pairs import Pairs

DATA = ("evidence/records/seq2seq.json",)
SLOTS = (0, 3, 4, 6, 9, 10)
"""Where the words that say something stand in a number like 621,347, of eleven English words:

six, twenty, one, three, forty, seven; the others are "hundred", "and", "thousand" in all of these numbers."""
PACE = (
    "64 pairs a step; for each kind and width the best of four learning rates, 0.005 to 0.04, after 400 steps on one "
    "other seed; none lay at the edge"
)
CHECKPOINTS = (300, 600, 1_200)


def eleven_words() -> tuple[int, ...]:
    """The test numbers of eleven English words, which differ only at SLOTS."""
    return tuple(n for n in numbers.numbers("test", DIGITS, 2_000) if len(numbers.english(n)) == 11)


def influence(model: Seq2Seq, source: Tensor) -> Tensor:
    """How strongly the encoder's final state depends on each word of `source` (B, S), without padding: (B, S).

    The norm of the gradient of v · h_S with respect to the embedding of the word, v a random direction; a mean over 8.
    """
    with torch.no_grad():
        words = model.embed_source(source)
    words.requires_grad_(True)  # (B, S, D)
    _, last = model.encoder(words, mask=torch.ones_like(source, dtype=torch.bool))  # (B, H)
    generator = torch.Generator().manual_seed(0)
    norms = []
    for _ in range(8):
        v = torch.randn(last.shape, generator=generator)
        (gradient,) = torch.autograd.grad(last, words, v / v.norm(dim=1, keepdim=True), retain_graph=True)
        norms.append(gradient.norm(dim=2))
    return torch.stack(norms).mean(dim=0)


def token_by_word(model: Seq2Seq, chosen: tuple[int, ...]) -> Tensor:
    """How strongly each token of the answer depends on each word that says something, for numbers of eleven words.

    Rows are the words at SLOTS that a token says, columns those at SLOTS that its log-probability is differentiated
    by: norms of the gradient under teacher forcing, averaged over tokens and numbers, the largest set to 1: (6, 6).
    """
    test, origins = translation.encode(chosen), translation.origins(chosen)  # (B, S), (B, T)
    with torch.no_grad():
        words = model.embed_source(test.source)
    words.requires_grad_(True)
    _, last = model.encoder(words, mask=test.mask)
    previous = model.embed_target(shift_right(test.target, model.end))
    hidden, _ = model.decoder(previous, last)
    log_probs = model.readout(hidden).log_softmax(dim=2).gather(2, test.target[..., None])[..., 0]  # (B, T)
    total = torch.zeros(len(SLOTS), len(SLOTS))
    for t in range(log_probs.shape[1]):  # the rows of a batch do not depend on each other
        (gradient,) = torch.autograd.grad(log_probs[:, t].sum(), words, retain_graph=True)
        norms = gradient.norm(dim=2)[:, list(SLOTS)]  # (B, 6)
        for row, slot in enumerate(SLOTS):
            total[row] += norms[origins[:, t] == slot].sum(dim=0)
    counts = torch.tensor([float((origins == slot).sum()) for slot in SLOTS])
    mean = total / counts[:, None]
    return mean / mean.max()


def late_share(model: Seq2Seq) -> float:
    """The share of the second three of SLOTS in what the final state depends on, averaged over numbers."""
    norms = influence(model, translation.encode(eleven_words()).source)[:, list(SLOTS)]
    return (norms[:, 3:].sum(dim=1) / norms.sum(dim=1)).mean().item()


@recorded(
    "The encoder's final state mostly reflects the end of the source.",
    source="sankaran2019part4",
    quote="even with gating, the final h_T tends to mostly reflect cotributions [sic] from the end of the source "
    "sentence",
    rule=OnlyIf(
        "the network is not trained yet",
        inside=Reaches("before training", at_least=0.6, limits=SHARE),
        outside=Reaches("after training", at_least=0.6, limits=SHARE),
    ),
    seeds=range(30, 35),
    tuned_on=TUNED_ON,
    budget=f"64 hidden units, 400 steps. {PACE}",
    unit="share of the second half of the words that vary in the gradient of the final state (even: 0.5)",
)
def end(seed):
    """Test numbers of eleven words: six of them vary from number to number, three in either half."""
    recipe = TranslateRecipe(seed=seed)
    return {"before training": late_share(recipe.build()), "after training": late_share(recipe.train())}


def by_digits(model: Seq2Seq, test: Pairs, digits: Tensor) -> dict[str, float]:
    """The share translated without a mistake, of the numbers of one to three digits and of those of six."""
    right = exact(model, test).double()
    return {"1 to 3 digits": right[digits <= 3].mean().item(), "6 digits": right[digits == 6].mean().item()}


@recorded(
    "32 units learn numbers of up to three digits, and in the same steps far fewer of six digits than 64 units do; and "
    "at both widths more training still brings more.",
    source="ours",
    rule=All(
        (
            Reaches("32 units, 1,200 steps, 1 to 3 digits", at_least=0.8, limits=SHARE),
            More("64 units, 1,200 steps, 6 digits", "32 units, 1,200 steps, 6 digits", by=0.3),
            More("64 units, 1,200 steps, 6 digits", "64 units, 300 steps, 6 digits", by=0.2),
            More("32 units, 1,200 steps, 6 digits", "32 units, 300 steps, 6 digits", by=0.05),
        )
    ),
    seeds=range(30, 35),
    tuned_on=TUNED_ON,
    budget=f"1,200 steps, looked at on the way. {PACE}",
    unit="share of test numbers translated without a mistake",
)
def slow(seed):
    """Two widths, three moments of one training each."""
    found = {}
    for H in (32, 64):
        recipe = TranslateRecipe(H=H, seed=seed, steps=CHECKPOINTS[-1])
        test, digits = recipe.pairs("test"), recipe.digits("test")

        def look(step, H=H, test=test, digits=digits):
            if step.step in CHECKPOINTS:
                for group, share in by_digits(step.model, test, digits).items():
                    found[f"{H} units, {step.step:,} steps, {group}"] = share

        recipe.train((look,))
    return found


@recorded(
    "With a fifth of the training pairs far fewer new numbers are translated.",
    source="erdem2021attention",
    quote="training can be slow and require lots of data",
    rule=More("5,097 pairs", "1,000 pairs", by=0.2),
    seeds=range(30, 35),
    tuned_on=TUNED_ON,
    budget=f"64 hidden units, 400 steps. {PACE}; the rate was found with all pairs",
    unit="share of test numbers translated without a mistake",
)
def data(seed):
    """The same number of steps, so the fewer pairs come five times as often."""
    found = {}
    for most in (5_097, 1_000):
        recipe = TranslateRecipe(seed=seed, most=most)
        found[f"{most:,} pairs"] = exact(recipe.train(), recipe.pairs("test")).double().mean().item()
    return found


@recorded(
    "Reversing the words of the source helps; so does reading them from both ends, and showing the decoder the context "
    "vector at every step.",
    source="ours",
    rule=All(tuple(More(kind, "forward", by=0.03) for kind in WIDTHS if kind != "forward")),
    seeds=range(30, 35),
    tuned_on=TUNED_ON,
    budget=f"400 steps, as many weights to within 2 %. {PACE}",
    unit="share of test numbers translated without a mistake",
)
def order(seed):
    """All four kinds."""
    found = {}
    for kind, H in WIDTHS.items():
        recipe = TranslateRecipe(kind, H, seed)
        found[kind] = exact(recipe.train(), recipe.pairs("test")).double().mean().item()
    return found


def states(model: Seq2Seq, chosen: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Encoder states (B, S, H), decoder states under teacher forcing (B, T, H), the mask (B, S), the origins (B, T)."""
    pair = translation.encode(chosen)
    with torch.no_grad():
        hidden, last = model.encoder(model.embed_source(pair.source), mask=pair.mask)
        decoded, _ = model.decoder(model.embed_target(shift_right(pair.target, model.end)), last)
    return hidden, decoded, pair.mask, translation.origins(chosen)


def nearest(hidden: Tensor, decoded: Tensor, mask: Tensor, origins: Tensor) -> float:
    """Over tokens that say a word: how often the nearest encoder state is that of this word."""
    distance = torch.cdist(decoded, hidden).masked_fill(~mask[:, None], torch.inf)
    says = origins >= 0
    return (distance.argmin(dim=2) == origins)[says].double().mean().item()


def fitted(model: Seq2Seq, chosen: tuple[int, ...]) -> Tensor:
    """The affine map (H + 1, H) from decoder states to the encoder states of the words they say: ridge regression."""
    hidden, decoded, _, origins = states(model, chosen)
    says = origins >= 0
    wanted = hidden.gather(1, origins.clamp(min=0)[..., None].expand(-1, -1, hidden.shape[2]))[says]
    given = with_one(decoded)[says]
    return torch.linalg.solve(given.T @ given + 0.1 * torch.eye(given.shape[1]), given.T @ wanted)


def with_one(states: Tensor) -> Tensor:
    """The states with a 1 behind each."""
    return torch.cat([states, torch.ones_like(states[..., :1])], dim=-1)


def long_ones(part: str) -> tuple[int, ...]:
    """The numbers of one part that have eight English words or more."""
    return tuple(n for n in numbers.numbers(part, DIGITS, 2_000) if len(numbers.english(n)) >= 8)


@recorded(
    "Where the decoder says a word, its state lies nearest to the encoder's state at that word.",
    source="sankaran2019part5",
    quote="Corresponding parts of the h space have similar meanings.",
    rule=OnlyIf(
        "a linear map takes the one space into the other",
        inside=All(
            (
                Reaches("trained, mapped", at_least=0.8, limits=SHARE),
                More("trained, mapped", "untrained, mapped", by=0.2),
            )
        ),
        outside=Reaches("trained, as they are", at_least=0.5, limits=SHARE),
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=f"64 hidden units, 400 steps; the map, ridge regression with a weight of 0.1, on a third of the training "
    f"numbers. {PACE}",
    unit="share of tokens whose nearest encoder state, of eight to eleven, is that of the word they say",
)
def near(seed):
    """Test numbers of eight words or more; the same map is fitted to the network before training, as a control."""
    recipe, found = TranslateRecipe(seed=seed), {}
    for name, model in (("untrained", recipe.build()), ("trained", recipe.train())):
        hidden, decoded, mask, origins = states(model, long_ones("test"))
        mapped = with_one(decoded) @ fitted(model, long_ones("train")[::3])
        found[f"{name}, as they are"] = nearest(hidden, decoded, mask, origins)
        found[f"{name}, mapped"] = nearest(hidden, mapped, mask, origins)
    return found
