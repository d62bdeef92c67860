"""Exercises of the page on alignment: small numbers, the word that was seen, and EM of one's own."""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.soft import lexicon
from attend.tasks import verses
from attend.tasks.pairs import Pairs


@exercise
def numbers(answer: tuple) -> str:
    """A weight of the second round, the error rate of linking all with all, and a weight after its word."""
    weight, rate, after = (number(part, "each of the three") for part in parts(answer, 3, "the answer"))
    if abs(weight - 0.75) > 5e-3:
        if abs(weight - 0.5) < 5e-3:
            raise Wrong("the first: 1/2 is what the table says of Buch; divide it by what it says of das and Buch")
        raise Wrong("the first: the weight is p(book | Buch) over the sum of p(book | das) and p(book | Buch)")
    if abs(rate - (1 - 22 / 91)) > 5e-3:
        if abs(rate - 22 / 91) < 5e-3:
            raise Wrong("the second: that is the share of what is right; the error rate is 1 minus that")
        if abs(rate - (1 - 11 / 80)) < 5e-3:
            raise Wrong("the second: that counts wrong links alone; the links that people drew count as well")
        if abs(rate) < 5e-3:
            raise Wrong("the second: nothing is missed, but most of the 80 links are wrong, and they count as well")
        raise Wrong("the second: 80 links were found, 11 drawn, and 11 are in both")
    if abs(after - 5 / 6) > 5e-3:
        if abs(after - 0.02) < 5e-3:
            raise Wrong("the third: 0.1 times 0.2 is not a weight yet; divide by the sum of all such products")
        raise Wrong("the third: weight before times probability, over the sum of these products")
    return "To link everything finds every link, and is a poor alignment all the same."


@exercise
def after(after: Callable) -> str:
    """after(weights, probs) -> weights (T, S) after each word: `weights` before it, probs[t, s] = p(w_t | f_s)."""
    for seed, T, S in ((0, 3, 7), (1, 9, 5)):
        generator = torch.Generator().manual_seed(seed)
        weights = (2 * torch.randn(T, S, generator=generator)).softmax(1)
        probs = torch.rand(T, S, generator=generator) ** 3 * 0.5 + 1e-3
        product = weights * probs
        got = tensor(after(weights, probs), T, S, what="the weights")
        if torch.allclose(got, product / product.sum(1, keepdim=True), rtol=1e-3, atol=1e-6):
            continue
        recognise(
            got,
            {
                "these are products of weight and probability; each row must still add up to 1": product,
                "each English word hands out one whole: rows add up to 1, and here columns do": product
                / product.sum(0),
                "a softmax takes exponentials, so its scores must be logarithms": product.softmax(1),
                "the weights before the word are missing: this is the table alone": probs / probs.sum(1, keepdim=True),
                "the table is missing: these are the weights from before": weights,
                "this adds weights and probabilities; Bayes' rule multiplies them": (weights + probs)
                / (weights + probs).sum(1, keepdim=True),
                "the largest takes all; Bayes' rule leaves shares": torch.eye(S)[product.argmax(1)],
            },
        )
        raise Wrong("weight before times probability, each row divided by its sum")
    weights, probs = torch.tensor([[1e-30, 3e-30, 1.0]]), torch.tensor([[4e-20, 4e-20, 1e-60]])
    got = torch.as_tensor(after(weights, probs), dtype=torch.float32)
    if not torch.allclose(got, torch.tensor([[0.25, 0.75, 0.0]]), atol=1e-3):
        raise Wrong(
            "right on ordinary numbers; but where all products are as small as 1e-50 they become 0 in float32, and "
            "0 / 0 is no weight: add logarithms, and take a softmax"
        )
    return "Scores add, and a softmax makes them weights: attention again."


ENOUGH = 0.54
"""The error rate that a learner's five rounds of EM must reach; ours reach 0.52."""


@cache
def _gospels() -> tuple[Pairs, Pairs, Tensor]:
    """Training and test verses as tokens, and the links of the test verses."""
    words = verses.vocabulary("greek", 7_200), verses.vocabulary("english", 3_500)
    train, test = (verses.encode(verses.load(part), *words) for part in ("train", "test"))
    return train, test, verses.gold(verses.load("test"))


@exercise
def build(e_step: Callable, m_step: Callable) -> str:
    """The two steps of EM: e_step(table, source, target, mask), m_step(weights, source, target, asked, table)."""
    for seed, B, T, S, V, U in ((0, 3, 5, 7, 11, 9), (1, 5, 9, 4, 6, 13)):
        generator = torch.Generator().manual_seed(seed)
        table = torch.rand(V, U, generator=generator).add(0.1)
        table = table / table.sum(0)
        source, target = (torch.randint(high, (B, n), generator=generator) for high, n in ((U, S), (V, T)))
        mask, asked = (torch.arange(n) < torch.randint(2, n + 1, (B, 1), generator=generator) for n in (S, T))
        weights = tensor(e_step(table, source, target, mask), B, T, S, what="the weights")
        if bool((weights * ~mask[:, None]).abs().max() > 1e-5):
            raise Wrong("e_step: a source word that is padding got weight")
        if not torch.allclose(weights.sum(2), torch.ones(B, T), atol=1e-3):
            raise Wrong("e_step: the weights of each target word add up to 1")
        right = lexicon.e_step(table, source, target, mask)
        if not torch.allclose(weights, right, rtol=1e-3, atol=1e-5):
            raise Wrong("e_step: each weight is p(w | f) of the table over the sum of the row, padding left out")
        got = tensor(m_step(right, source, target, asked, table), V, U, what="the table")
        used = torch.zeros(U).index_add_(0, source.flatten(), (right * asked[:, :, None]).sum(1).flatten()) > 0
        if not torch.allclose(got[:, used].sum(0), torch.ones(int(used.sum())), atol=2e-2):
            raise Wrong("m_step: each column, a source word, is divided by its sum, so that it adds up to 1")
        wanted, padded = (
            lexicon.m_step(right, source, target, counted, table, 1e-6) for counted in (asked, asked | True)
        )
        if not torch.allclose(got[:, used], wanted[:, used], atol=2e-2):
            if torch.allclose(got[:, used], padded[:, used], atol=2e-2):
                raise Wrong("m_step: target words that are padding were counted; `asked` says which are real")
            raise Wrong(
                "m_step: counts of pairs, each in the share of its weight; a pair that occurs twice counts twice "
                "(`counts[w, f] += shares` keeps only one of them)"
            )
    train, test, gold = _gospels()
    table = lexicon.uniform_table(3_500, 7_200)
    for _ in range(5):
        weights = tensor(e_step(table, *_asked(train)), *train.target.shape, train.source.shape[1])
        table = tensor(m_step(weights, train.source, train.target, train.asked, table), 3_500, 7_200)
    weights = tensor(e_step(table, *_asked(test)), *test.target.shape, test.source.shape[1])
    rate = verses.alignment_error_rate(verses.chosen(weights, test), gold)
    if rate > ENOUGH:
        raise Wrong(f"after five rounds the error rate is {rate:.3f}, and at most {ENOUGH} is asked for")
    return f"Five rounds of yours find the links with an error rate of {rate:.3f}. Nobody told them one."


def _asked(pairs: Pairs) -> tuple[Tensor, Tensor, Tensor]:
    return pairs.source, pairs.target, pairs.mask
