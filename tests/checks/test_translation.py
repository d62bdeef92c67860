"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import translation


def share(weights, origin):
    said = origin >= 0
    return (weights.argmax(dim=1) == origin)[said].float().mean()


def attended(*, tanh=torch.tanh, state=True, word=True, hide="before", axis=1, context=None, soft=True):
    """The second exercise with one thing done in another way."""

    def attend(h, y, hidden, mask, W, Y, U, v):
        query = state * (h @ W.T) + word * (y @ Y.T)
        scores = tanh(query[:, None] + hidden @ U.T) @ v
        if hide == "zero":
            scores = scores * mask
        if hide == "before":
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(axis) if soft else scores
        if hide == "after":
            weights = weights * mask
        return (context(weights, hidden) if context else (weights[:, None] @ hidden)[:, 0]), weights

    return attend


def searching(joint=lambda p, q: p * q, width=lambda w: w, best=lambda texts: texts[0], form=lambda text: text):
    """The third exercise with one thing done in another way."""

    def search(probs, w, steps):
        kept = {"": 1.0}
        for _ in range(steps):
            longer = {text + letter: joint(p, q) for text, p in kept.items() for letter, q in probs(text).items()}
            texts = sorted(longer, key=longer.get, reverse=True)[: width(w)]
            kept = {text: longer[text] for text in texts}
        return form(best(texts))

    return search


class Mine(nn.Module):
    """A decoder with attention, with one thing done in another way."""

    def __init__(self, V, W, H=32, **changed):
        super().__init__()
        self.source, self.target = nn.Embedding(V, H), nn.Embedding(W, H)
        self.encoder = nn.GRU(H, H, batch_first=True, bidirectional=changed.get("both", False))
        K = H * (1 + changed.get("both", False))
        self.ask, self.cell, self.say = nn.Linear(H, K), nn.GRUCell(H + K, H), nn.Linear(H + K, W)
        self.changed = changed

    def run(self, source, mask, steps, target=None):
        states, _ = self.encoder(self.source(source))
        h = states.new_zeros(len(source), self.cell.hidden_size)
        token, found = torch.zeros_like(source[:, 0]), []
        for t in range(steps):
            if target is not None and self.changed.get("peeks"):
                token = target[:, t]
            scores = (states @ self.ask(h)[:, :, None])[:, :, 0]
            hidden = mask if self.changed.get("masked", True) else torch.ones_like(mask)
            scores = scores * (not self.changed.get("even"))
            weights = scores.masked_fill(~hidden, -torch.inf).softmax(dim=self.changed.get("axis", 1))
            context = (weights[:, None] @ states)[:, 0] * (not self.changed.get("deaf"))
            word = self.target(token) * (not self.changed.get("mute"))
            h = self.cell(torch.cat([word, context], dim=1), h)
            logits = self.say(torch.cat([h, context], dim=1))
            found.append((logits, weights, logits.argmax(1)))
            token = logits.argmax(1) if target is None else target[:, t]
            token = torch.zeros_like(token) if target is None and self.changed.get("repeats") else token
        return [torch.stack(part, dim=1) for part in zip(*found, strict=True)]

    def forward(self, source, mask, target):
        return self.run(source, mask, target.shape[1], target)[:2]

    def translate(self, source, mask, steps):
        return self.run(source, mask, steps)[2]


def made(**changed):
    return lambda V, W: Mine(V, W, **changed)


def test_solutions_and_stubs():
    accepts(translation.share, share)
    accepts(translation.attend, attended())
    accepts(translation.beam, searching())
    assert translation.build(...).state == "not yet"


@pytest.mark.parametrize("form", [list, tuple, str])
def test_a_text_in_letters_is_a_text(form):
    assert translation.beam(searching(form=form)).state == "right"


def test_numbers_and_arrays_of_any_kind_will_do():
    for kind in (float, lambda x: x.double().numpy(), lambda x: x.item()):
        assert translation.share(lambda w, o, kind=kind: kind(share(w, o))).state == "right"
    assert translation.attend(lambda *given: [part.double().tolist() for part in attended()(*given)]).state == "right"


@pytest.mark.nightly
def test_own_translator_is_trained():
    assert translation.build(made(H=64)).state == "right"
    refuses(translation.build, made(H=2), says="80% are asked for")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda w, o: (w.argmax(1) == o).float().mean(), "not counted as misses"),
        (lambda w, o: (w.argmax(1) == o).sum(), "the share is asked for"),
        (lambda w, o: w[o >= 0, o[o >= 0]].mean(), "whether it is the largest"),
        (lambda w, o: (w.argmax(1) == o % w.shape[1]).float().mean(), "-1 is no position"),
        (lambda w, o: (w.argmax(1) != o)[o >= 0].float().mean(), "share of misses"),
        (lambda w, o: 0.9, "is not the share of hits"),
        (lambda w, o: "half", "must be a number"),
    ],
)
def test_wrong_shares_are_named(answer, says):
    refuses(translation.share, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (attended(word=False), "the last token has no say"),
        (attended(state=False), "the state has no say"),
        (attended(tanh=lambda x: x), "without the tanh"),
        (attended(hide="none"), "padding is read"),
        (attended(hide="after"), "less than 1"),
        (attended(hide="zero"), "a score of 0 is not"),
        (attended(axis=0), "over the batch"),
        (attended(soft=False, hide="none"), "these are the scores"),
        (attended(context=lambda w, hidden: hidden.mean(1)), "the weights were not used"),
        (attended(context=lambda w, hidden: hidden[range(len(w)), w.argmax(1)]), "the largest weight"),
        (attended(context=lambda w, hidden: w[:, :, None] * hidden), "must be a tensor of shape"),
        (lambda *_: 3, "must be 2 values"),
    ],
)
def test_wrong_attention_is_named(answer, says):
    refuses(translation.attend, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (searching(width=lambda w: 1), "what greedy finds"),
        (searching(width=lambda w: 4**5), "should have been dropped"),
        (searching(joint=lambda p, q: p + q), "not their sum"),
        (searching(joint=lambda p, q: q), "not by the last one"),
        (searching(form=lambda text: text[:-1]), "has 4 letters"),
        (lambda *_: 3, "the answer is a text"),
    ],
)
def test_wrong_searches_are_named(answer, says):
    refuses(translation.beam, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (made(masked=False), "padding gets weight"),
        (made(axis=0), "add up to 1 over the words"),
        (made(even=True), "the same weights"),
        (made(both=True), "pack the batch"),
        (made(peeks=True), "what it is to predict"),
        (made(mute=True), "does not read the token before"),
        (made(deaf=True), "the context does not reach them"),
        (made(repeats=True), "read it in the next one"),
        (lambda V, W: nn.Linear(V, W), "stopped with"),
        (lambda V, W: 3, "must return an nn.Module"),
    ],
)
def test_wrong_translators_are_named(answer, says):
    refuses(translation.build, answer, says=says)
