"""The captioner beside torch's own functions, the hard gradient beside an enumeration of all looks, limiting cases."""

import itertools

import pytest
import torch
from torch.nn.functional import conv2d, linear, max_pool2d

from attend.hard import captioner
from attend.hard.captioner import (
    Captioner,
    Encoder,
    Regions,
    ShowAndTell,
    doubly_stochastic,
    hard_loss,
    word_log_probs,
)
from attend.hard.reinforce import entropy, rewards_to_go

CAPTIONS = torch.tensor([[1, 3, 0], [2, 4, 0]])


def small(kind="soft", seed=0, regions=4):
    torch.manual_seed(seed)
    return Captioner(5, regions, feature_size=6, embedding_size=3, hidden_size=4, attention=kind).double()


def features(count=2, regions=4, seed=1):
    return torch.rand(count, regions, 6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_annotation_vectors_are_cells_row_by_row():
    torch.manual_seed(0)
    eye, images = Encoder(5, (2, 3), cell=8).double(), torch.rand(2, 16, 16, dtype=torch.float64)
    maps = max_pool2d(conv2d(images[:, None], eye.conv1.weight, eye.conv1.bias, padding=2).relu(), 2)
    maps = max_pool2d(conv2d(maps, eye.conv2.weight, eye.conv2.bias, padding=1).relu(), 2)
    maps = conv2d(maps, eye.conv3.weight, eye.conv3.bias, stride=2).relu()  # (2, 5, 2, 2)
    for i, (row, column) in enumerate(itertools.product(range(2), repeat=2)):
        torch.testing.assert_close(eye(images)[:, i], maps[:, :, row, column])
    with pytest.raises(ValueError, match="cell: got 6"):
        Encoder(cell=6)


def by_torch(model, vectors, captions):
    """Logits and weights of soft attention, word by word."""
    vectors, found = vectors + model.positions, []
    h = c = torch.zeros(len(vectors), model.lstm.hidden_size).double()
    word = torch.full_like(captions[:, 0], model.end)
    for step in range(captions.shape[1]):
        hidden = torch.tanh(linear(h, model.query_proj.weight)[:, None] + linear(vectors, model.key_proj.weight))
        weights = (hidden @ model.score.weight[0]).softmax(dim=1)
        context = torch.einsum("bl,blk->bk", weights, vectors)
        vector = model.embed.weight[word]
        h, c = model.lstm(torch.cat([vector, context], dim=1), (h, c))
        parts = [(h, model.from_hidden), (context, model.from_context)]
        deep = vector + sum(linear(part, layer.weight, layer.bias) for part, layer in parts)
        found.append((linear(deep, model.readout.weight, model.readout.bias), weights))
        word = captions[:, step]
    return [torch.stack(parts, dim=1) for parts in zip(*found, strict=True)]


def test_soft_attention_is_torchs_functions_put_together():
    model = small()
    outputs, (logits, weights) = model(features(), CAPTIONS), by_torch(model, features(), CAPTIONS)
    torch.testing.assert_close(outputs.logits, logits)
    torch.testing.assert_close(outputs.weights, weights)
    wanted = list(model.parameters())
    grads = [
        torch.autograd.grad(word_log_probs(x, CAPTIONS).sum(), wanted, retain_graph=True)
        for x in (outputs.logits, logits)
    ]
    for ours, theirs in zip(*grads, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_a_hard_look_reads_one_region_and_nothing_of_the_others():
    model = small("hard").eval()
    regions = model.read(features())
    outputs = model(features(), CAPTIONS)
    assert torch.equal(outputs.used.sum(2), torch.ones(2, 3).double())
    assert torch.equal(outputs.used.argmax(2), outputs.weights.argmax(2))
    look = model.attend(model.start(regions)[0], regions)
    assert torch.equal(look.context, regions.vectors[torch.arange(2), look.used.argmax(1)])


def test_hard_looks_are_drawn_in_training_as_often_as_their_weights_say():
    model = small("hard")
    regions = model.read(features(1).expand(4_000, -1, -1))
    look = model.attend(model.start(regions)[0], regions)
    share, chance = look.used.mean(0), look.weights[0]
    assert ((share - chance).abs() < 3.5 * (chance * (1 - chance) / 4_000).sqrt()).all()
    assert (model.eval().attend(model.start(regions)[0], regions).used[:, chance.argmax()] == 1).all()


def test_with_one_region_there_is_nothing_to_choose():
    soft, hard = (small(kind, regions=1)(features(regions=1), CAPTIONS) for kind in ("soft", "hard"))
    torch.testing.assert_close(soft.logits, hard.logits)
    assert hard.used.eq(1).all()
    assert soft.weights.eq(1).all()


def without_attention():
    torch.manual_seed(0)
    return ShowAndTell(5, 4, feature_size=6, embedding_size=3, hidden_size=4).double()


@pytest.mark.parametrize("make", [small, without_attention])
def test_writing_stops_at_the_end_and_takes_the_likeliest_word(make):
    model, seen = make(), features(20)
    written = model.generate(seen, 6)
    tokens = written if make is without_attention else written.tokens
    for row in tokens.tolist():
        if 0 in row:
            assert set(row[row.index(0) :]) == {0}
    outputs = model(seen, tokens)
    logits = outputs if make is without_attention else outputs.logits
    live = torch.cat([torch.ones(20, 1, dtype=torch.bool), (tokens[:, :-1] != 0).cumprod(1).bool()], dim=1)
    assert torch.equal(logits.argmax(2)[live], tokens[live])


def test_without_attention_the_image_is_read_before_the_words():
    model, seen = without_attention(), features()
    words = model.embed(torch.cat([torch.zeros(2, 1, dtype=torch.long), CAPTIONS[:, :-1]], dim=1))
    inputs = torch.cat([model.image(seen.flatten(1))[:, None], words], dim=1)
    lstm = torch.nn.LSTM(3, 4, batch_first=True).double()
    lstm.load_state_dict({f"{name}_l0": value for name, value in model.lstm.state_dict().items()})
    torch.testing.assert_close(model(seen, CAPTIONS), model.readout(lstm(inputs)[0][:, 1:]))


def exact_gradient(model, vectors, captions):
    """Of the expected cost a word, over every sequence of looks with its probability, by automatic differentiation."""
    regions, total = model.read(vectors), torch.zeros((), dtype=torch.float64)
    T = captions.shape[1]
    for looks in itertools.product(range(vectors.shape[1]), repeat=T):
        state, word, log_p, chance = model.start(regions), torch.zeros(1, dtype=torch.long), 0.0, 1.0
        for t, place in enumerate(looks):
            chance = chance * model.attend(state[0], regions).weights[0, place]
            alone = Regions(*(part[:, place : place + 1] for part in regions))
            logits, state, _ = model.step(word, state, alone)
            log_p = log_p + logits.log_softmax(1)[0, captions[0, t]]
            word = captions[:, t]
        total = total - chance * log_p / T
    return torch.cat([part.flatten() for part in torch.autograd.grad(total, list(model.parameters()))])


@pytest.mark.parametrize("baseline", [0.0, torch.tensor([-2.0, -1.0]).double()])
def test_the_hard_gradient_is_right_on_average(baseline):
    """4 regions, 2 words: all 16 sequences of looks enumerated, and the mean of estimates within 3 standard errors."""
    model, captions = small("hard", seed=2), torch.tensor([[1, 3]])
    for part in model.parameters():
        part.data *= 2.0
    seen = features(1, seed=2)
    truth = exact_gradient(model, seen, captions)
    torch.manual_seed(8)
    estimates = []
    for _ in range(40):
        outputs = model(seen.expand(100, -1, -1), captions.expand(100, -1))
        parts = torch.autograd.grad(hard_loss(outputs, captions.expand(100, -1), baseline), list(model.parameters()))
        estimates.append(torch.cat([part.flatten() for part in parts]))
    estimates = torch.stack(estimates)
    error = estimates.std(dim=0) / len(estimates) ** 0.5
    away = ((estimates.mean(dim=0) - truth).abs() / error.clamp(min=1e-9))[error > 1e-9]
    assert away.square().mean().sqrt() < 1.5
    assert away.max() < 4.5


def test_the_parts_of_the_hard_loss():
    model = small("hard")
    torch.manual_seed(0)
    outputs = model(features(), CAPTIONS)
    log_p = word_log_probs(outputs.logits, CAPTIONS)
    torch.testing.assert_close(log_p[1, 0], outputs.logits[1, 0].log_softmax(0)[2])
    bare = hard_loss(outputs, CAPTIONS, reinforce_weight=0.0)
    torch.testing.assert_close(bare, -log_p.mean())
    calm = hard_loss(outputs, CAPTIONS, reinforce_weight=0.0, entropy_weight=0.5)
    torch.testing.assert_close(calm, bare - 0.5 * entropy(outputs.weights).mean())
    best = rewards_to_go(log_p.detach())
    torch.testing.assert_close(hard_loss(outputs, CAPTIONS, best), bare)  # nothing is left of the rewards


def test_the_doubly_stochastic_term_counts_what_each_region_lacks():
    weights = torch.tensor([[[1.0, 0, 0], [1.0, 0, 0]], [[0.5, 0.5, 0], [0, 0.5, 0.5]]])
    assert doubly_stochastic(weights).item() == pytest.approx(((1 + 1 + 1) + (0.25 + 0 + 0.25)) / 2)


def calls():
    torch.manual_seed(0)
    MODEL, OTHER = captioner.Captioner(5, 4, 6, 3, 4, 2, "hard"), captioner.ShowAndTell(5, 4, 6, 3, 4)
    SEEN = torch.rand(2, 4, 6)
    OUTPUTS = MODEL(SEEN, CAPTIONS)
    return {
        captioner.Encoder: {"feature_size": 4, "channels": (2, 3), "cell": 8},
        captioner.Encoder(4, (2, 3), 8).forward: {"images": torch.rand(2, 16, 16)},
        captioner.Captioner: {
            "vocab_size": 5,
            "num_regions": 4,
            "feature_size": 6,
            "embedding_size": 3,
            "hidden_size": 4,
            "score_size": 2,
            "attention": "hard",
            "end": 0,
        },
        MODEL.forward: {"features": SEEN, "captions": CAPTIONS},
        MODEL.generate: {"features": SEEN, "steps": 3},
        captioner.ShowAndTell: {
            "vocab_size": 5,
            "num_regions": 4,
            "feature_size": 6,
            "embedding_size": 3,
            "hidden_size": 4,
            "end": 0,
        },
        OTHER.forward: {"features": SEEN, "captions": CAPTIONS},
        OTHER.generate: {"features": SEEN, "steps": 3},
        captioner.doubly_stochastic: {"weights": OUTPUTS.weights.detach()},
        captioner.word_log_probs: {"logits": OUTPUTS.logits.detach(), "captions": CAPTIONS},
        captioner.hard_loss: {
            "outputs": OUTPUTS,
            "captions": CAPTIONS,
            "baseline": 0.5,
            "reinforce_weight": 1.0,
            "entropy_weight": 0.1,
        },
    }


def good():
    return {
        captioner.Captioner: {"end": {"zero"}},
        captioner.ShowAndTell: {"end": {"zero"}},
        captioner.Encoder.forward: {"images": {"width"}},
    }
