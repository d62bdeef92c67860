"""The captioner beside torch's own layers, the hard gradient beside an enumeration of all looks, limiting cases."""

import itertools

import pytest
import torch
from torch.nn.functional import conv2d, linear, max_pool2d

from attend.hard.captioner import (
    LOOKS,
    Captioner,
    doubly_stochastic,
    hard_loss,
    moved,
    rewards,
    surprise,
)
from attend.hard.reinforce import entropy

CAPTIONS = torch.tensor([[1, 3, 0], [2, 4, 0]])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def small(look="soft", seed=0, **more):
    sizes = {"V": 5, "D": 3, "H": 4, "K": 6, "features": (2, 3), "side": 2, "cell": 8}
    return Captioner(**(sizes | more), look=look, generator=seeded(seed)).double()


def images(count=2, wide=16, seed=1):
    return torch.rand(count, wide, wide, generator=seeded(seed), dtype=torch.float64)


def by_torch(model, pictures, captions):
    """Logits and weights of soft attention, from torch's own layers and a loop over the words."""
    maps = max_pool2d(conv2d(pictures[:, None], model.kernels1, model.bias1, padding=2).relu(), 2)
    maps = max_pool2d(conv2d(maps, model.kernels2, model.bias2, padding=1).relu(), 2)
    maps = conv2d(maps, model.kernels3, model.bias3, stride=model.cell // 4)
    regions = maps.flatten(2).transpose(1, 2).relu() + model.places
    H = model.writer.hidden_size
    unit = torch.nn.LSTMCell(model.writer.input_size, H).double()
    named = {
        "weight_ih": model.writer.from_input.weight,
        "weight_hh": model.writer.from_hidden.weight,
        "bias_ih": model.writer.from_input.bias,
    }
    named["bias_hh"] = torch.zeros_like(model.writer.from_input.bias)
    score, h, cell, found = model.score.weights, *torch.zeros(2, len(pictures), H).double(), []
    word = torch.full_like(captions[:, 0], model.end)
    for step in range(captions.shape[1]):
        hidden = torch.tanh(linear(h, score["W"])[:, None] + linear(regions, score["U"]))
        weights = (hidden @ score["v"]).softmax(dim=1)
        context = torch.einsum("bl,blk->bk", weights, regions)
        if model.gate is not None:
            context = context * torch.sigmoid(linear(h, model.gate.weight, model.gate.bias))
        vector = model.embed.weight[word]
        h, cell = torch.func.functional_call(unit, named, (torch.cat([vector, context], dim=1), (h, cell)))
        parts = [(h, model.of_state), (context, model.of_context)]
        said = vector + sum(linear(part, layer.weight, layer.bias) for part, layer in parts)
        found.append((linear(said, model.say.weight, model.say.bias), weights))
        word = captions[:, step]
    return [torch.stack(parts, dim=1) for parts in zip(*found, strict=True)]


@pytest.mark.parametrize("gated", [False, True])
def test_soft_attention_is_torchs_layers_put_together(gated):
    model = small(gated=gated)
    told = model(model.regions(images()), CAPTIONS)
    logits, weights = by_torch(model, images(), CAPTIONS)
    torch.testing.assert_close(told.logits, logits)
    torch.testing.assert_close(told.weights, weights)
    wanted = list(model.parameters())
    grads = [torch.autograd.grad(surprise(x, CAPTIONS).sum(), wanted, retain_graph=True) for x in (told.logits, logits)]
    for ours, theirs in zip(*grads, strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("look", LOOKS)
def test_steps_of_writing_give_what_teacher_forcing_gives(look):
    model = small(look)
    regions = model.regions(images())
    told, state, before = model(regions, CAPTIONS, seeded(3)), model.start(2), torch.zeros(2, dtype=torch.long)
    generator = seeded(3)
    for t in range(3):
        word = model.step(before, state, regions, generator)
        torch.testing.assert_close(word.logits, told.logits[:, t])
        torch.testing.assert_close(word.look.used, told.used[:, t])
        before, state = CAPTIONS[:, t], word.state


def test_with_one_region_there_is_nothing_to_choose():
    """All three ways of looking are then one function: no attention at all."""
    models = [small(look, side=1, cell=16) for look in LOOKS]
    tolds = [model(model.regions(images()), CAPTIONS, seeded(4)) for model in models]
    for told in tolds:
        torch.testing.assert_close(told.logits, tolds[0].logits)
        assert told.used.eq(1).all()
        assert told.weights.eq(1).all()


def test_a_hard_look_reads_one_region_and_nothing_of_the_others():
    model = small("hard")
    regions = model.regions(images())
    told = model(regions, CAPTIONS)
    assert torch.equal(told.used.sum(2), torch.ones(2, 3).double())
    assert torch.equal(told.used.argmax(2), told.weights.argmax(2))
    look = model.attend(model.start(2), regions)
    assert torch.equal(look.context, regions[torch.arange(2), look.used.argmax(1)])


def test_hard_looks_are_drawn_as_often_as_their_weights_say():
    model = small("hard")
    regions = model.regions(images(1)).expand(4_000, -1, -1)
    look = model.attend(model.start(4_000), regions, seeded(5))
    share, chance = look.used.mean(0), look.weights[0]
    assert ((share - chance).abs() < 3.5 * (chance * (1 - chance) / 4_000).sqrt()).all()


@pytest.mark.parametrize("look", LOOKS)
def test_everything_can_be_had_again_from_the_seed(look):
    def whole():
        model = small(look)
        told = model(model.regions(images()), CAPTIONS, seeded(6))
        return (*told, *model.write(model.regions(images()), 4, seeded(7)))

    assert all(torch.equal(one, other) for one, other in zip(whole(), whole(), strict=True))


def test_regions_are_cells_row_by_row_and_know_their_place():
    model = small(cell=16)
    model.places.data.zero_()
    empty = torch.zeros(1, 32, 32).double()
    picture = empty.clone()
    picture[0, 22:26, 6:10] = 1.0
    changed = (model.regions(picture) - model.regions(empty)).abs().sum(2)[0]
    assert changed[2] > 0
    assert (changed[[0, 1, 3]] == 0).all()
    model.places.data[3] = 1.0
    torch.testing.assert_close(model.regions(empty)[0].sum(1), torch.tensor([0.0, 0, 0, 6]).double())


def test_writing_stops_at_the_end_and_takes_the_likeliest_word():
    model = small()
    regions = model.regions(images(20))
    written = model.write(regions, 6)
    for row in written.tokens.tolist():
        if 0 in row:
            assert set(row[row.index(0) :]) == {0}
    told = model(regions, written.tokens)
    live = (written.tokens != 0).cumprod(1).bool()
    assert torch.equal(told.logits.argmax(2)[live], written.tokens[live])


def exact_gradient(model, regions, captions):
    """Of the expected surprise a word, over every sequence of looks with its chance, by automatic differentiation."""
    L, T = regions.shape[1], captions.shape[1]
    total = torch.zeros((), dtype=torch.float64)
    for looks in itertools.product(range(L), repeat=T):
        state, word, log_p, chance = model.start(1), torch.zeros(1, dtype=torch.long), 0.0, 1.0
        for t, place in enumerate(looks):
            chance = chance * model.weigh(state, regions)[0, place]
            alone = regions[:, place]
            vector = model.embed(word)
            state = model.writer.step(torch.cat([vector, alone], dim=1), state)
            logits = model.deep_output(vector, state[0], alone)
            log_p = log_p + logits.log_softmax(1)[0, captions[0, t]]
            word = captions[:, t]
        total = total - chance * log_p / T
    return torch.autograd.grad(total, tuple(model.score.parameters()))


def test_the_hard_gradient_is_right_on_average():
    """4 regions, 2 words: all 16 sequences of looks enumerated, and the estimate within 3 standard errors."""
    model, captions = small("hard", seed=2), torch.tensor([[1, 3]])
    for part in model.parameters():
        part.data *= 2.0
    regions = model.regions(images(1, seed=2)).detach()
    truth = torch.cat([part.flatten() for part in exact_gradient(model, regions, captions)])
    generator, estimates = seeded(8), []
    for _ in range(60):
        told = model(regions.expand(100, -1, -1), captions.expand(100, -1), generator)
        loss = hard_loss(told, captions.expand(100, -1), torch.tensor([-2.0, -1.0]).double())
        parts = torch.autograd.grad(loss, tuple(model.score.parameters()))
        estimates.append(torch.cat([part.flatten() for part in parts]))
    estimates = torch.stack(estimates)
    error = estimates.std(0) / len(estimates) ** 0.5
    off = (estimates.mean(0) - truth).abs() / error.clamp(min=1e-9)  # a unit that is never on has no error
    assert truth.abs().max() > 20 * error.mean()
    assert (off < 3).double().mean() > 0.98
    assert off.max() < 4.5


def test_the_hard_loss_by_hand():
    model = small("hard")
    told = model(model.regions(images()), CAPTIONS, seeded(9))
    surprises = surprise(told.logits, CAPTIONS)
    paid = rewards(surprises)
    torch.testing.assert_close(paid[:, 2], -surprises[:, 2].detach())
    torch.testing.assert_close(paid[:, 0], -surprises.sum(1).detach())
    baseline = torch.tensor([-3.0, -2.0, -1.0]).double()
    log_chance = (told.weights * told.used).sum(2).log()
    wanted = surprises.mean() - 0.5 * ((paid - baseline) * log_chance).mean() - 0.1 * entropy(told.weights).mean()
    torch.testing.assert_close(hard_loss(told, CAPTIONS, baseline, 0.5, 0.1), wanted)


def test_the_baseline_moves_towards_what_was_paid():
    baseline, paid = torch.zeros(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    torch.testing.assert_close(moved(baseline, paid), torch.tensor([0.2, 0.3]))
    for _ in range(200):
        baseline = moved(baseline, paid)
    torch.testing.assert_close(baseline, paid.mean(0))


def test_the_doubly_stochastic_term_by_hand_and_at_its_least():
    weights = torch.tensor([[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]])
    assert doubly_stochastic(weights).item() == pytest.approx(0.25 + 0.25 + 1)
    even = torch.full((1, 3, 3), 1 / 3)
    assert doubly_stochastic(even).item() == pytest.approx(0, abs=1e-12)
