"""Both networks beside sums slot by slot and word by word; order, empty slots, and what is refused."""

import pytest
import torch
from tests.agreement import agree

from attend.soft.memory_network import DynamicMemoryNetwork, MemoryNetwork, SentenceEmbedding

V, N, D, HOPS = 7, 4, 5, 2
STORY = torch.tensor([[[0, 0, 0], [1, 2, 0], [3, 4, 5], [2, 1, 6]], [[1, 3, 0], [6, 2, 0], [2, 5, 1], [4, 4, 0]]])
QUESTION = torch.tensor([[5, 1], [6, 0]])
EMBED = SentenceEmbedding(V, D)


def network(**more):
    torch.manual_seed(0)
    return MemoryNetwork(V, N, D, HOPS, **more).double()


def dynamic():
    torch.manual_seed(0)
    return DynamicMemoryNetwork(V, D, 2).double()


def calls():
    return {
        SentenceEmbedding: {"vocabulary": V, "width": D, "position": True},
        EMBED.forward: {"sentence": STORY},
        MemoryNetwork: {"vocabulary": V, "slots": N, "width": D, "hops": HOPS},
        network().float().forward: {"story": STORY, "question": QUESTION},
        DynamicMemoryNetwork: {"vocabulary": V, "width": D, "episodes": 2},
        dynamic().float().forward: {"story": STORY, "question": QUESTION},
    }


def vector(embed, sentence):
    """One sentence, word by word and dimension by dimension."""
    words = [int(token) for token in sentence if token]
    parts = []
    for k in range(1, D + 1):
        total = embed.words.weight.new_zeros(())
        for j, token in enumerate(words, 1):
            share = 1 - j / len(words) - k / D * (1 - 2 * j / len(words)) if embed.position else 1
            total = total + share * embed.words.weight[token, k - 1]
        parts.append(total)
    return torch.stack(parts)


def by_hand(model, story, question, linear):
    u, weights = vector(model.embed[0], question), []
    slots = [n for n in range(N) if story[n].any()]
    for hop in range(HOPS):
        keys = [vector(model.embed[hop], story[n]) + model.time[hop][n] for n in slots]
        values = [vector(model.embed[hop + 1], story[n]) + model.time[hop + 1][n] for n in slots]
        scores = torch.stack([key @ u for key in keys])
        p = scores if linear else scores.softmax(0)
        u = u + sum(share * value for share, value in zip(p, values, strict=True))
        weights.append(torch.cat([p.new_zeros(N - len(slots)), p]))
    return model.embed[-1].words.weight @ u, torch.stack(weights)


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("position", [False, True])
def test_same_as_the_formula_in_values_and_gradients(position, linear):
    model = network(position=position)
    logits, weights = model(STORY, QUESTION, linear)
    right = [by_hand(model, STORY[b], QUESTION[b], linear) for b in range(2)]
    agree(logits, torch.stack([one for one, _ in right]), tuple(model.parameters()))
    torch.testing.assert_close(weights, torch.stack([one for _, one in right]))


def test_a_bag_of_words_does_not_see_their_order_and_position_encoding_does():
    there, back = torch.tensor([[1, 2, 3]]), torch.tensor([[3, 2, 1]])
    bag, placed = SentenceEmbedding(V, D, position=False), SentenceEmbedding(V, D)
    torch.testing.assert_close(bag(there), bag(back))
    assert not torch.allclose(placed(there), placed(back))


def test_without_time_a_memory_network_does_not_see_the_order_of_sentences():
    changed = STORY[1:, [2, 0, 3, 1]]
    untimed = network()
    for time in untimed.time:
        time.data.zero_()
    torch.testing.assert_close(untimed(STORY[1:], QUESTION[1:])[0], untimed(changed, QUESTION[1:])[0])
    timed = network()
    assert not torch.allclose(timed(STORY[1:], QUESTION[1:])[0], timed(changed, QUESTION[1:])[0])
    passes = dynamic()
    assert not torch.allclose(passes(STORY[1:], QUESTION[1:])[0], passes(changed, QUESTION[1:])[0])


def test_empty_slots_have_no_weight_and_may_be_left_out():
    for model in (network(), dynamic()):
        logits, weights = model(STORY, QUESTION)
        assert not weights[0, :, 0].any()
        torch.testing.assert_close(weights.sum(2), torch.ones(2, 2).double())
        if isinstance(model, MemoryNetwork):
            torch.testing.assert_close(model(STORY[:1, 1:], QUESTION[:1])[0], logits[:1])


def test_an_episode_is_a_recurrence_whose_gate_says_how_much_of_a_step_is_taken():
    model = dynamic()
    model.episodes = 1
    _, gates = model(STORY, QUESTION)
    f, _ = model.input(model.embed(STORY))
    q = torch.tanh(model.question(model.embed(QUESTION)))
    h = torch.zeros(2, D).double()
    for i in range(N):
        h = h + gates[:, 0, i, None] * (model.attend(f[:, i], h) - h)
    m = model.memory(h, q)
    torch.testing.assert_close(model(STORY, QUESTION)[0], model.answer(torch.cat([m, q], 1)))


@pytest.mark.parametrize("make", [network, dynamic])
def test_a_story_without_a_sentence_is_refused_by_name(make):
    with pytest.raises(ValueError, match="story: got"):
        make()(torch.zeros(2, 3, 3, dtype=torch.int64), QUESTION)


def test_more_sentences_than_slots_are_refused_by_name():
    with pytest.raises(ValueError, match="story: got"):
        network()(STORY.repeat(1, 2, 1), QUESTION)


def good():
    return {
        EMBED.forward: {"sentence": {"rank", "width"}},  # one sentence or many, of any length
        network().float().forward: {"story": {"width"}, "question": {"width"}},
        dynamic().float().forward: {"story": {"width"}, "question": {"width"}},
    }
