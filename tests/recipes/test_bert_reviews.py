"""BERT on snippets and reviews: how GPT's tokens are framed, what the judge reads, and that few steps learn."""

import pytest
import torch

from attend.recipes import bert_reviews as recipe
from attend.recipes import gpt


def test_frame():
    """[CLS] in front, the end of a text as [SEP], and every byte pair behind the special tokens."""
    tokens = torch.tensor([[5, gpt.END, 0]])
    assert recipe.framed(recipe.shifted(tokens)).tolist() == [[recipe.CLS, 9, recipe.SEP, recipe.FIRST]]


def test_reviews_end_once():
    """A review has one [SEP] and nothing but padding behind it."""
    tokens, kind = recipe.rated("validation")
    assert tokens.shape == (len(kind), recipe.T)
    assert (tokens[:, 0] == recipe.CLS).all()
    ends = (tokens == recipe.SEP).sum(1)
    assert (ends <= 1).all()
    assert ends.float().mean() > 0.9
    behind = (tokens == recipe.SEP).cumsum(1).bool() & (tokens != recipe.SEP)
    assert (tokens[behind] == recipe.PAD).all()


@pytest.mark.parametrize("reads", recipe.READS)
def test_padding_changes_nothing(reads):
    """The judge says the same of a review however much padding stands behind it."""
    torch.manual_seed(0)
    judge = recipe.Judge(recipe.BertOnSnippets().build(), reads).eval()
    row = torch.tensor([[recipe.CLS, 20, 30, recipe.SEP]])
    padded = torch.nn.functional.pad(row, (0, 5))
    torch.testing.assert_close(judge(row), judge(padded), atol=1e-5, rtol=1e-4)


@pytest.mark.nightly
def test_pre_training_lowers_the_loss():
    """Thirty steps bring a hidden token well below a blind guess."""
    start, trained = (
        recipe.nats(model, "validation")
        for model in (recipe.BertOnSnippets().build(), recipe.BertOnSnippets(steps=30).train())
    )
    assert trained < start - 0.3
