"""Bahdanau's translator with teacher forcing, its loop over the decoder's steps and the gradient of it written by hand.

Agrees   attend.soft.translation.Translator, in values and gradients (tests/fast/test_translation.py). The gradient
         cannot be differentiated again: that raises a RuntimeError.
"""

import torch
from torch import Tensor

from attend.core.expect import checked
from attend.core.types import Lengths, Tokens
from attend.memory.supervision import shift_right
from attend.soft.seq2seq import Outputs
from attend.soft.translation import Translator


class FastTranslator(Translator):
    """A Translator whose forward takes two thirds of the time, or less."""

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Outputs:
        """What Translator's forward returns.

        A second derivative raises RuntimeError; take it of a Translator that was not made fast. Under autocast it is
        that forward itself.
        """
        if torch.is_autocast_enabled(source.device.type):
            return super().forward(source, mask, target)
        memory, words = self.read(source, mask), self.embed_target(shift_right(target, self.end))
        D = words.shape[2]
        of_word, of_context = self.decoder.from_input.weight.split([D, self.hidden_size], dim=1)
        share = words.transpose(0, 1) @ of_word.T + self.decoder.from_input.bias
        results = _Decoding.apply(
            share, memory.last, memory.keys, memory.hidden, mask,
            self.query_proj.weight, self.score.weight[0], of_context, self.decoder.from_hidden.weight,
        )  # fmt: skip
        states, contexts, weights = (result.transpose(0, 1) for result in results)
        return Outputs(self.predict(states, words, contexts), weights)


class _Decoding(torch.autograd.Function):
    """All decoder steps, time first, from the words' share of the gates' sums (T, B, 3H).

    tanh(a) is 2σ(2a) - 1, and what is added to all scores alike changes no weight; so the scores are 2vᵀσ(2W h̃ + 2U h).
    On the way back only what waits for the next step stays in the loop.
    """

    @staticmethod
    def forward(ctx, share, start, keys, values, mask, W, v, C, U):
        (T, B, _), H, (_, S, A) = share.shape, start.shape[1], keys.shape
        states = torch.cat((start[None], share.new_empty(T, B, H)))
        recalled, gates, candidates = (share.new_empty(T, B, width * H) for width in (3, 2, 1))
        hidden, weights = share.new_empty(T, B, S, A), share.new_empty(T, B, S)
        contexts = share.new_empty(T, B, values.shape[2])
        unseen, twice = ~mask, 2 * keys
        for t in range(T):
            query = states[t] @ W.T
            torch.add(twice, query[:, None], alpha=2, out=hidden[t]).sigmoid_()
            scores = (hidden[t].view(B * S, A) @ v).view(B, S).mul_(2).masked_fill_(unseen, -torch.inf)
            torch.softmax(scores, dim=1, out=weights[t])
            torch.bmm(weights[t, :, None], values, out=contexts[t, :, None])
            sums = torch.addmm(share[t], contexts[t], C.T)
            torch.mm(states[t], U.T, out=recalled[t])
            reset, update = torch.add(sums[:, : 2 * H], recalled[t, :, : 2 * H], out=gates[t]).sigmoid_().chunk(2, 1)
            candidate = torch.addcmul(sums[:, 2 * H :], reset, recalled[t, :, 2 * H :], out=candidates[t])
            torch.lerp(candidate.mul_(2).sigmoid_().mul_(2).sub_(1), states[t], update, out=states[t + 1])
        ctx.save_for_backward(
            states, gates, candidates, recalled[..., 2 * H :], hidden, weights, contexts, values, W, v, C, U
        )
        return states[1:], contexts, weights

    @staticmethod
    def backward(ctx, d_states, d_contexts, d_weights):
        if torch.is_grad_enabled():  # someone asked for a graph of this gradient
            raise RuntimeError(
                "FastTranslator has no second derivative: take it of a Translator that was not made fast"
            )
        states, gates, candidates, recalled, hidden, weights, contexts, values, W, v, C, U = ctx.saved_tensors
        T, B, H = candidates.shape
        to_recalled, to_sums, update = _derivatives(states, gates, candidates, recalled)
        d_scores, d_query = torch.empty_like(weights), hidden.new_empty(T, B, len(v))
        d_keys, carried, d_read = (
            torch.zeros_like(hidden[0]),
            torch.zeros_like(candidates[0]),
            contexts.new_empty(contexts.shape),
        )
        for t in reversed(range(T)):
            d_h = (d_states[t] + carried)[:, None]
            to_recalled[t] *= d_h
            to_sums[t] *= d_h
            torch.addmm(d_contexts[t], to_sums[t].view(B, 3 * H), C, out=d_read[t])
            d_weight = torch.baddbmm(d_weights[t, :, :, None], values, d_read[t, :, :, None])[..., 0]
            d_weight = d_weight * weights[t]
            torch.sub(d_weight, weights[t] * d_weight.sum(1, keepdim=True), out=d_scores[t])
            derivative = torch.addcmul(hidden[t], hidden[t], hidden[t], value=-1)
            d_keys.addcmul_(derivative, d_scores[t, :, :, None])
            torch.mul(torch.bmm(d_scores[t, :, None], derivative)[:, 0], 4 * v, out=d_query[t])
            carried = torch.addmm(d_h[:, 0] * update[t], to_recalled[t].view(B, 3 * H), U).addmm_(d_query[t], W)
        d_recalled, d_sums = to_recalled.view(T * B, 3 * H), to_sums.view(T, B, 3 * H)
        old = states[:-1].reshape(T * B, H)
        d_values = torch.bmm(weights.permute(1, 2, 0), d_read.transpose(0, 1))
        d_v = 2 * (d_scores.view(-1) @ hidden.view(-1, len(v)))
        d_C = d_sums.view(T * B, 3 * H).T @ contexts.view(T * B, -1)
        return (
            d_sums,
            carried,
            d_keys * (4 * v),
            d_values,
            None,
            d_query.view(T * B, -1).T @ old,
            d_v,
            d_C,
            (d_recalled.T @ old),
        )


def _derivatives(states: Tensor, gates: Tensor, candidates: Tensor, recalled: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The derivatives of each state, in three groups.

    By the parts reset, update and candidate of U h̃ (T, B, 3, H), by those of the other sums, and by the old state
    alone (T, B, H).
    """
    reset, update = gates.chunk(2, dim=2)
    to_candidate = (1 - update) * (1 - candidates**2)
    through = to_candidate * reset
    to_reset, to_update = through * recalled * (1 - reset), (states[:-1] - candidates) * update * (1 - update)
    sums = torch.stack((to_reset, to_update, to_candidate), dim=2)
    return torch.stack((to_reset, to_update, through), dim=2), sums, update
