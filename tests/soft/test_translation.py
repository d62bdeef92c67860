"""The translator that aligns, beside torch.nn put together; step by step; and with padding that says nothing."""

import pytest
import torch
from tests.soft.by_torch import gru
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F

from attend.memory.supervision import shift_right
from attend.soft import translation
from attend.soft.decode import beam_search, greedy
from attend.soft.scores import additive
from attend.soft.translation import FixedContext, OneDirection, Translator, WordVectors, needs_attention

V, O, D, H = 9, 7, 5, 8
SOURCE = torch.tensor([[1, 2, 3, 4, 5, 6], [7, 8, 1, 0, 0, 0], [4, 0, 0, 0, 0, 0]])
VISIBLE = torch.arange(6) < torch.tensor([[6], [3], [1]])
TARGET = torch.tensor([[1, 2, 3, 4, 0], [5, 6, 0, 0, 0], [3, 0, 0, 0, 0]])


def made(seed=0):
    model = Translator(V, O, D, H, generator=torch.Generator().manual_seed(seed)).double()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.3 * torch.randn(p.shape, generator=torch.Generator().manual_seed(p.numel())))
    return model


def gradients(model, loss):
    return torch.autograd.grad(loss, list(model.parameters()), retain_graph=True)


def loss_of(logits, weights):
    """A loss that hears every logit and every weight with a factor of its own."""
    draw = torch.Generator().manual_seed(1)
    return sum((part * torch.randn(part.shape, generator=draw, dtype=part.dtype)).sum() for part in (logits, weights))


def put_together(model, source, mask, target):
    """What the translator answers, put together from torch's own parts with the very weights of ours."""
    embed, counts, H = F.embedding(source, model.embed_source.weight), mask.sum(1), model.hidden_size
    up, _ = gru(model.encoder.ahead, embed, lengths=counts)
    back = torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(embed, counts, strict=True)])
    down, held = gru(model.encoder.back, back, lengths=counts)
    down = torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(down, counts, strict=True)])
    summaries = torch.cat([up, down], dim=2)
    state = F.linear(held, model.first_state.weight, model.first_state.bias).tanh()
    unit, logits, weights = model.decoder, [], []
    names = {
        "weight_ih": unit.from_input.weight,
        "weight_hh": unit.from_hidden.weight,
        "bias_ih": unit.from_input.bias,
        "bias_hh": torch.zeros_like(unit.from_input.bias),
    }
    cell = nn.GRUCell(unit.input_size, H, dtype=embed.dtype)
    for token in shift_right(target, model.end).unbind(1):
        hidden = F.linear(state, model.query_proj.weight)[:, None] + F.linear(summaries, model.key_proj.weight)
        scores = F.linear(hidden.tanh(), model.score.weight)[..., 0]
        weight = F.softmax(scores + torch.where(mask, 0, -torch.inf), dim=1)
        context = torch.einsum("bs,bsk->bk", weight, summaries)
        word = F.embedding(token, model.embed_target.weight)
        state = functional_call(cell, names, (torch.cat([word, context], 1), state))
        mixed = F.linear(torch.cat([state, word, context], 1), model.combine.weight, model.combine.bias).tanh()
        logits.append(F.linear(mixed, model.readout.weight, model.readout.bias))
        weights.append(weight)
    return torch.stack(logits, 1), torch.stack(weights, 1)


def test_torchs_units_put_together_in_values_and_gradients():
    model = made()
    ours, theirs = model(SOURCE, VISIBLE, TARGET), put_together(model, SOURCE, VISIBLE, TARGET)
    assert torch.allclose(ours.logits, theirs[0], atol=1e-10)
    assert torch.allclose(ours.weights, theirs[1], atol=1e-10)
    got, wanted = gradients(model, loss_of(*ours)), gradients(model, loss_of(*theirs))
    assert all(torch.allclose(a, b, atol=1e-9) for a, b in zip(got, wanted, strict=True))
    assert all(gradient.abs().max() > 1e-6 for gradient in wanted)


def test_step_by_step_is_teacher_forcing_in_values_and_gradients():
    model = made()
    whole = model(SOURCE, VISIBLE, TARGET)
    memory = model.read(SOURCE, VISIBLE)
    state, logits, weights = model.start(memory), [], []
    for token in shift_right(TARGET, model.end).unbind(1):
        step = model.step(token, state, memory)
        state = step.state
        logits.append(step.logits)
        weights.append(step.weights)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    assert torch.allclose(whole.logits, logits, atol=1e-12)
    assert torch.allclose(whole.weights, weights, atol=1e-12)
    pairs = zip(gradients(model, loss_of(*whole)), gradients(model, loss_of(logits, weights)), strict=True)
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in pairs)


def test_padding_changes_nothing_in_values_and_gradients():
    model = made()
    other = torch.where(VISIBLE, SOURCE, 8 - SOURCE)
    whole, again = model(SOURCE, VISIBLE, TARGET), model(other, VISIBLE, TARGET)
    assert torch.equal(whole.logits, again.logits)
    assert torch.equal(whole.weights, again.weights)
    assert (whole.weights.permute(0, 2, 1)[~VISIBLE] == 0).all()
    pairs = zip(gradients(model, loss_of(*whole)), gradients(model, loss_of(*again)), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    for row in range(3):
        S = int(VISIBLE[row].sum())
        alone = model(SOURCE[row : row + 1, :S], VISIBLE[row : row + 1, :S], TARGET[row : row + 1])
        assert torch.allclose(alone.logits[0], whole.logits[row], atol=1e-12)
        assert torch.allclose(alone.weights[0], whole.weights[row, :, :S], atol=1e-12)
    of_words = gradients(model, loss_of(*whole))[0]
    assert (of_words[0] == 0).all()  # token 0 stands only where nobody sees it
    assert (of_words[1:] != 0).any(1).all()


def test_the_keys_are_made_once_and_the_score_is_additive():
    model = made()
    memory = model.read(SOURCE, VISIBLE)
    state = torch.randn(3, H, generator=torch.Generator().manual_seed(2), dtype=torch.double)
    W, U, v = model.query_proj.weight, model.key_proj.weight, model.score.weight[0]
    scores = additive(state[:, None], memory.hidden, W, U, v)[:, 0]
    wanted = scores.masked_fill(~VISIBLE, -torch.inf).softmax(1)
    context, weights = model.attend(state, memory)
    assert torch.allclose(weights, wanted, atol=1e-12)
    assert torch.allclose(context, torch.einsum("bs,bsk->bk", wanted, memory.hidden), atol=1e-12)


def test_the_start_is_what_the_reader_from_the_end_holds_at_the_first_word():
    model = made()
    memory = model.read(SOURCE, VISIBLE)
    held = memory.hidden[:, 0, H // 2 :]
    assert torch.allclose(model.start(memory), torch.tanh(model.first_state(held)), atol=1e-12)


def test_the_context_of_a_step_comes_from_the_summary_before_it():
    model = made()
    memory = model.read(SOURCE, VISIBLE)
    state = model.start(memory)
    looks = [model.step(torch.full((3,), token), state, memory).weights for token in (1, 5)]
    assert torch.equal(*looks)  # the word just read cannot have moved the look


def test_greedy_and_beam_serve_it():
    model = made()
    written = greedy(model, SOURCE, VISIBLE, steps=4)
    assert written.tokens.shape == (3, 4)
    assert written.weights.shape[2] == 6
    best = beam_search(model, SOURCE, VISIBLE, steps=4, width=5)
    assert (best.log_probs >= written.log_probs - 1e-9).all()


def test_a_look_was_needed_where_the_choice_hangs_on_it():
    model = made()
    with torch.no_grad():
        model.score.weight.mul_(50)  # sharp looks
        model.combine.weight[:, -H:].mul_(5)  # of which the choice makes much
    found = needs_attention(model, SOURCE, VISIBLE, TARGET)
    assert found.shape == TARGET.shape
    assert found.any()
    assert not found[2].any()  # one word: there is nowhere else to look
    with torch.no_grad():
        model.score.weight.zero_()  # now every look is blurred
    assert not needs_attention(model, SOURCE, VISIBLE, TARGET).any()


def test_a_fixed_context_is_the_final_states_and_the_same_at_every_step():
    model = FixedContext(V, O, D, H, generator=torch.Generator().manual_seed(0)).double()
    memory = model.read(SOURCE, VISIBLE)
    embed = model.embed_source(SOURCE)
    _, finals = model.encoder(embed, VISIBLE)
    contexts = [model.attend(torch.randn(3, H, dtype=torch.double), memory)[0] for _ in range(2)]
    assert torch.equal(*contexts)
    assert torch.allclose(contexts[0], finals, atol=1e-12)
    state, logits = model.start(memory), []
    for token in shift_right(TARGET, model.end).unbind(1):
        step = model.step(token, state, memory)
        assert step.weights is None
        state = step.state
        logits.append(step.logits)
    whole = model(SOURCE, VISIBLE, TARGET)
    assert whole.weights is None
    assert torch.allclose(whole.logits, torch.stack(logits, 1), atol=1e-12)
    assert not needs_attention(model, SOURCE, VISIBLE, TARGET).any()
    assert greedy(model, SOURCE, VISIBLE, steps=4).weights is None


def varied(kind):
    model = kind(V, O, D, H, generator=torch.Generator().manual_seed(0)).double()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.3 * torch.randn(p.shape, generator=torch.Generator().manual_seed(p.numel())))
    return model


@pytest.mark.parametrize("kind", [OneDirection, WordVectors])
def test_other_encoders_step_by_step_and_with_padding(kind):
    model = varied(kind)
    whole = model(SOURCE, VISIBLE, TARGET)
    again = model(torch.where(VISIBLE, SOURCE, 8 - SOURCE), VISIBLE, TARGET)
    assert torch.equal(whole.logits, again.logits)
    memory = model.read(SOURCE, VISIBLE)
    state, logits = model.start(memory), []
    for token in shift_right(TARGET, model.end).unbind(1):
        step = model.step(token, state, memory)
        state = step.state
        logits.append(step.logits)
    assert torch.allclose(whole.logits, torch.stack(logits, 1), atol=1e-12)
    assert (whole.weights.permute(0, 2, 1)[~VISIBLE] == 0).all()
    assert all(gradient.abs().max() > 1e-8 for gradient in gradients(model, loss_of(*whole)))


def test_one_direction_is_torchs_gru_and_knows_nothing_of_later_words():
    model = varied(OneDirection)
    hidden, last = gru(model.encoder, F.embedding(SOURCE, model.embed_source.weight), lengths=VISIBLE.sum(1))
    memory = model.read(SOURCE, VISIBLE)
    assert torch.allclose(memory.hidden[VISIBLE], hidden[VISIBLE], atol=1e-12)
    assert torch.allclose(memory.last, torch.tanh(model.first_state(last)), atol=1e-12)
    changed = SOURCE.clone()
    changed[0, 3] = 8
    after = model.read(changed, VISIBLE).hidden
    assert torch.equal(after[0, :3], memory.hidden[0, :3])
    assert not torch.isclose(after[0, 3:], memory.hidden[0, 3:]).all(dim=1).any()


def test_word_vectors_are_a_bag():
    model = varied(WordVectors)
    order = torch.tensor([3, 0, 5, 2, 4, 1])
    source, mask, target = SOURCE[:1], VISIBLE[:1], TARGET[:1]
    one, other = model(source, mask, target), model(source[:, order], mask, target)
    assert torch.allclose(one.logits, other.logits, atol=1e-12)
    assert torch.allclose(one.weights[:, :, order], other.weights, atol=1e-12)


@pytest.mark.parametrize(
    "mask",
    [
        [[True, False, True], [True, True, True]],
        [[False, True, True], [True, True, True]],
        [[False, False, False], [True, True, True]],
    ],
)
def test_padding_in_another_place_and_an_empty_source_are_refused(mask):
    with pytest.raises(ValueError, match=r"mask: got .* expected .* True at the first steps of every row"):
        made().read(torch.ones(2, 3, dtype=torch.long), torch.tensor(mask))


def test_other_bad_input_is_refused():
    model = made()
    with pytest.raises(ValueError, match=r"source: got a int64 tensor of shape \(2, 0\)"):
        model.read(torch.ones(2, 0, dtype=torch.long), torch.ones(2, 0, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"source: got .* from 0 to 8"):
        model.read(torch.full((2, 3), V), torch.ones(2, 3, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"hidden_size: got 7 .* a positive even number"):
        Translator(V, O, D, 7)
    with pytest.raises(ValueError, match=r"end: got 7"):
        Translator(V, O, D, H, end=7)


def calls():
    SOURCE = torch.tensor([[1, 2, 4], [3, 1, 1]])
    VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
    TARGET = torch.tensor([[1, 0], [2, 3]])
    MODEL, FIXED = translation.Translator(5, 4, 2, 6), translation.FixedContext(5, 4, 2, 6)
    AHEAD, WORDS = translation.OneDirection(5, 4, 2, 6), translation.WordVectors(5, 4, 2, 6)
    SIZES = {
        "source_vocab": 5,
        "target_vocab": 4,
        "embedding_size": 2,
        "hidden_size": 6,
        "end": 1,
        "generator": torch.Generator(),
    }
    ASKED = {"source": SOURCE, "mask": VISIBLE, "target": TARGET}
    return {
        translation.Translator: SIZES,
        translation.FixedContext: SIZES,
        translation.OneDirection: SIZES,
        translation.WordVectors: SIZES,
        MODEL.read: {"source": SOURCE, "mask": VISIBLE},
        AHEAD.read: {"source": SOURCE, "mask": VISIBLE},
        WORDS.read: {"source": SOURCE, "mask": VISIBLE},
        MODEL.forward: ASKED,
        FIXED.forward: ASKED,
        translation.needs_attention: {"model": MODEL} | ASKED,
    }


def good():
    return {
        translation.Translator: {"end": {"zero"}},
        translation.FixedContext: {"end": {"zero"}},
        translation.OneDirection: {"end": {"zero"}},
        translation.WordVectors: {"end": {"zero"}},
    }
