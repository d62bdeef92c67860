"""Exercises of the page on sequence to sequence."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import parts, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise, written_class
from attend.soft.seq2seq import ContextSeq2Seq, Memory, Seq2Seq

DRAWS = ((0, 3, 5, 4), (1, 2, 7, 6), (2, 5, 4, 9))
"""Seed, B, T and V."""


@exercise
def told(decoder_inputs: Callable) -> str:
    """decoder_inputs(target, end) -> tokens: what the decoder reads under teacher forcing, `end` first; both (B, T)."""
    for seed, B, T, V in DRAWS:
        generator = torch.Generator().manual_seed(seed)
        target = torch.rand(B, V, generator=generator).argsort(dim=1)[:, : min(T, V)]  # no token twice in a row
        end = (0, V, 3)[seed]
        start = torch.full((B, 1), end)
        right = torch.cat([start, target[:, :-1]], dim=1).float()
        answer = tensor(decoder_inputs(target.clone(), end), *right.shape, what="what the decoder reads")
        mistakes = {
            "before each step the decoder reads the token that stands before: here it reads the answer": target,
            "the tokens must move to the right: here each step reads the token after its own": torch.cat(
                [target[:, 1:], start], dim=1
            ),
            "before the first token stands `end`, not the last token of the row": target.roll(1, dims=1),
            "before the first token stands `end`: here the first token is read twice": torch.cat(
                [target[:, :1], target[:, :-1]], dim=1
            ),
            "only the first step reads `end`: after it come the true tokens": start.expand_as(target),
            "the token that starts is `end`, whatever its number: here it is 0": torch.cat(
                [torch.zeros_like(start), target[:, :-1]], dim=1
            ),
        }
        if not torch.equal(answer, right):
            recognise(answer, {says: one.float() for says, one in mistakes.items()})
            raise Wrong("step 1 should read `end`, and step t the token t - 1 of its own row")
    return "One place to the right: that is the whole difference between predicting the answer and copying it."


@exercise
def whole(log_prob: Callable) -> str:
    """log_prob(logits, target, end) -> (B): the log of each answer's probability, its first `end` included."""
    for seed, B, T, V in DRAWS:
        generator = torch.Generator().manual_seed(seed)
        end = (0, V - 1, 2)[seed]
        logits = 2 * torch.randn(B, T, V, generator=generator)
        others = torch.tensor([token for token in range(V) if token != end])
        target = others[torch.randint(V - 1, (B, T), generator=generator)]
        lengths = torch.randint(T, (B,), generator=generator)
        lengths[0], lengths[1] = 0, T - 1  # an answer that ends at once, and one without padding
        target[torch.arange(T) >= lengths[:, None]] = end
        real = torch.arange(T) <= lengths[:, None]  # (B, T), the first `end` included
        each = logits.log_softmax(-1).gather(-1, target[..., None])[..., 0]
        raw = logits.gather(-1, target[..., None])[..., 0]
        right = (each * real).sum(1)
        answer = tensor(_detached(log_prob(logits.clone(), target.clone(), end)), B, what="the log-probabilities")
        mistakes = {
            "what stands after the first `end` is padding: here it is counted": each.sum(1),
            "the first `end` is a token of the answer: here it is not counted": (each * (target != end)).sum(1),
            "the probabilities are multiplied, so their logarithms are added: here is their mean": right / real.sum(1),
            "this is the loss; the log-probability has the other sign": -right,
            "this is the probability; its logarithm was asked for": right.exp(),
            "logits are no log-probabilities yet: they lack the log-softmax": (raw * real).sum(1),
            "take logarithms to base e, as everywhere here: these are to base 2": right / torch.tensor(2.0).log(),
            "the token that ends an answer is `end`, whatever its number: here it is 0": (
                each * ((target == 0).cumsum(1) < 2)
            ).sum(1),
        }
        if not torch.allclose(answer, right, rtol=1e-3, atol=1e-4):
            recognise(answer, mistakes)
            raise Wrong("add the log-softmax of the right tokens of each row, up to its first `end`")
    return "A sum of logarithms stays a handy number, where the product of many probabilities would come out as 0."


@exercise
def context(made: type) -> str:
    """A class derived from Seq2Seq whose decoder reads the context vector at every step, behind the embedding."""
    written_class(made, "step", "forward", parent=Seq2Seq)
    for D, H, B, S, T in ((3, 5, 2, 4, 6), (4, 7, 3, 2, 5)):
        torch.manual_seed(D)
        model = _tried("your constructor", made, 9, 8, D, H)
        reference = ContextSeq2Seq(9, 8, D, H)
        _compare_sizes(model, reference, D, H)
        reference.load_state_dict(model.state_dict())
        source, target = torch.randint(9, (B, S)), torch.randint(1, 8, (B, T))
        mask = torch.ones(B, S, dtype=torch.bool)
        memory, token, state = reference.read(source, mask), target[:, 0], torch.randn(B, H)
        with torch.no_grad():
            logits, new, _ = parts(_tried("`step`", model.step, token, state, memory), 3, "what `step` returns")
            right = reference.step(token, state, memory)
            other = _mistaken_steps(reference, token, state, memory)
            got = tensor(new, B, H, what="the new state")
            if not torch.allclose(got, right.state, rtol=1e-3, atol=1e-4):
                recognise(got, other)
                raise Wrong("the new state is a step of the decoder with [embedding, context vector] as its input")
            if not torch.allclose(tensor(logits, B, 8, what="the logits"), right.logits, rtol=1e-3, atol=1e-4):
                raise Wrong("the new state is right; the logits are `self.readout` of it")
            answer = _tried("`forward`", model, source, mask, target)
            if answer is None or answer is ...:
                raise Wrong("`step` is right; `forward` gives nothing back yet")
            logits = tensor(getattr(answer, "logits", answer), B, T, 8, what="the logits of `forward`")
            if not torch.allclose(logits, reference(source, mask, target).logits, rtol=1e-3, atol=1e-4):
                raise Wrong(
                    "`step` is right; `forward` must say the same: `shift_right(target, self.end)`, each embedding "
                    "with the context vector behind it, from the state `self.start(memory)`"
                )
    return "Now the decoder cannot forget what it was told; train it with the loop of this page."


def _detached(value: object) -> object:
    return value.detach() if isinstance(value, Tensor) else value


def _tried(what: str, call: Callable, *given: object) -> object:
    with blame(what):
        return call(*given)


def _compare_sizes(model: Seq2Seq, reference: ContextSeq2Seq, D: int, H: int) -> None:
    size = getattr(model.decoder, "input_size", None)
    if size == D:
        raise Wrong("the decoder still has inputs of the embedding's width alone: make it anew in the constructor")
    if size != D + H:
        raise Wrong("the decoder's input is an embedding and a context vector: embedding_size + hidden_size numbers")
    ours = {name: value.shape for name, value in model.state_dict().items()}
    if ours != {name: value.shape for name, value in reference.state_dict().items()}:
        raise Wrong("leave the other parts as they are in Seq2Seq, with their names: only `decoder` is made anew")


def _mistaken_steps(model: ContextSeq2Seq, token: Tensor, state: Tensor, memory: Memory) -> dict[str, Tensor]:
    embedded, last = model.embed_target(token), memory.last
    steps = {
        "the embedding comes first, the context vector behind it": (torch.cat([last, embedded], 1), state),
        "this context vector is the decoder's own state; it is the encoder's, `memory.last`": (
            torch.cat([embedded, state], 1),
            state,
        ),
        "the step must start from the decoder's state, not from the context vector": (
            torch.cat([embedded, last], 1),
            last,
        ),
        "the context vector is `memory.last`, not the mean of the encoder's states": (
            torch.cat([embedded, memory.hidden.mean(1)], 1),
            state,
        ),
        "the context vector is the encoder's last state: here it is the first": (
            torch.cat([embedded, memory.hidden[:, 0]], 1),
            state,
        ),
    }
    return {says: model.decoder.step(x, h) for says, (x, h) in steps.items()}
