"""What the page on what can be trained measures is what its sentences are about."""

import math

import pytest
import torch

from attend.evidence.supervision import bits_of, bits_with, in_bytes
from attend.memory.supervision import LanguageModel
from attend.tasks import plays

V = len(plays.ALPHABET)


def small():
    torch.manual_seed(0)
    return LanguageModel(V, 3, 5).requires_grad_(False)


def log2(model, tokens):
    """What each character but the first of one row costs, in bits."""
    log_probs = model(tokens[None])[0][0, :-1].log_softmax(1)
    return -log_probs.gather(1, tokens[1:, None])[:, 0] / math.log(2)


def test_every_character_is_paid_for_once():
    model, tokens = small(), torch.randint(V, (29,), generator=torch.Generator().manual_seed(1))
    rows = tokens[:28].view(2, 14)
    wanted = sum(log2(model, row).sum().item() for row in rows) + 3 * math.log2(V)  # two firsts, and one that is left
    assert bits_of(model, tokens, rows=2, chunk=4) == pytest.approx(wanted, rel=1e-5)


def test_weights_are_rounded_to_as_many_bytes_as_are_counted():
    model = small()
    before = model.head.weight.clone()
    taken = in_bytes(model)
    matrices = [weights for weights in model.parameters() if weights.dim() > 1]
    scales = sum(map(len, matrices)) + sum(weights.dim() == 1 for weights in model.parameters())
    assert taken == sum(weights.numel() for weights in model.parameters()) + 4 * scales
    step = before.abs().amax(dim=1, keepdim=True) / 127
    assert (model.head.weight / step).round().sub(model.head.weight / step).abs().max() < 1e-3
    assert ((model.head.weight - before).abs() <= 0.51 * step).all()


def test_what_is_exchanged_is_what_stands_before_the_last_ones():
    model, at = small(), torch.tensor([12, 20])
    pages = torch.randint(V, (2, 25), generator=torch.Generator().manual_seed(2))
    found = []
    for page, other in ((0, 1), (1, 0)):
        for t in at.tolist():
            mixed = torch.cat([pages[other, : t - 3], pages[page, t - 3 : t + 1]])
            found.append(log2(model, mixed)[-1])
    assert bits_with(model, pages, 3, at) == pytest.approx(torch.stack(found).mean().item(), rel=1e-5)
    same = pages[:1].expand(2, -1)
    whole = torch.stack([log2(model, pages[0, : t + 1])[-1] for t in at.tolist()]).mean().item()
    assert bits_with(model, same, 3, at) == pytest.approx(whole, rel=1e-5)
