"""The exercises on alignments: how many links are wrong, and attention whose scores are read from a table of words."""

from collections.abc import Callable

import torch

from attend.checks.answers import number, recognise, tensor
from attend.checks.exercise import Wrong, exercise


@exercise
def error_rate(rate: Callable) -> str:
    """rate(found, gold) -> the alignment error rate of the links `found` (T, S), judged by `gold` (T, S)."""
    for seed, T, S in ((0, 5, 7), (1, 9, 4), (2, 3, 11)):
        generator = torch.Generator().manual_seed(seed)
        gold = torch.rand(T, S, generator=generator) < 0.35
        found = (gold & (torch.rand(T, S, generator=generator) < 0.6)) | (torch.rand(T, S, generator=generator) < 0.15)
        got = number(rate(found, gold), "the rate")
        both, A, G = ((part.sum().item()) for part in (found & gold, found, gold))
        if abs(got - (1 - 2 * both / (A + G))) < 1e-3:
            continue
        mistakes = {
            "this is the share of what is right; the error rate is 1 minus that": 2 * both / (A + G),
            "this looks at the links that were found alone; links that were missed count as well": 1 - both / A,
            "this looks at the links that people drew alone; links too many count as well": 1 - both / G,
            "the links in common count twice, once for each side": 1 - both / (A + G),
            "places where both have no link say nothing: count links, not places": (found != gold)
            .float()
            .mean()
            .item(),
            "this divides by all links that either side has; the rate divides by |A| + |G|": 1
            - both / (found | gold).sum().item(),
        }
        for says, mistaken in mistakes.items():
            if abs(got - float(mistaken)) < 1e-3:
                raise Wrong(says)
        raise Wrong(f"{both} links in common, {A} found and {G} drawn do not make an error rate of {got:.3f}")
    return "It is one minus the harmonic mean of precision and recall."


@exercise
def look(looked: Callable) -> str:
    """looked(table, source, target) -> weights (T, S); table[w, f] is p(target word w | source word f)."""
    for seed, V, U, T, S in ((0, 4, 6, 3, 5), (1, 7, 3, 5, 2)):
        generator = torch.Generator().manual_seed(seed)
        table = torch.rand(V, U, generator=generator).mul(3).exp()
        table = table / table.sum(dim=0)
        source, target = torch.randint(0, U, (S,), generator=generator), torch.randint(0, V, (T,), generator=generator)
        got = tensor(looked(table, source, target), T, S, what="the weights")
        said = table[target][:, source]
        right = said / said.sum(1, keepdim=True)
        if torch.allclose(got, right, rtol=1e-3, atol=1e-5):
            continue
        mistakes = {
            "each target word hands out one whole: rows add up to 1, and here columns do": said / said.sum(0),
            "these are the table's entries; each row must still add up to 1": said,
            "a softmax takes exponentials, so its scores must be logarithms of the table": said.softmax(1),
            "the largest takes all; in EM every place gets its share": torch.eye(S)[said.argmax(1)],
        }
        if max(source.max(), target.max()) < min(V, U):
            swapped = table[source][:, target].T
            mistakes["rows of the table are target words, columns source words; here they are swapped"] = (
                swapped / swapped.sum(1, keepdim=True)
            )
        recognise(got, mistakes)
        raise Wrong("the weights of a target word are its table entries for the source words, divided by their sum")
    return "Each word hands out one whole, in shares of what the table says: a softmax over its logarithms."
