"""A translator that aligns: two readers go over the source, and the writer looks back at it before each word.

Source   Bahdanau et al. 2014, arXiv:1409.0473, sections 3.1-3.2 and appendix A.2; lecture erdem2021attention.
Departs  each reader is half as wide as the writer; a word is chosen through one layer of tanh, in place of maxout, from
         the writer's new summary, as their eq. 4 has it (their appendix has the old one); the gated unit is ours.
Agrees   torch.nn.GRU, GRUCell, Embedding and Linear put together, in values and gradients
         (tests/soft/test_translation.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import Positive, Tokens
from attend.gating.bidirectional import Bidirectional, lengths
from attend.gating.gru import GRU
from attend.memory.supervision import shift_right, two_vocabularies
from attend.soft.read import Reading, read
from attend.soft.scores import Score
from attend.soft.seq2seq import Answers, Step


class Annotated(NamedTuple):
    """A source that was read: the `summaries` of both readers side by side (B, S, K), which of them are `mask`

    (B, S), the summary `last` (B, H) that the writer starts from, and the `keys` U h of the score (B, S, A).
    """

    summaries: Float[Tensor, "B S K"]
    mask: Bool[Tensor, "B S"]
    last: Float[Tensor, "B H"]
    keys: Float[Tensor, "B S A"]


class Translator(nn.Module):
    """Before each word the writer asks, with its last summary, where to look; what it reads there is its input.

    With h̃ the writer's summaries, h the readers', and y the words: the scores are vᵀtanh(W h̃_{t-1} + U h_s), their
    softmax weighs the context c_t, h̃_t is one step of a gated unit on [y_{t-1}; c_t], and h̃_t, y_{t-1} and c_t
    together choose y_t. The start is h̃_0 = tanh(W_0 h), h the last summary of the reader that ends at the first word.
    `source_V` and `target_V` are the sizes of the vocabularies, D the width of a word's vector; each reader has
    H / 2 units; token `end` of the target starts and ends every answer.

    Raises ValueError for sizes that are not positive, an odd H, and an `end` that is no token.
    """

    @checked
    def __init__(
        self,
        source_V: int,
        target_V: int,
        D: Positive,
        H: Positive,
        end: int = 0,
        generator: torch.Generator | None = None,
    ):
        two_vocabularies(source_V, target_V, end)
        expect(H > 0 and H % 2 == 0, "H", H, "a positive even number, half of it for each reader")
        super().__init__()
        self.end, self.D, self.H = end, D, H
        self.embed_source = embedding_(nn.Embedding(source_V, D), generator=generator)
        self.embed_target = embedding_(nn.Embedding(target_V, D), generator=generator)
        ahead, back = GRU(D, H // 2, generator=generator), GRU(D, H // 2, generator=generator)
        self.reader = Bidirectional(ahead, back)
        self.begin = linear_(nn.Linear(H // 2, H), generator)
        self.score = Score("additive", H, H, hidden=H // 2, generator=generator)
        self.writer = GRU(D + H, H, generator=generator)
        self.mix = linear_(nn.Linear(H + D + H, H), generator)
        self.readout = linear_(nn.Linear(H, target_V), generator)

    @checked
    def read(self, source: Tokens["B S", "self.embed_source.num_embeddings"], mask: Bool[Tensor, "B S"]) -> Annotated:
        """Read every source from both ends. What `mask` hides changes nothing.

        The keys do not depend on who asks, so they are made once. Raises ValueError unless the visible steps of every
        row come first, at least one.
        """
        lengths(mask)
        summaries, held = self.reader(self.embed_source(source), mask)
        last = torch.tanh(self.begin(held[:, self.H // 2 :]))
        return Annotated(summaries, mask, last, summaries @ self.score.weights["U"].T)

    @checked
    def start(self, memory: Annotated) -> Float[Tensor, "B H"]:
        """The writer's summary before its first word."""
        return memory.last

    @checked
    def look(self, state: Float[Tensor, "B H"], memory: Annotated) -> Reading:
        """Where a writer with this summary looks, and what it reads there."""
        self._fits(state)
        W, v = self.score.weights["W"], self.score.weights["v"]
        asked = state @ W.T
        scores = torch.tanh(asked[:, None] + memory.keys) @ v
        return read(scores[:, None], memory.summaries, memory.mask)

    @checked
    def step(
        self,
        token: Tokens["B", "self.embed_target.num_embeddings"],
        state: Float[Tensor, "B H"],
        memory: Annotated,
    ) -> Step:
        """Look back, take in one's own last token and what was read, and say what comes next."""
        context, weights = self.look(state, memory)
        word, context = self.embed_target(token), context[:, 0]
        state = self.writer.step(torch.cat([word, context], dim=1), state)
        return Step(self._choose(state, word, context), state, weights[:, 0])

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Bool[Tensor, "B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Answers:
        """Logits of each token of `target`, when the true token before it is given: teacher forcing.

        The same as `step` again and again; the gradient is written by hand (`_Writing`) and can be differentiated no
        further.
        """
        memory, words = self.read(source, mask), self.embed_target(shift_right(target, self.end))
        of_word, of_context = self.writer.from_input.weight.split([self.D, self.H], dim=1)
        share = words.transpose(0, 1) @ of_word.T + self.writer.from_input.bias
        score = self.score.weights
        results = _Writing.apply(
            share, memory.last, memory.keys, memory.summaries, mask,
            score["W"], score["v"], of_context, self.writer.from_hidden.weight,
        )  # fmt: skip
        summaries, contexts, weights = (result.transpose(0, 1) for result in results)
        return Answers(self._choose(summaries, words, contexts), weights)

    def _choose(self, state: Tensor, word: Tensor, context: Tensor) -> Tensor:
        """Logits of the next word from the writer's summary, the word before it and what was read."""
        return self.readout(torch.tanh(self.mix(torch.cat([state, word, context], dim=-1))))

    def _fits(self, state: Tensor) -> None:
        expect(state.shape[1] == self.H, "state", state, f"a summary of this writer's width H = {self.H}")


@checked
@torch.no_grad()
def needed(
    model: Translator,
    source: Int[Tensor, "B S"],
    mask: Bool[Tensor, "B S"],
    target: Int[Tensor, "B T"],
) -> Bool[Tensor, "B T"]:
    """At which tokens of `target` did it matter where the model looked?

    Each step is taken twice from the same state, with the look as it is and with one that weighs all visible words
    alike; True where the two choose different tokens.
    """
    memory = model.read(source, mask)
    blurred = memory._replace(keys=torch.zeros_like(memory.keys))
    state, found = model.start(memory), []
    for token in shift_right(target, model.end).unbind(1):
        looked = model.step(token, state, memory)
        guessed = model.step(token, state, blurred)
        found.append(looked.logits.argmax(1) != guessed.logits.argmax(1))
        state = looked.state
    return torch.stack(found, dim=1)


class _Writing(torch.autograd.Function):
    """All steps of the writer, time first, from the words' share of the gates' sums (T, B, 3H).

    tanh(a) is 2σ(2a) - 1, and what is added to all scores alike changes no weight; so the scores are 2vᵀσ(2W h̃ + 2U h).
    On the way back only what waits for the next step stays in the loop.
    """

    @staticmethod
    def forward(ctx, share, start, keys, values, mask, W, v, C, U):
        (T, B, _), H, (_, S, A) = share.shape, start.shape[1], keys.shape
        summaries = torch.cat((start[None], share.new_empty(T, B, H)))
        recalled, gates, candidates = (share.new_empty(T, B, width * H) for width in (3, 2, 1))
        hidden, weights = share.new_empty(T, B, S, A), share.new_empty(T, B, S)
        contexts = share.new_empty(T, B, values.shape[2])
        unseen, twice = ~mask, 2 * keys
        for t in range(T):
            asked = summaries[t] @ W.T
            torch.add(twice, asked[:, None], alpha=2, out=hidden[t]).sigmoid_()
            scores = (hidden[t].view(B * S, A) @ v).view(B, S).mul_(2).masked_fill_(unseen, -torch.inf)
            torch.softmax(scores, dim=1, out=weights[t])
            torch.bmm(weights[t, :, None], values, out=contexts[t, :, None])
            sums = torch.addmm(share[t], contexts[t], C.T)
            torch.mm(summaries[t], U.T, out=recalled[t])
            reset, keep = torch.add(sums[:, : 2 * H], recalled[t, :, : 2 * H], out=gates[t]).sigmoid_().chunk(2, 1)
            candidate = torch.addcmul(sums[:, 2 * H :], reset, recalled[t, :, 2 * H :], out=candidates[t])
            torch.lerp(candidate.mul_(2).sigmoid_().mul_(2).sub_(1), summaries[t], keep, out=summaries[t + 1])
        ctx.save_for_backward(
            summaries, gates, candidates, recalled[..., 2 * H :], hidden, weights, contexts, values, W, v, C, U
        )
        return summaries[1:], contexts, weights

    @staticmethod
    @once_differentiable
    def backward(ctx, d_summaries, d_contexts, d_weights):
        summaries, gates, candidates, recalled, hidden, weights, contexts, values, W, v, C, U = ctx.saved_tensors
        T, B, H = candidates.shape
        to_recalled, to_sums, keep = _slopes(summaries, gates, candidates, recalled)
        d_scores, d_asked = torch.empty_like(weights), hidden.new_empty(T, B, len(v))
        d_keys, carried, d_read = (
            torch.zeros_like(hidden[0]),
            torch.zeros_like(candidates[0]),
            contexts.new_empty(contexts.shape),
        )
        for t in reversed(range(T)):
            d_h = (d_summaries[t] + carried)[:, None]
            to_recalled[t] *= d_h
            to_sums[t] *= d_h
            torch.addmm(d_contexts[t], to_sums[t].view(B, 3 * H), C, out=d_read[t])
            d_weight = torch.baddbmm(d_weights[t, :, :, None], values, d_read[t, :, :, None])[..., 0]
            d_weight = d_weight * weights[t]
            torch.sub(d_weight, weights[t] * d_weight.sum(1, keepdim=True), out=d_scores[t])
            slope = torch.addcmul(hidden[t], hidden[t], hidden[t], value=-1)
            d_keys.addcmul_(slope, d_scores[t, :, :, None])
            torch.mul(torch.bmm(d_scores[t, :, None], slope)[:, 0], 4 * v, out=d_asked[t])
            carried = torch.addmm(d_h[:, 0] * keep[t], to_recalled[t].view(B, 3 * H), U).addmm_(d_asked[t], W)
        d_recalled, d_sums = to_recalled.view(T * B, 3 * H), to_sums.view(T, B, 3 * H)
        old = summaries[:-1].reshape(T * B, H)
        d_values = torch.bmm(weights.permute(1, 2, 0), d_read.transpose(0, 1))
        d_v = 2 * (d_scores.view(-1) @ hidden.view(-1, len(v)))
        d_C = d_sums.view(T * B, 3 * H).T @ contexts.view(T * B, -1)
        return (
            d_sums,
            carried,
            d_keys * (4 * v),
            d_values,
            None,
            d_asked.view(T * B, -1).T @ old,
            d_v,
            d_C,
            (d_recalled.T @ old),
        )


def _slopes(summaries: Tensor, gates: Tensor, candidates: Tensor, recalled: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """How far each summary moves by the parts reset, keep and candidate of U h̃ (T, B, 3, H), by those of the other

    sums, and by the old summary alone (T, B, H).
    """
    reset, keep = gates.chunk(2, dim=2)
    to_candidate = (1 - keep) * (1 - candidates**2)
    through = to_candidate * reset
    to_reset, to_keep = through * recalled * (1 - reset), (summaries[:-1] - candidates) * keep * (1 - keep)
    sums = torch.stack((to_reset, to_keep, to_candidate), dim=2)
    return torch.stack((to_reset, to_keep, through), dim=2), sums, keep
