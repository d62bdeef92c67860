"""The three models agree with torch.nn put together, and padding changes nothing."""

import pytest
import torch
from benchmarks.twin import twin
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from attend.memory.supervision import EncoderDecoder, LanguageModel, SequenceClassifier, shift_right

B, T, V, D, H = 4, 7, 11, 3, 5


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def tokens(V=V, T=T):
    return torch.randint(V, (B, T), generator=seeded(1))


LENGTHS = torch.tensor([7, 1, 4, 6])
VISIBLE = torch.arange(T) < LENGTHS[:, None]


def torch_unit(unit):
    return twin(nn.RNN, unit.from_input.weight, unit.from_hidden.weight, unit.from_input.bias)


def torch_embedding(embed):
    made = nn.Embedding(*embed.weight.shape)
    made.load_state_dict({"weight": embed.weight.detach()})
    return made


def torch_linear(readout):
    made = nn.Linear(readout.weight.shape[1], readout.weight.shape[0])
    made.load_state_dict({"weight": readout.weight.detach(), "bias": readout.bias.detach()})
    return made


def shaken(model):
    """The model with a bias that is not zero, so that a forgotten one is noticed."""
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.3 * torch.randn(p.shape, generator=seeded(p.numel())))
    return model


def same_gradients(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad, atol=1e-5, rtol=1e-4)


def test_a_classifier_agrees_with_torch_on_packed_sequences():
    model = shaken(SequenceClassifier(V, D, H))
    embed, rnn, linear = torch_embedding(model.embed), torch_unit(model.rnn), torch_linear(model.head)
    packed = pack_padded_sequence(embed(tokens()), LENGTHS, batch_first=True, enforce_sorted=False)
    out, _ = nn.utils.rnn.pad_packed_sequence(rnn(packed)[0], batch_first=True)
    wanted = linear(out.sum(1) / LENGTHS[:, None]).squeeze(1)
    logits = model(tokens(), VISIBLE)
    torch.testing.assert_close(logits, wanted, atol=1e-6, rtol=1e-5)
    logits.square().sum().backward()
    wanted.square().sum().backward()
    ours = [
        model.embed.weight,
        model.rnn.from_input.weight,
        model.rnn.from_hidden.weight,
        model.head.weight,
        model.head.bias,
    ]
    same_gradients(ours, [embed.weight, rnn.weight_ih_l0, rnn.weight_hh_l0, linear.weight, linear.bias])


def test_padding_changes_nothing_wherever_it_stands():
    model = shaken(SequenceClassifier(V, D, H))
    row = tokens()[:1, :4]
    bare = model(row, torch.ones_like(row, dtype=torch.bool))
    for left, right in ((0, 3), (2, 0), (1, 5)):
        filled = [torch.full((1, left), 9), row, torch.full((1, right), 2)]
        there = torch.zeros(1, left + 4 + right, dtype=torch.bool)
        there[:, left : left + 4] = True
        torch.testing.assert_close(model(torch.cat(filled, 1), there), bare, atol=1e-6, rtol=1e-5)


def test_a_language_model_agrees_with_torch_and_carries_its_state():
    model = shaken(LanguageModel(V, D, H))
    embed, rnn, linear = torch_embedding(model.embed), torch_unit(model.rnn), torch_linear(model.head)
    logits, state = model(tokens())
    out, last = rnn(embed(tokens()))
    torch.testing.assert_close(logits, linear(out), atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(state, last[0], atol=1e-6, rtol=1e-5)
    first, between = model(tokens()[:, :3])
    second, _ = model(tokens()[:, 3:], between)
    torch.testing.assert_close(torch.cat([first, second], 1), logits, atol=1e-6, rtol=1e-5)
    logits.square().sum().backward()
    linear(out).square().sum().backward()
    ours = [
        model.embed.weight,
        model.rnn.from_input.weight,
        model.rnn.from_hidden.weight,
        model.rnn.from_input.bias,
        model.head.weight,
    ]
    same_gradients(ours, [embed.weight, rnn.weight_ih_l0, rnn.weight_hh_l0, rnn.bias_ih_l0, linear.weight])


def test_a_sharp_language_model_writes_what_it_expects():
    model = LanguageModel(3, 3, 3)
    with torch.no_grad():  # a layer that tells the last token and predicts the one after it: 0, 1, 2, 0, …
        model.embed.weight.copy_(torch.eye(3))
        model.rnn.from_input.weight.copy_(5 * torch.eye(3))
        model.rnn.from_hidden.weight.zero_()
        model.head.weight.copy_(50 * torch.eye(3).roll(1, 0))
    assert model.generate(torch.tensor([[2, 0]]), 5, generator=seeded())[0, 2:].tolist() == [1, 2, 0, 1, 2]
    warm = model.generate(torch.tensor([[0]]), 300, temperature=1e3, generator=seeded())[0, 1:]
    assert warm.bincount(minlength=3).min() > 50


def test_encoder_decoder_agrees_with_torch():
    model = shaken(EncoderDecoder(V, 6, D, H, generator=seeded()))
    target = torch.randint(6, (B, 3), generator=seeded(2))
    logits = model(tokens(), VISIBLE, target)
    source, written = torch_embedding(model.embed_source), torch_embedding(model.embed_target)
    encoder, decoder, linear = torch_unit(model.encoder), torch_unit(model.decoder), torch_linear(model.readout)
    packed = pack_padded_sequence(source(tokens()), LENGTHS, batch_first=True, enforce_sorted=False)
    before = torch.cat([torch.zeros(B, 1, dtype=torch.long), target[:, :-1]], 1)
    wanted = linear(decoder(written(before), encoder(packed)[1])[0])
    torch.testing.assert_close(logits, wanted, atol=1e-6, rtol=1e-5)
    logits.square().sum().backward()
    wanted.square().sum().backward()
    ours = [
        model.embed_source.weight,
        model.embed_target.weight,
        model.encoder.from_hidden.weight,
        model.decoder.from_input.weight,
        model.readout.bias,
    ]
    theirs = [source.weight, written.weight, encoder.weight_hh_l0, decoder.weight_ih_l0, linear.bias]
    same_gradients(ours, theirs)


@torch.no_grad()
def test_writing_freely_is_greedy_and_ends_for_good():
    model = shaken(EncoderDecoder(V, 6, D, H, generator=seeded()))
    free = model.generate(tokens(), VISIBLE, 8)
    assert free.shape == (B, 8)
    forced = model(tokens(), VISIBLE, free).argmax(-1)
    alive = torch.cat([torch.ones(B, 1, dtype=torch.bool), (free != 0).cummin(1).values[:, :-1]], 1)
    assert torch.equal(free[alive], forced[alive])
    assert free[~alive].eq(0).all()
    model.readout.bias[0] = 1e6
    assert model.generate(tokens(), VISIBLE, 4).eq(0).all()


def test_words_start_small_and_a_seed_repeats_the_start():
    for build in (lambda: SequenceClassifier(2_000, D, H), lambda: LanguageModel(V, D, H)):
        models = []
        for _ in range(2):
            torch.manual_seed(0)
            models.append(build())
        assert all(torch.equal(one, two) for one, two in zip(*(m.parameters() for m in models), strict=True))
    assert SequenceClassifier(2_000, D, H).embed.weight.std().item() == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: LanguageModel(V, D, H)(tokens() - V), "tokens: got .*from 0 to 10"),
        (lambda: LanguageModel(V, D, H)(tokens() + V), "tokens: got .*from 0 to 10"),
        (lambda: SequenceClassifier(V, D, H)(tokens(), VISIBLE[:, :3]), "mask: got"),
        (lambda: SequenceClassifier(V, D, H)(tokens(), torch.zeros_like(VISIBLE)), "mask: got"),
        (lambda: LanguageModel(V, D, H).generate(tokens(), 3, temperature=0.0), "temperature: got"),
        (lambda: EncoderDecoder(V, 6, D, H, end=6), "end: got 6"),
    ],
)
def test_bad_input_is_refused_by_name(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    CLASSIFIER = SequenceClassifier(5, 2, 3)
    MODEL = LanguageModel(5, 2, 3)
    TRANSLATOR = EncoderDecoder(5, 4, 2, 3)
    TOKENS = torch.tensor([[1, 2, 4], [3, 1, 1]])
    VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
    return {
        SequenceClassifier: {"vocab_size": 5, "embedding_size": 2, "hidden_size": 3},
        CLASSIFIER.forward: {"tokens": TOKENS, "mask": VISIBLE},
        LanguageModel: {"vocab_size": 5, "embedding_size": 2, "hidden_size": 3},
        MODEL.forward: {"tokens": TOKENS, "state": torch.zeros(2, 3)},
        MODEL.generate: {"tokens": TOKENS, "steps": 2, "generator": torch.Generator(), "temperature": 0.5},
        shift_right: {"target": TOKENS, "start": 0},
        EncoderDecoder: {
            "source_vocab": 5,
            "target_vocab": 4,
            "embedding_size": 2,
            "hidden_size": 3,
            "end": 1,
            "generator": torch.Generator(),
        },
        TRANSLATOR.encode: {"source": TOKENS, "mask": VISIBLE},
        TRANSLATOR.forward: {"source": TOKENS, "mask": VISIBLE, "target": torch.tensor([[1, 0], [2, 3]])},
        TRANSLATOR.generate: {"source": TOKENS, "mask": VISIBLE, "steps": 2},
    }


def good():
    return {
        EncoderDecoder: {"end": {"zero"}},
        shift_right: {"start": {"zero"}},
    }
