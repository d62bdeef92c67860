"""The neural n-gram model beside the formula of its source, in values and gradients."""

import pytest
import torch

from attend.memory.training import NextToken

V, K, D, H = 5, 3, 2, 7


def draw(seed=0):
    torch.manual_seed(seed)
    return NextToken(V, K, D, H).double()


def by_hand(model, context):
    """Term by term, one context."""
    E, W, b = model.embed.weight, model.hidden.weight, model.hidden.bias
    rows = [torch.nn.functional.one_hot(token, V).double() @ E for token in context]
    h = torch.tanh(sum(W[:, i * D : (i + 1) * D] @ row for i, row in enumerate(rows)) + b)
    return model.head.weight @ h + model.head.bias


def test_values_and_gradients_are_those_of_the_formula():
    model, contexts = draw(), torch.randint(V, (4, K))
    ours = model(contexts)
    theirs = torch.stack([by_hand(model, context) for context in contexts])
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    parameters, weight = list(model.parameters()), torch.randn(4, V, dtype=torch.float64)
    pairs = (torch.autograd.grad((logits * weight).sum(), parameters) for logits in (ours, theirs))
    for a, b in zip(*pairs, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_a_table_of_contexts_and_a_single_one_will_do():
    model, contexts = draw(), torch.randint(V, (2, 6, K))
    together = model(contexts)
    assert together.shape == (2, 6, V)
    torch.testing.assert_close(model(contexts[1, 4]), together[1, 4])


@pytest.mark.parametrize("context", [torch.full((2, K), V), torch.zeros(2, K + 1, dtype=torch.int64)])
def test_tokens_that_are_none_and_other_lengths_are_refused(context):
    with pytest.raises(ValueError, match="context: got"):
        draw()(context)


MODEL = draw().float()


def calls():
    return {
        NextToken: {"vocab_size": 5, "k": 3, "width": 2, "hidden_size": 4},
        MODEL.forward: {"context": torch.zeros(2, K, dtype=torch.int64)},
    }


def good():
    return {MODEL.forward: {"context": {"rank"}}}
