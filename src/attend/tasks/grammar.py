"""English from a weighted grammar: sentences with their trees, and the exact parser of the grammar itself.

Each rule of a probabilistic context-free grammar (PCFG) has a probability; a sentence is drawn by rewriting S until
only words are left. What stands behind a dot (number, kind of phrase) is for agreement and is not part of the label,
and a symbol that begins with @ leaves no node. Since the grammar is known, the probability of every tree of a sentence
is, too: `parse` finds the likeliest tree by dynamic programming (CKY), and the share that it has of all trees.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple, no_type_check

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.tasks.split import known_part, part_of

LABELS = ("S", "NP", "VP", "PP", "SBAR")
RULES = """
0.5 S > NP.s VP.s
0.5 S > NP.p VP.p
0.64 NP.s > Det.s N.s
0.06 NP.s > NP.s PP.of
0.09 NP.s > NP.s PP.at
0.09 NP.s > NP.s PP.trait
0.02 NP.s > NP.s PP.tool
0.1 NP.s > NP.s SBAR.s
0.54 NP.p > Det.p N.p
0.1 NP.p > NP.s @and.NP
0.06 NP.p > NP.p PP.of
0.09 NP.p > NP.p PP.at
0.09 NP.p > NP.p PP.trait
0.02 NP.p > NP.p PP.tool
0.1 NP.p > NP.p SBAR.p
0.5 @and.NP > And NP.s
0.5 @and.NP > And NP.p
0.23 VP.s > Vt.s NP.s
0.22 VP.s > Vt.s NP.p
0.15 VP.s > Vi.s
0.08 VP.s > Say.s SBAR.that
0.13 VP.s > VP.s PP.at
0.1 VP.s > VP.s PP.tool
0.02 VP.s > VP.s PP.trait
0.07 VP.s > VP.s @and.s
1 @and.s > And VP.s
0.23 VP.p > Vt.p NP.s
0.22 VP.p > Vt.p NP.p
0.15 VP.p > Vi.p
0.08 VP.p > Say.p SBAR.that
0.13 VP.p > VP.p PP.at
0.1 VP.p > VP.p PP.tool
0.02 VP.p > VP.p PP.trait
0.07 VP.p > VP.p @and.p
1 @and.p > And VP.p
1 SBAR.s > Who VP.s
1 SBAR.p > Who VP.p
1 SBAR.that > That S
0.5 PP.of > Of NP.s
0.5 PP.of > Of NP.p
0.5 PP.at > At NP.s
0.5 PP.at > At NP.p
1 PP.tool > With NP.tool
1 PP.trait > With NP.trait
1 NP.tool > Det.s N.tool
1 NP.trait > Det.s N.trait
"""
WORDS = {
    "Det.s": "the a every",
    "Det.p": "the some two",
    "N.s": "dog cat boy girl king cook house park garden friend",
    "N.p": "dogs cats boys girls kings cooks houses parks gardens friends",
    "N.tool": "telescope camera stick rope",
    "N.trait": "beard hat scarf smile",
    "Vt.s": "sees hears finds follows helps",
    "Vt.p": "see hear find follow help",
    "Vi.s": "sleeps waits sings",
    "Vi.p": "sleep wait sing",
    "Say.s": "says thinks",
    "Say.p": "say think",
    "And": "and",
    "Who": "who",
    "That": "that",
    "Of": "of",
    "At": "in near",
    "With": "with",
}
"""The words of each class, all equally likely; no word but "the" is in two classes."""
SHORTEST, LONGEST = 4, 10
"""The words of a sentence that is trained on."""


class Parse(NamedTuple):
    """The likeliest tree of a sentence, and its share of the probability of all trees of these words."""

    tree: tuple
    share: float


@cache
def _rules() -> dict[str, list[tuple[float, tuple[str, ...]]]]:
    rules: dict[str, list[tuple[float, tuple[str, ...]]]] = {}
    for line in RULES.strip().splitlines():
        share, left, _, *right = line.split()
        rules.setdefault(left, []).append((float(share), tuple(right)))
    return rules


@cache
def _classes() -> dict[str, list[tuple[str, float]]]:
    """The classes of each word, with its probability in each."""
    classes: dict[str, list[tuple[str, float]]] = {}
    for name, words in WORDS.items():
        for word in words.split():
            classes.setdefault(word, []).append((name, 1 / len(words.split())))
    return classes


@cache
def vocabulary() -> tuple[str, ...]:
    """Every word, in alphabetical order."""
    return tuple(sorted(_classes()))


@no_type_check  # called a million times: the check by which tests look at types would take most of their time
def _label(symbol: str) -> str:
    """What is written of a symbol: NP of NP.s."""
    return symbol.split(".")[0]


@checked
def words(tree: tuple) -> list[str]:
    """The words of a tree, (label, child, …), from left to right."""
    return list(_leaves(tree))


@no_type_check
def _leaves(tree: tuple) -> Iterator[str]:
    for child in tree[1:]:
        if isinstance(child, str):
            yield child
        else:
            yield from _leaves(child)


@no_type_check
def _drawn(symbol: str, chance: random.Random, room: list[int]) -> list:
    """What a symbol becomes: its node, or for one without a node the children. IndexError once `room` is used up."""
    if symbol in WORDS:
        room[0] -= 1
        if room[0] < 0:
            raise IndexError
        return [chance.choice(WORDS[symbol].split())]
    shares, sides = zip(*_rules()[symbol], strict=True)
    (side,) = chance.choices(sides, shares)
    children = [child for part in side for child in _drawn(part, chance, room)]
    return children if symbol.startswith("@") else [(_label(symbol), *children)]


@checked
@cache
def sentences(part: str, count: Positive, shortest: Positive = SHORTEST, longest: Positive = LONGEST) -> tuple:
    """The first `count` different trees of one part with so many words.

    A hash of the classes of the words decides which part a sentence belongs to: a string of classes that is tested was
    never trained on, whatever its words and its tree.
    """
    known_part(part)
    expect(shortest <= longest, "shortest", shortest, f"at most longest = {longest}")
    chance, found = random.Random(f"{part} {shortest} {longest}"), {}
    while len(found) < count:
        try:
            (tree,) = _drawn("S", chance, [longest])
        except IndexError:
            continue
        line = list(_leaves(tree))
        if len(line) >= shortest and part_of(" ".join(_label(_classes()[word][0][0]) for word in line)) == part:
            found.setdefault(" ".join(line), tree)
    return tuple(found.values())


@cache
def _binary() -> dict[tuple[str, str], list[tuple[str, float]]]:
    """The rules with two symbols on the right, by these."""
    found: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for left, sides in _rules().items():
        for share, side in sides:
            if len(side) == 2:
                found.setdefault(side, []).append((left, share))
    return found


@checked
def parse(line: Sequence[str]) -> Parse:
    """The likeliest tree by CKY. Raises ValueError for words that are no sentence of the grammar."""
    unknown = [word for word in line if word not in _classes()]
    expect(not unknown, "line", unknown[:3], f"words of the vocabulary, {len(vocabulary())} in all")
    n, chart = len(line), {}  # chart[i, j][symbol] = probability of the best tree, of all trees, and the best tree
    for i, word in enumerate(line):
        cell = {name: (share, share, [word]) for name, share in _classes()[word]}
        for left, sides in _rules().items():
            for share, side in sides:
                if len(side) == 1 and side[0] in cell:
                    cell[left] = (share * cell[side[0]][0],) * 2 + ([(_label(left), word)],)
        chart[i, i + 1] = cell
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            cell: dict[str, tuple] = {}
            for k in range(i + 1, i + width):
                for one, (best1, all1, tree1) in chart[i, k].items():
                    for two, (best2, all2, tree2) in chart[k, i + width].items():
                        for left, share in _binary().get((one, two), ()):
                            best, total, tree = cell.get(left, (0.0, 0.0, None))
                            if share * best1 * best2 > best:
                                best, children = share * best1 * best2, tree1 + tree2
                                tree = children if left.startswith("@") else [(_label(left), *children)]
                            cell[left] = best, total + share * all1 * all2, tree
            chart[i, i + width] = cell
    expect(n > 0 and "S" in chart[0, n], "line", " ".join(line), "a sentence of the grammar")
    best, total, (tree,) = chart[0, n]["S"]
    return Parse(tree, best / total)


def example() -> str:
    """A few test sentences, each with the share of its likeliest tree."""
    lines = (words(tree) for tree in sentences("test", 5))
    return "\n".join(f"{parse(line).share:.2f} {' '.join(line)}" for line in lines)
