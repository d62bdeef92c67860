"""The table of words agrees with a count over all ways to link two sentences, and never surprises more."""

import itertools
import math

import pytest
import torch

from attend.soft import lexicon

SOURCE = torch.tensor([[1, 2, 0], [2, 0, 0]])
VISIBLE = torch.tensor([[True, True, True], [True, True, False]])
TARGET = torch.tensor([[1, 3, 2, 0], [2, 0, 0, 0]])
ASKED = torch.tensor([[True, True, True, True], [True, True, False, False]])


def drawn(V=4, U=3, seed=0):
    return torch.rand(V, U, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).softmax(0)


def by_hand(table):
    """Expected counts and surprise from every way to link every word, one way at a time."""
    counts, nats = torch.zeros_like(table), 0.0
    for source, mask, target, asked in zip(SOURCE, VISIBLE, TARGET, ASKED, strict=True):
        f, e = source[mask].tolist(), target[asked].tolist()
        ways = list(itertools.product(range(len(f)), repeat=len(e)))
        likely = [math.prod(table[w, f[s]].item() / len(f) for w, s in zip(e, way, strict=True)) for way in ways]
        for way, p in zip(ways, likely, strict=True):
            for w, s in zip(e, way, strict=True):
                counts[w, f[s]] += p / sum(likely)
        nats -= math.log(sum(likely))
    return counts, nats / int(ASKED.sum())


def test_one_round_is_a_count_over_all_ways_to_link_two_sentences():
    table = drawn()
    counts, nats = by_hand(table)
    weights = lexicon.e_step(table, SOURCE, TARGET, VISIBLE)
    found = lexicon.m_step(weights, SOURCE, TARGET, ASKED, table, smoothing=0.1)
    torch.testing.assert_close(found, (counts + 0.1) / (counts + 0.1).sum(0))
    flat = lexicon.e_step(torch.ones_like(table), SOURCE, TARGET, VISIBLE)
    assert lexicon.cross_entropy(lexicon.pair_probs(table, SOURCE, TARGET), flat, ASKED).item() == pytest.approx(nats)


def test_looking_is_a_softmax_over_logarithms_of_the_table():
    table = drawn()
    scores = table.log()[TARGET[0][:, None], SOURCE[0]]
    torch.testing.assert_close(lexicon.e_step(table, SOURCE, TARGET, VISIBLE)[0], scores.softmax(1))
    assert not lexicon.e_step(table, SOURCE, TARGET, VISIBLE)[1, :, 2].any()
    prior = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    torch.testing.assert_close(lexicon.e_step(table, SOURCE, TARGET, VISIBLE, prior)[0], (scores + prior[0]).softmax(1))


def test_no_round_is_more_surprised_than_the_one_before():
    table, heard = lexicon.uniform_table(4, 3).double(), []
    flat = lexicon.e_step(table, SOURCE, TARGET, VISIBLE)
    for _ in range(8):
        heard.append(lexicon.cross_entropy(lexicon.pair_probs(table, SOURCE, TARGET), flat, ASKED).item())
        weights = lexicon.e_step(table, SOURCE, TARGET, VISIBLE)
        table = lexicon.m_step(weights, SOURCE, TARGET, ASKED, table, smoothing=1e-9)
    assert heard[0] == pytest.approx(math.log(4))
    assert all(late <= early + 1e-9 for early, late in itertools.pairwise(heard))
    assert heard[-1] < heard[0] - 0.1


def test_the_table_finds_who_says_what():
    """Two sentences that share one word: what stands in both must belong together."""
    source, target = torch.tensor([[0, 1], [0, 2]]), torch.tensor([[0, 1], [0, 2]])
    there = torch.ones(2, 2, dtype=torch.bool)
    table = lexicon.uniform_table(3, 3)
    for _ in range(30):
        table = lexicon.m_step(lexicon.e_step(table, source, target, there), source, target, there, table)
    assert table.diagonal().min() > 0.9


def test_padding_changes_nothing():
    table = drawn()
    weights = lexicon.e_step(table, SOURCE, TARGET, VISIBLE)
    alone = lexicon.e_step(table, SOURCE[1:, :2], TARGET[1:, :2], VISIBLE[1:, :2])
    torch.testing.assert_close(weights[1:, :2, :2], alone)
    spoilt = SOURCE.masked_fill(~VISIBLE, 1), TARGET.masked_fill(~ASKED, 3)
    again = lexicon.e_step(table, *spoilt, VISIBLE)
    first, second = (lexicon.m_step(w, s, t, ASKED, table) for w, s, t in ((weights, SOURCE, TARGET), (again, *spoilt)))
    torch.testing.assert_close(first, second)


def test_nearness_is_zero_at_the_same_share_of_both_sentences():
    there, asked = torch.tensor([[True, True, False]]), torch.tensor([[True, True, True, True]])
    scores = lexicon.diagonal_scores(there, asked, 2.0)
    wanted = [[-2 * abs((t + 0.5) / 4 - (s + 0.5) / 2) for s in range(2)] for t in range(4)]
    torch.testing.assert_close(scores[0, :, :2], torch.tensor(wanted))
    assert lexicon.diagonal_scores(asked, asked, 3.0)[0].argmax(1).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: lexicon.uniform_table(1, 3), "target_vocab: got 1"),
        (lambda: lexicon.e_step(drawn(3), SOURCE, TARGET, VISIBLE), "target: got .* tokens from 0 to 2"),
        (lambda: lexicon.e_step(drawn(U=2), SOURCE, TARGET, VISIBLE), "source: got .* tokens from 0 to 1"),
        (lambda: lexicon.e_step(-drawn(), SOURCE, TARGET, VISIBLE), "table: got"),
        (lambda: lexicon.e_step(drawn(), SOURCE, TARGET, VISIBLE & False), "mask: got"),
        (lambda: lexicon.diagonal_scores(VISIBLE, ASKED, -1.0), "strength: got"),
        (lambda: lexicon.diagonal_scores(VISIBLE, ASKED & False, 1.0), "loss_mask: got"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    SOURCE = torch.tensor([[1, 2, 0], [2, 0, 0]])
    TARGET = torch.tensor([[1, 3, 2, 0], [2, 0, 0, 0]])
    VISIBLE = torch.ones(2, 3, dtype=torch.bool)
    ASKED = torch.ones(2, 4, dtype=torch.bool)
    TABLE = torch.full((4, 3), 0.25)
    WEIGHTS = torch.full((2, 4, 3), 1 / 3)
    WORDS = {"source": SOURCE, "target": TARGET}
    return {
        lexicon.uniform_table: {"target_vocab": 4, "source_vocab": 3},
        lexicon.e_step: {"table": TABLE, **WORDS, "mask": VISIBLE, "prior": WEIGHTS},
        lexicon.m_step: {"weights": WEIGHTS, **WORDS, "loss_mask": ASKED, "table": TABLE, "smoothing": 0.1},
        lexicon.pair_probs: {"table": TABLE, **WORDS},
        lexicon.cross_entropy: {"pair_probs": WEIGHTS, "weights": WEIGHTS, "loss_mask": ASKED},
        lexicon.diagonal_scores: {"mask": VISIBLE, "loss_mask": ASKED, "strength": 2.0},
    }


def good():
    return {
        lexicon.diagonal_scores: {"strength": {"zero"}},
    }
