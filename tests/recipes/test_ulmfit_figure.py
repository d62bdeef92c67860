"""The classifier of the figure is that of the recipe in fewer words and bytes, and has learned its task."""

import torch

from attend.recipes import ulmfit, ulmfit_figure
from attend.transformers.ulmfit import TextClassifier


def test_fewer_words_leave_the_verdict_on_frequent_words_as_it_is():
    torch.manual_seed(0)
    whole = TextClassifier(ulmfit.LanguageModel().build()).eval()
    small = ulmfit_figure.fewer(whole)
    tokens, mask = torch.randint(ulmfit_figure.WORDS, (3, 9)), torch.ones(3, 9, dtype=torch.bool)
    torch.testing.assert_close(small(tokens, mask), whole(tokens, mask))
    assert ulmfit_figure.words() == ulmfit.vocabulary()[: ulmfit_figure.WORDS]


def test_the_classifier_of_the_figure_has_learned():
    model, average = ulmfit_figure.trained()
    rows, kinds = ulmfit.asked("order", "validation")
    rows = [row.where(row < ulmfit_figure.WORDS, 0) for row in rows]
    with torch.no_grad():
        said = model(*ulmfit.padded(rows)).argmax(1)
    assert (said == kinds).double().mean() > 0.72
    assert average.shape == (144,)
    assert ulmfit_figure.FILE.stat().st_size < 160_000
