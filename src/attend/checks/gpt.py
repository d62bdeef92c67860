"""Exercises of the page on GPT."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attend.checks.answers import floats, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.transformers.byte_pairs import learn
from attend.transformers.gpt import GPT

TEXT = "ab abc abc bc"


@exercise
def pairs(answer: list) -> str:
    """Three texts: what `learn` adds to the bytes for "ab abc abc bc"."""
    said = [part.decode() if isinstance(part, bytes) else part for part in parts(answer, 3, "the answer")]
    if not all(isinstance(part, str) for part in said):
        raise Wrong('three texts are asked for, as in ["th", "the", " the"]')
    said = [part.replace("␣", " ") for part in said]
    right = [part.decode() for part in learn(TEXT, 259)[256:]]
    if said == right:
        return "The most frequent neighbours first, and what was joined counts as one from then on."
    if said[0] == "ab":
        raise Wrong("ab and bc occur three times each: of equally frequent pairs the last in the alphabet is taken")
    if said[0] != right[0]:
        raise Wrong("count the neighbours inside the words: a b three times, b c three times, ␣ a twice, ␣ b once")
    if said[1] == "ab":
        raise Wrong("once bc is one token, a and b stand side by side in the first word only")
    if said[1] == " a":
        raise Wrong("␣ a and a bc occur twice each: of equally frequent pairs the last in the alphabet is taken")
    if said[1] != right[1]:
        raise Wrong("after bc the words are a b, twice ␣ a bc, and ␣ bc: count their neighbours again")
    if said[2] == "abc":
        raise Wrong("a token keeps the space before its word, once the two are joined")
    raise Wrong("after bc and abc the words are a b, twice ␣ abc, and ␣ bc: what occurs twice?")


@exercise
def floor(floor: Callable) -> str:
    """floor(logits, min_p) -> probabilities: those at least min_p times the largest, so that they add up to 1."""
    generator = torch.Generator().manual_seed(4)
    for shape, min_p in (((7,), 0.3), ((3, 11), 0.1), ((2, 5, 13), 0.02), ((4, 6), 1.0)):
        logits = 3 * torch.randn(*shape, generator=generator) + 20
        probs = logits.softmax(-1)
        top = probs.amax(-1, keepdim=True)
        kept = probs.masked_fill(probs < min_p * top * (1 - 1e-6), 0.0)
        right = kept / kept.sum(-1, keepdim=True)
        got = tensor(floats(floor(logits.clone(), min_p), f"the answer must be a tensor of shape {shape}"), *shape)
        if torch.allclose(got, right, atol=1e-4):
            continue
        fixed = probs.masked_fill(probs < min_p, 0.0)
        everywhere = probs.masked_fill(probs < min_p * probs.max(), 0.0)
        recognise(
            got,
            {
                "the kept ones must add up to 1 again": kept,
                "the floor is a share of the largest probability, not a probability of its own": fixed
                / fixed.sum(-1, keepdim=True).clamp(min=1e-12),
                "each row has a largest probability of its own": everywhere
                / everywhere.sum(-1, keepdim=True).clamp(min=1e-12),
                "nothing has been cut": probs,
                "you kept what lies below the floor": (probs - kept)
                / (probs - kept).sum(-1, keepdim=True).clamp(1e-12),
            },
        )
        if not torch.allclose(got.sum(-1), torch.ones(shape[:-1]), atol=1e-4):
            raise Wrong("along the last axis the probabilities must add up to 1")
        raise Wrong(f"with min_p = {min_p:g} other tokens are kept than those of at least {min_p:g} times the largest")
    return "Where the model is sure the floor is high, and where it is not, many tokens stay."


class Watched(nn.Module):
    """A GPT that notes how many tokens it is fed, and whether there was a cache."""

    def __init__(self, gpt: GPT):
        super().__init__()
        self.gpt, self.context, self.fed = gpt, gpt.context, []

    def forward(self, tokens: Tensor, past: list | None = None) -> tuple[Tensor, list]:
        """As GPT's."""
        held = past[0].key.shape[2] if past else 0
        if held + tokens.shape[1] > self.context:
            raise Wrong(
                f"{held} tokens stand in the cache and {tokens.shape[1]} are fed, and the context has {self.context}: "
                "cut before you feed, and drop the cache with the tokens"
            )
        self.fed.append((tokens.shape[1], held))
        return self.gpt(tokens, past)


@exercise
def beyond(beyond: Callable) -> str:
    """beyond(model, tokens, steps) -> tokens (B, T + steps), each the likeliest; half a context is kept when full."""
    for seed, (B, T, context, steps) in enumerate(((1, 3, 8, 4), (2, 5, 10, 19), (3, 2, 12, 33), (1, 10, 10, 3))):
        torch.manual_seed(seed)
        gpt = GPT(13, 8, 2, 2, context).eval()
        nn.init.normal_(gpt.token.weight, std=1.0)
        start = torch.randint(13, (B, T))
        right, calls = _slowly(gpt, start, steps)
        model = Watched(gpt)
        with torch.no_grad():
            got = tensor(beyond(model, start.clone(), steps), *right.shape)
        if bool((got[:, :T] != start).any()):
            raise Wrong("the answer begins with the tokens that were given")
        if bool((got != right).any()):
            where = int((got != right).any(0).nonzero()[0])
            early = where <= context
            raise Wrong(
                f"token {where} is another than without a cache: "
                + (
                    "is the last position's likeliest taken?"
                    if early
                    else "after a cut, are the last context // 2 read?"
                )
            )
        if sum(fed for fed, _ in model.fed) > calls:
            raise Wrong(
                f"right tokens, but {sum(fed for fed, _ in model.fed)} were fed to the model, and {calls} are enough: "
                "hand the cache on, and feed only what is new"
            )
    return "It writes on and on, and reads half a context anew once in a while."


@torch.no_grad()
def _slowly(gpt: GPT, tokens: Tensor, steps: int) -> tuple[Tensor, int]:
    """The right tokens, computed without a cache, and how many one has to feed with one."""
    begin, fed, held = 0, tokens.shape[1], tokens.shape[1]
    for step in range(steps):
        if held > gpt.context:
            begin, held = tokens.shape[1] - gpt.context // 2, gpt.context // 2
            fed += held
        elif step:
            fed += 1
        logits, _ = gpt(tokens[:, begin:])
        tokens = torch.cat([tokens, logits[:, -1:].argmax(-1)], dim=1)
        held += 1
    return tokens, fed
