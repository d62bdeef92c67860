"""Each checker knows the solution, the typical wrong answers, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import gpt


def test_pairs():
    accepts(gpt.pairs, ["bc", "abc", " abc"])
    accepts(gpt.pairs, ("bc", "abc", "␣abc"))
    accepts(gpt.pairs, [b"bc", b"abc", b" abc"])
    refuses(gpt.pairs, ["ab", "abc", " abc"], says="last in the alphabet")
    refuses(gpt.pairs, ["bc", " a", " abc"], says="last in the alphabet")
    refuses(gpt.pairs, ["bc", "abc", "abc"], says="space")
    refuses(gpt.pairs, ["bc", "ab", "abc"], says="first word only")
    refuses(gpt.pairs, [" a", "bc", "abc"], says="count the neighbours")
    refuses(gpt.pairs, ["bc", "xy", "abc"], says="count their neighbours")
    refuses(gpt.pairs, ["bc", "abc", " bc"], says="what occurs twice")
    refuses(gpt.pairs, [1, 2, 3], says="three texts")


def floor(logits, min_p):
    probs = logits.softmax(dim=-1)
    probs = probs.masked_fill(probs < min_p * probs.amax(dim=-1, keepdim=True), 0.0)
    return probs / probs.sum(dim=-1, keepdim=True)


def by_logits(logits, min_p):
    least = logits.max(dim=-1, keepdim=True).values + torch.tensor(min_p).log() - 1e-6
    return logits.masked_fill(logits < least, -torch.inf).softmax(-1)


def test_floor():
    accepts(gpt.floor, floor)
    accepts(gpt.floor, by_logits)
    accepts(gpt.floor, lambda logits, min_p: floor(logits.double(), min_p).numpy())

    def unscaled(logits, min_p):
        probs = logits.softmax(-1)
        return probs.masked_fill(probs < min_p * probs.amax(-1, keepdim=True), 0.0)

    refuses(gpt.floor, unscaled, says="add up to 1 again")
    refuses(gpt.floor, lambda z, m: z.softmax(-1), says="nothing has been cut")

    def fixed(logits, min_p):
        probs = logits.softmax(-1).masked_fill(logits.softmax(-1) < min_p, 0.0)
        return probs / probs.sum(-1, keepdim=True).clamp(min=1e-12)

    refuses(gpt.floor, fixed, says="share of the largest")

    def all_rows(logits, min_p):
        probs = logits.softmax(-1)
        probs = probs.masked_fill(probs < min_p * probs.max(), 0.0)
        return probs / probs.sum(-1, keepdim=True).clamp(min=1e-12)

    refuses(gpt.floor, all_rows, says="each row")
    refuses(gpt.floor, lambda z, m: (2 * z).softmax(-1), says="other tokens")


@torch.no_grad()
def beyond(model, tokens, steps):
    new, past, held = tokens, None, tokens.shape[1]
    for _ in range(steps):
        if held > model.context:
            new, past = tokens[:, -(model.context // 2) :], None
            held = new.shape[1]
        logits, past = model(new, past)
        new = logits[:, -1:].argmax(dim=-1)
        tokens, held = torch.cat([tokens, new], dim=1), held + 1
    return tokens


def unusual(model, tokens, steps):
    fed, past = tokens, None
    for _ in range(steps):
        if past and past[0].key.shape[2] == model.context:
            fed, past = tokens[:, -(model.context // 2) :], None
        logits, past = model(fed, past)
        fed = logits[:, -1].max(-1).indices[:, None]
        tokens = torch.hstack([tokens, fed])
    return tokens


@pytest.mark.nightly
def test_beyond():
    accepts(gpt.beyond, beyond)
    accepts(gpt.beyond, unusual)

    def no_cut(model, tokens, steps):
        new, past = tokens, None
        for _ in range(steps):
            logits, past = model(new, past)
            new = logits[:, -1:].argmax(-1)
            tokens = torch.cat([tokens, new], 1)
        return tokens

    def no_cache(model, tokens, steps):
        held = tokens.shape[1]
        for _ in range(steps):
            held = model.context // 2 if held > model.context else held
            logits, _ = model(tokens[:, -held:])
            tokens, held = torch.cat([tokens, logits[:, -1:].argmax(-1)], 1), held + 1
        return tokens

    def slides(model, tokens, steps):
        for _ in range(steps):
            logits, _ = model(tokens[:, -model.context :])
            tokens = torch.cat([tokens, logits[:, -1:].argmax(-1)], 1)
        return tokens

    refuses(gpt.beyond, no_cut, says="cut before you feed")
    refuses(gpt.beyond, no_cache, says="hand the cache on")
    refuses(gpt.beyond, slides, says="fed to the model")
    refuses(gpt.beyond, lambda m, t, s: t, says="shape")
    refuses(gpt.beyond, lambda m, t, s: beyond(m, t, s) * 0, says="begins with")
    refuses(gpt.beyond, lambda m, t, s: torch.cat([t, beyond(m, t, s)[:, t.shape[1] :] * 0], 1), says="another than")
