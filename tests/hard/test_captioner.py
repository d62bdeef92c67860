"""The captioner beside torch's own layers, the hard gradient beside an enumeration of all looks, limiting cases."""

import itertools

import pytest
import torch
from torch import nn
from torch.nn.functional import conv2d, linear, max_pool2d

from attend.hard import captioner
from attend.hard.captioner import (
    KINDS,
    Captioner,
    doubly_stochastic,
    hard_loss,
    moving_baseline,
    negative_log_likelihood,
    rewards_to_go,
)
from attend.hard.reinforce import entropy

CAPTIONS = torch.tensor([[1, 3, 0], [2, 4, 0]])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def small(kind="soft", seed=0, **more):
    sizes = {
        "vocab_size": 5,
        "embedding_size": 3,
        "hidden_size": 4,
        "feature_size": 6,
        "features": (2, 3),
        "side": 2,
        "cell": 8,
    }
    return Captioner(**(sizes | more), attention=kind, generator=seeded(seed)).double()


def images(count=2, wide=16, seed=1):
    return torch.rand(count, wide, wide, generator=seeded(seed), dtype=torch.float64)


def by_torch(model, pictures, captions):
    """Logits and weights of soft attention, from torch's own layers and a loop over the words."""
    maps = max_pool2d(conv2d(pictures[:, None], model.conv1.weight, model.conv1.bias, padding=2).relu(), 2)
    maps = max_pool2d(conv2d(maps, model.conv2.weight, model.conv2.bias, padding=1).relu(), 2)
    maps = conv2d(maps, model.conv3.weight, model.conv3.bias, stride=model.conv3.stride)
    regions = maps.flatten(2).transpose(1, 2).relu() + model.positions
    H = model.decoder.hidden_size
    unit = torch.nn.LSTMCell(model.decoder.input_size, H).double()
    named = {
        "weight_ih": model.decoder.from_input.weight,
        "weight_hh": model.decoder.from_hidden.weight,
        "bias_ih": model.decoder.from_input.bias,
    }
    named["bias_hh"] = torch.zeros_like(model.decoder.from_input.bias)
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
        parts = [(h, model.from_hidden), (context, model.from_context)]
        said = vector + sum(linear(part, layer.weight, layer.bias) for part, layer in parts)
        found.append((linear(said, model.readout.weight, model.readout.bias), weights))
        word = captions[:, step]
    return [torch.stack(parts, dim=1) for parts in zip(*found, strict=True)]


@pytest.mark.parametrize("gated", [False, True])
def test_soft_attention_is_torchs_layers_put_together(gated):
    model = small(gated=gated)
    outputs = model(model.encode(images()), CAPTIONS)
    logits, weights = by_torch(model, images(), CAPTIONS)
    torch.testing.assert_close(outputs.logits, logits)
    torch.testing.assert_close(outputs.weights, weights)
    wanted = list(model.parameters())
    grads = [
        torch.autograd.grad(negative_log_likelihood(x, CAPTIONS).sum(), wanted, retain_graph=True)
        for x in (outputs.logits, logits)
    ]
    for ours, theirs in zip(*grads, strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_of_writing_give_what_teacher_forcing_gives(kind):
    model = small(kind)
    regions = model.encode(images())
    outputs, state, before = model(regions, CAPTIONS, seeded(3)), model.start(2), torch.zeros(2, dtype=torch.long)
    generator = seeded(3)
    for t in range(3):
        word = model.step(before, state, regions, generator)
        torch.testing.assert_close(word.logits, outputs.logits[:, t])
        torch.testing.assert_close(word.attention.used, outputs.used[:, t])
        before, state = CAPTIONS[:, t], word.state


def test_with_one_region_there_is_nothing_to_choose():
    """All three ways of looking are then one function: no attention at all."""
    models = [small(kind, side=1, cell=16) for kind in KINDS]
    outputss = [model(model.encode(images()), CAPTIONS, seeded(4)) for model in models]
    for outputs in outputss:
        torch.testing.assert_close(outputs.logits, outputss[0].logits)
        assert outputs.used.eq(1).all()
        assert outputs.weights.eq(1).all()


def test_a_hard_look_reads_one_region_and_nothing_of_the_others():
    model = small("hard")
    regions = model.encode(images())
    outputs = model(regions, CAPTIONS)
    assert torch.equal(outputs.used.sum(2), torch.ones(2, 3).double())
    assert torch.equal(outputs.used.argmax(2), outputs.weights.argmax(2))
    look = model.attend(model.start(2), regions)
    assert torch.equal(look.context, regions[torch.arange(2), look.used.argmax(1)])


def test_hard_looks_are_drawn_as_often_as_their_weights_say():
    model = small("hard")
    regions = model.encode(images(1)).expand(4_000, -1, -1)
    look = model.attend(model.start(4_000), regions, seeded(5))
    share, chance = look.used.mean(0), look.weights[0]
    assert ((share - chance).abs() < 3.5 * (chance * (1 - chance) / 4_000).sqrt()).all()


@pytest.mark.parametrize("kind", KINDS)
def test_everything_can_be_had_again_from_the_seed(kind):
    def whole():
        model = small(kind)
        outputs = model(model.encode(images()), CAPTIONS, seeded(6))
        return (*outputs, *model.generate(model.encode(images()), 4, seeded(7)))

    assert all(torch.equal(one, other) for one, other in zip(whole(), whole(), strict=True))


def test_regions_are_cells_row_by_row_and_know_their_place():
    model = small(cell=16)
    model.positions.data.zero_()
    empty = torch.zeros(1, 32, 32).double()
    picture = empty.clone()
    picture[0, 22:26, 6:10] = 1.0
    changed = (model.encode(picture) - model.encode(empty)).abs().sum(2)[0]
    assert changed[2] > 0
    assert (changed[[0, 1, 3]] == 0).all()
    model.positions.data[3] = 1.0
    torch.testing.assert_close(model.encode(empty)[0].sum(1), torch.tensor([0.0, 0, 0, 6]).double())


def test_writing_stops_at_the_end_and_takes_the_likeliest_word():
    model = small()
    regions = model.encode(images(20))
    written = model.generate(regions, 6)
    for row in written.tokens.tolist():
        if 0 in row:
            assert set(row[row.index(0) :]) == {0}
    outputs = model(regions, written.tokens)
    live = (written.tokens != 0).cumprod(1).bool()
    assert torch.equal(outputs.logits.argmax(2)[live], written.tokens[live])


def exact_gradient(model, regions, captions):
    """Of the expected surprise a word, over every sequence of looks with its chance, by automatic differentiation."""
    L, T = regions.shape[1], captions.shape[1]
    total = torch.zeros((), dtype=torch.float64)
    for looks in itertools.product(range(L), repeat=T):
        state, word, log_p, chance = model.start(1), torch.zeros(1, dtype=torch.long), 0.0, 1.0
        for t, place in enumerate(looks):
            chance = chance * model.attention_weights(state, regions)[0, place]
            alone = regions[:, place]
            vector = model.embed(word)
            state = model.decoder.step(torch.cat([vector, alone], dim=1), state)
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
    regions = model.encode(images(1, seed=2)).detach()
    truth = torch.cat([part.flatten() for part in exact_gradient(model, regions, captions)])
    generator, estimates = seeded(8), []
    for _ in range(60):
        outputs = model(regions.expand(100, -1, -1), captions.expand(100, -1), generator)
        loss = hard_loss(outputs, captions.expand(100, -1), torch.tensor([-2.0, -1.0]).double())
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
    outputs = model(model.encode(images()), CAPTIONS, seeded(9))
    nll = negative_log_likelihood(outputs.logits, CAPTIONS)
    rewards = rewards_to_go(nll)
    torch.testing.assert_close(rewards[:, 2], -nll[:, 2].detach())
    torch.testing.assert_close(rewards[:, 0], -nll.sum(1).detach())
    baseline = torch.tensor([-3.0, -2.0, -1.0]).double()
    log_chance = (outputs.weights * outputs.used).sum(2).log()
    wanted = nll.mean() - 0.5 * ((rewards - baseline) * log_chance).mean() - 0.1 * entropy(outputs.weights).mean()
    torch.testing.assert_close(hard_loss(outputs, CAPTIONS, baseline, 0.5, 0.1), wanted)


def test_the_baseline_moves_towards_what_was_paid():
    baseline, rewards = torch.zeros(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    torch.testing.assert_close(moving_baseline(baseline, rewards), torch.tensor([0.2, 0.3]))
    for _ in range(200):
        baseline = moving_baseline(baseline, rewards)
    torch.testing.assert_close(baseline, rewards.mean(0))


def test_the_doubly_stochastic_term_by_hand_and_at_its_least():
    weights = torch.tensor([[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]])
    assert doubly_stochastic(weights).item() == pytest.approx(0.25 + 0.25 + 1)
    even = torch.full((1, 3, 3), 1 / 3)
    assert doubly_stochastic(even).item() == pytest.approx(0, abs=1e-12)


def calls():
    IMAGES = torch.rand(2, 16, 16, generator=torch.Generator().manual_seed(0))
    CAPTIONS = torch.tensor([[1, 0], [2, 3]])
    MODEL = captioner.Captioner(4, 3, 4, 5, features=(2, 3), side=2, cell=8, generator=torch.Generator().manual_seed(0))
    REGIONS = MODEL.encode(IMAGES).detach().contiguous()
    OUTPUTS = MODEL(REGIONS, CAPTIONS)
    BASELINE = torch.tensor([-2.0, -1.0])
    NLL = torch.tensor([[3.0, 1.0], [2.0, 2.0]])
    return {
        captioner.Captioner: {
            "vocab_size": 4,
            "embedding_size": 3,
            "hidden_size": 4,
            "feature_size": 5,
            "attention": "hard",
            "features": (2, 3),
            "side": 2,
            "cell": 8,
            "score": "bilinear",
            "gated": True,
            "end": 1,
            "generator": torch.Generator(),
        },
        MODEL.encode: {"images": IMAGES},
        MODEL.forward: {"regions": REGIONS, "captions": CAPTIONS, "generator": torch.Generator()},
        MODEL.generate: {"regions": REGIONS, "steps": 2, "generator": torch.Generator()},
        captioner.kaiming_: {"conv": nn.Conv2d(2, 3, 3), "generator": torch.Generator()},
        captioner.doubly_stochastic: {"weights": OUTPUTS.weights},
        captioner.negative_log_likelihood: {"logits": OUTPUTS.logits, "captions": CAPTIONS},
        captioner.rewards_to_go: {"nll": NLL},
        captioner.moving_baseline: {"baseline": BASELINE, "rewards": -NLL, "decay": 0.5},
        captioner.hard_loss: {
            "outputs": OUTPUTS,
            "captions": CAPTIONS,
            "baseline": BASELINE,
            "reinforce_weight": 0.5,
            "entropy_weight": 0.1,
        },
    }


def good():
    return {
        captioner.Captioner: {"end": {"zero"}},
    }
