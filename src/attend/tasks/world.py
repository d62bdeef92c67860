"""A little world of people, places and things: stories of simple sentences, a question, and the facts that answer it.

The worlds differ in what must be put together. "where" asks for chains of one, two or three facts, in any order of the
story, beside somebody else who went somewhere and took something; "dropped" for the place that somebody was in at one
moment; "gave" for the receiver of a thing, which hangs on the order of words; "count" for how often somebody moved;
"crowd" for one fact among up to twenty.

Source   ours; after the tasks of Weston et al. 2016, arXiv:1502.05698.
Agrees   worked cases, and answers found again by following the sentences (tests/tasks/test_world.py).
"""

import random
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import torch
from jaxtyping import Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Positive, Seed

World = Literal["where", "dropped", "gave", "count", "crowd"]
PEOPLE = ("John", "Mary", "Anna", "Peter")
CROWD = (
    *PEOPLE,
    *("Bill", "Carol", "David", "Emma", "Frank", "Grace", "Henry", "Irene"),
    *("Jack", "Kate", "Linda", "Mark", "Nina", "Oscar", "Paul", "Rose"),
)
PLACES = ("kitchen", "garden", "office", "hall", "cellar", "attic")
HOLDERS = ("bag", "box", "basket")
CARRIED = ("football", *HOLDERS)
THINGS = ("key", "ring", "coin", "letter")
NUMBERS = ("never", "once", "twice", "three", "four", "five")
OTHER = ("went", "to", "the", "took", "is", "in", "where", "dropped", "gave", "who", "got", "how", "often", "did", "go")
VOCABULARY = ("", *CROWD, *PLACES, *CARRIED, *THINGS, *NUMBERS, *OTHER)
"""All words, in the order of their tokens; token 0 is no word."""
WORDS = 6
"""Tokens of a sentence; shorter ones end in token 0."""
_TOKEN = {word: token for token, word in enumerate(VOCABULARY)}
_ASKS_FOR = {"where": PLACES, "dropped": PLACES, "crowd": PLACES, "gave": PEOPLE, "count": NUMBERS}


class Story(NamedTuple):
    """What happened, what is asked, and the answer. `facts` are the sentences that the answer needs, in the order in
    which one looks for them; "count" has none, since it needs all."""

    sentences: tuple[str, ...]
    question: str
    answer: str
    facts: tuple[int, ...]


class Batch(NamedTuple):
    """Stories as tokens. The last sentence stands in the last slot, and slots before the first are empty.

    `facts` are slots in the order of Story's, and -1 where there are fewer than three.
    """

    story: Int[Tensor, "B N L"]
    question: Int[Tensor, "B L"]
    answer: Int[Tensor, "B"]
    facts: Int[Tensor, "B 3"]


def _where(rng: random.Random, n: int, facts: int) -> Story:
    hero, *others = rng.sample(PEOPLE, 4)
    held = rng.choice(CARRIED if facts < 3 else HOLDERS)
    chain = [("went", hero), ("took", hero, held), ("in", rng.choice(THINGS), held)][:facts]
    carried = [one for one in rng.sample(CARRIED, 4) if facts < 2 or one != held]
    things = [one for one in rng.sample(THINGS, 4) if facts < 3 or one != chain[2][1]]
    told = list(chain)
    if facts > 1:  # another who went somewhere and took something of the kind
        rival = others.pop()
        other = next(one for one in carried if facts == 2 or one != "football")
        carried.remove(other)
        told += [("went", rival), ("took", rival, other)]
    while len(told) < n:
        what = rng.choices(("went", "took", "in"), (6, 3, 2))[0]
        if what == "went":  # each of the others once, then anybody
            told.append(("went", others.pop() if others else rng.choice(PEOPLE)))
        elif what == "took" and carried:
            told.append(("took", rng.choice(PEOPLE), carried.pop()))
        elif what == "in" and things:
            told.append(("in", things.pop(), rng.choice(HOLDERS)))
    rng.shuffle(told)
    sentences, at = _tell(rng, told)
    asked = hero if facts == 1 else f"the {chain[-1][2 if facts == 2 else 1]}"
    needed = (*(told.index(one) for one in chain[:0:-1]), at[hero][-1][1])
    return Story(sentences, f"where is {asked}", at[hero][-1][0], needed)


def _dropped(rng: random.Random, n: int) -> Story:
    hero, things = rng.choice(PEOPLE), rng.sample(CARRIED, 4)
    lost = things.pop()
    before = rng.randint(1, n - 1)  # sentences before the one that counts

    def others(count: int) -> list[tuple[str, ...]]:
        done: list[tuple[str, ...]] = []
        for _ in range(count):
            if things and rng.random() < 0.2:
                done.append(("dropped", rng.choice(PEOPLE), things.pop()))
            else:
                done.append(("went", rng.choice((*PEOPLE, hero, hero))))
        return done

    early = others(before - 1)
    early.insert(rng.randint(0, len(early)), ("went", hero))
    told = [*early, ("dropped", hero, lost), *others(n - 1 - before)]
    sentences, at = _tell(rng, told)
    place, when = [one for one in at[hero] if one[1] < before][-1]
    return Story(sentences, f"where is the {lost}", place, (before, when))


def _tell(
    rng: random.Random, told: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], dict[str, list[tuple[str, int]]]]:
    """Sentences, with a place for everyone who goes, never the one where they are; and who was where from when on."""
    sentences, at = [], {}
    for i, (what, who, *rest) in enumerate(told):
        if what == "went":
            was = at.setdefault(who, [])
            place = rng.choice([one for one in PLACES if not was or one != was[-1][0]])
            was.append((place, i))
            sentences.append(f"{who} went to the {place}")
        else:
            sentences.append(f"the {who} is in the {rest[0]}" if what == "in" else f"{who} {what} the {rest[0]}")
    return tuple(sentences), at


def _gave(rng: random.Random, n: int) -> Story:
    told = [(*rng.sample(PEOPLE, 2), thing) for thing in rng.sample(CARRIED + THINGS, n)]
    i = rng.randrange(n)
    return Story(tuple(f"{a} gave {b} the {c}" for a, b, c in told), f"who got the {told[i][2]}", told[i][1], (i,))


def _count(rng: random.Random, n: int) -> Story:
    hero, *others = rng.sample(PEOPLE, 4)
    times = rng.randint(0, min(len(NUMBERS) - 1, n))
    doers = [(hero, "went")] * times
    doers += [(rng.choice(others), "went" if rng.random() < 0.6 else "took") for _ in range(n - times)]
    rng.shuffle(doers)
    sentences = [
        f"{who} went to the {rng.choice(PLACES)}" if what == "went" else f"{who} took the {rng.choice(CARRIED)}"
        for who, what in doers
    ]
    return Story(tuple(sentences), f"how often did {hero} go", NUMBERS[times], ())


def _crowd(rng: random.Random, n: int) -> Story:
    people, i = rng.sample(CROWD, n), rng.randrange(n)
    places = rng.choices(PLACES, k=n)
    told = tuple(f"{who} went to the {place}" for who, place in zip(people, places, strict=True))
    return Story(told, f"where is {people[i]}", places[i], (i,))


_TELL = {"dropped": _dropped, "gave": _gave, "count": _count, "crowd": _crowd}
SENTENCES = {"where": (5, 10), "dropped": (4, 10), "gave": (2, 8), "count": (4, 10), "crowd": (1, 20)}
"""How long the stories of each world are, at least and at most."""


@checked
def stories(world: World, count: Positive, seed: Seed = 0, split: Literal["train", "validation", "test"] = "train"):
    """`count` stories of a world; each of its lengths, and for "where" each number of facts, is equally likely.

    A seed gives other stories for each split. The answer is one word.
    """
    rng = random.Random(f"{world} {split} {seed}")
    made = []
    for _ in range(count):
        n = rng.randint(*SENTENCES[world])
        made.append(_where(rng, n, rng.randint(1, 3)) if world == "where" else _TELL[world](rng, n))
    return made


@checked
def tokens(text: str) -> list[int]:
    """The tokens of a sentence or a question, WORDS of them. Raises ValueError for an unknown word, and for none or
    too many."""
    words = text.split()
    expect(0 < len(words) <= WORDS, "text", text, f"1 to {WORDS} words")
    for word in words:
        expect(word in _TOKEN and word, "text", text, f"words of the vocabulary, and not {word!r}")
    return [_TOKEN[word] for word in words] + [0] * (WORDS - len(words))


@checked
def encode(told: Sequence[Story], slots: Positive = 10) -> Batch:
    """Stories as tokens, in so many slots. Raises ValueError for a story that is longer, and for none."""
    expect(len(told) > 0, "told", told, "one story at least")
    story, facts = [], []
    for one in told:
        empty = slots - len(one.sentences)
        expect(empty >= 0, "slots", slots, f"at least {len(one.sentences)}, since a story has so many sentences")
        story.append([[0] * WORDS] * empty + [tokens(text) for text in one.sentences])
        facts.append([empty + i for i in one.facts] + [-1] * (3 - len(one.facts)))
    question = [tokens(one.question) for one in told]
    answer = [_TOKEN[one.answer] for one in told]
    return Batch(torch.tensor(story), torch.tensor(question), torch.tensor(answer), torch.tensor(facts))


@checked
def answers(world: World) -> tuple[str, ...]:
    """What may be answered; who guesses is right once in so many times."""
    return _ASKS_FOR[world]


@checked
def example(world: World = "where", seed: Seed = 0) -> str:
    """One story to read, with its question, its answer and the sentences that this needs."""
    (one,) = stories(world, 1, seed)
    lines = [f"{i + 1} {text[0].upper()}{text[1:]}.{' ←' * (i in one.facts)}" for i, text in enumerate(one.sentences)]
    return "\n".join([*lines, f"{one.question[0].upper()}{one.question[1:]}? {one.answer}"])


assert set(SENTENCES) == set(get_args(World)), "every world has its lengths"
