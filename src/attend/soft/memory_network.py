"""Memory networks: sentences are kept as rows of a memory, and a question reads it in several hops.

Source   Sukhbaatar et al. 2015, arXiv:1503.08895, sections 2 and 4 (end-to-end, adjacent tying, position encoding,
         temporal encoding, linear start); Kumar et al. 2016, arXiv:1506.07285, section 2 (dynamic memory network);
         lecture erdem2021attention.
Departs  the answer is read off with the last embedding, as adjacent tying has it, without noise in time; empty slots
         are masked. The dynamic network makes a sentence's vector by position encoding, not by a GRU over words, its
         gates are a softmax over the sentences, and it answers with a single word by one linear layer.
Agrees   sums over slots, words and hops, one after the other (tests/soft/test_memory_network.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Plural, Positive, Tokens


class SentenceEmbedding(nn.Module):
    """Sentences (…, L) of tokens to vectors (…, D): the sum of their words' vectors; token 0 is no word.

    With `position`, the word in place j of J is weighted by (1 − j/J) − (k/D)(1 − 2j/J) in dimension k.
    """

    @checked
    def __init__(self, vocabulary: Plural, width: Positive, position: bool = True):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, padding_idx=0)
        nn.init.normal_(self.words.weight[1:], std=0.1)
        self.position = position

    @checked
    def forward(
        self, sentence: Tokens["*batch L", "self.words.num_embeddings"]
    ) -> Float[Tensor, "*batch {self.words.embedding_dim}"]:
        """The vectors, (…, D)."""
        vectors = self.words(sentence)  # (..., L, D)
        if self.position:
            L, D = vectors.shape[-2:]
            J = (sentence > 0).sum(-1, keepdim=True).clamp(min=1)
            j = torch.arange(1, L + 1, device=sentence.device) / J
            k = torch.arange(1, D + 1, device=sentence.device) / D
            j = j[..., None]
            vectors = vectors * ((1 - j) - k * (1 - 2 * j))
        return vectors.sum(-2)  # (..., D)


class MemoryNetwork(nn.Module):
    """An end-to-end memory network: a story of at most `slots` sentences and a question to the answer's logits.

    The memory of hop i has keys of embedding i and values of embedding i + 1 (adjacent tying), and to both a vector is
    added that says how long ago the sentence was.
    """

    @checked
    def __init__(
        self,
        vocabulary: Plural,
        slots: Positive,
        width: Positive = 32,
        hops: Positive = 3,
        position: bool = True,
    ):
        super().__init__()
        self.vocabulary, self.slots, self.hops = vocabulary, slots, hops
        self.embed, self.time = nn.ModuleList(), nn.ParameterList()
        for _ in range(hops + 1):
            embed = SentenceEmbedding(vocabulary, width, position)
            self.embed.append(embed)
            self.time.append(0.1 * torch.randn(slots, width))

    @checked
    def forward(
        self,
        story: Tokens["B N L", "self.vocabulary"],
        question: Tokens["B M", "self.vocabulary"],
        linear: bool = False,
    ) -> tuple[Float[Tensor, "B {self.vocabulary}"], Float[Tensor, "B hops N"]]:
        """Logits of each word, and the weights of each hop over the story; the last sentence is in the last slot.

        `linear` leaves the softmax out, as at the start of training. Raises ValueError for more sentences than slots,
        and for a story without a sentence.
        """
        N = story.shape[1]
        expect(self.slots >= N, "story", story, f"at most {self.slots} sentences")
        there = (story > 0).any(2)  # (B, N): no empty slots
        expect(bool(there.any(1).all()), "story", story, "one sentence at least")
        pairs = zip(self.embed, self.time, strict=True)
        rows = [embed(story) + time[-N:] for embed, time in pairs]
        u, weights = self.embed[0](question), []  # (B, D)
        for i in range(self.hops):
            keys, values = rows[i], rows[i + 1]  # (B, N, D)
            scores = (keys @ u[..., None])[..., 0]  # (B, N)
            if linear:
                p = scores * there
            else:
                p = scores.masked_fill(~there, -torch.inf).softmax(1)
            u = u + (p[:, None] @ values)[:, 0]  # u + o
            weights.append(p)
        logits = u @ self.embed[-1].words.weight.T
        return logits, torch.stack(weights, 1)


class DynamicMemoryNetwork(nn.Module):
    """A dynamic memory network: a GRU reads the story, and each episode passes over its states with a gate for each.

    The memory starts as the question; a GRU cell updates it after each episode.
    """

    @checked
    def __init__(self, vocabulary: Plural, width: Positive = 32, episodes: Positive = 2):
        super().__init__()
        self.vocabulary, self.episodes = vocabulary, episodes
        D = width
        self.embed = SentenceEmbedding(vocabulary, D)
        nn.init.normal_(self.embed.words.weight[1:], std=0.5)
        self.input = nn.GRU(D, D, batch_first=True)
        self.question = nn.Linear(D, D)
        compare = nn.Linear(4 * D, D), nn.Tanh(), nn.Linear(D, 1)
        self.gate = nn.Sequential(*compare)
        self.attend = nn.GRUCell(D, D)
        self.memory = nn.GRUCell(D, D)
        self.answer = nn.Linear(2 * D, vocabulary)

    @checked
    def forward(
        self,
        story: Tokens["B N L", "self.vocabulary"],
        question: Tokens["B M", "self.vocabulary"],
    ) -> tuple[Float[Tensor, "B {self.vocabulary}"], Float[Tensor, "B E N"]]:
        """Logits of each word, and the gates of each episode. Raises ValueError for a story without a sentence."""
        there = (story > 0).any(2)  # (B, N)
        expect(bool(there.any(1).all()), "story", story, "one sentence at least")
        f, _ = self.input(self.embed(story))  # (B, N, D)
        q = torch.tanh(self.question(self.embed(question)))  # (B, D)
        m, gates = q, []
        for _ in range(self.episodes):
            both = torch.stack([q, m], 1)[:, None]  # (B, 1, 2, D)
            each = f[:, :, None]  # (B, N, 1, D)
            near = torch.cat([each * both, (each - both).abs()], 2)
            scores = self.gate(near.flatten(2))[..., 0]  # (B, N)
            g = scores.masked_fill(~there, -torch.inf).softmax(1)
            h = torch.zeros_like(q)
            for i in range(story.shape[1]):  # a pass, in order
                gi = g[:, i : i + 1]
                h = gi * self.attend(f[:, i], h) + (1 - gi) * h
            m = self.memory(h, m)
            gates.append(g)
        return self.answer(torch.cat([m, q], 1)), torch.stack(gates, 1)
