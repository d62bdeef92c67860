"""The class of the page on today's Transformers at two sizes."""

import numpy as np
import pytest
import torch

from attend.recipes.llama import SIZES, LlamaRecipe
from attend.tasks import plays
from attend.train.fit import fit


@pytest.mark.nightly
def test_the_small_one_learns_the_plays():
    losses = []
    LlamaRecipe(steps=30).train([lambda state: losses.append(state.loss)])
    assert losses[0] == pytest.approx(np.log(len(plays.ALPHABET)), abs=0.5)
    assert sum(losses[-5:]) / 5 < 3.3


def test_it_reads_a_file_of_tokens_and_refuses_to_do_without_one(tmp_path):
    np.save(tmp_path / "tokens.npy", np.arange(1_000, dtype=np.uint16) % 50)
    one = LlamaRecipe(data=str(tmp_path / "tokens.npy"), vocab_size=50, batch=2, context=8, steps=3)
    (batch,) = [batch for place, batch in enumerate(one.batches()) if place == 2]
    assert batch.shape == (2, 9)
    assert torch.equal((batch[:, 1:] - batch[:, :-1]) % 50, torch.ones(2, 8, dtype=torch.long))
    with pytest.raises(ValueError, match="data: got None"):
        SIZES["paper"].batches()


@pytest.mark.nightly
def test_the_rate_rises_and_falls():
    one, rates = LlamaRecipe(steps=100, warmup=10, batch=1, context=4), []
    model = one.build()
    optimiser = one.optimiser(model)
    schedule = one.schedule(optimiser)

    def watch(_):
        rates.append(schedule.get_last_lr()[0])

    fit(model, one.loss, one.batches(), steps=100, optimiser=optimiser, schedule=schedule, callbacks=[watch])
    assert rates.index(max(rates)) == pytest.approx(10, abs=2)
    assert rates[50] == pytest.approx(one.rate / 2, rel=0.05)
    assert rates[-1] == pytest.approx(0, abs=1e-9)
    decays = {group["weight_decay"]: [weight.ndim for weight in group["params"]] for group in optimiser.param_groups}
    assert set(decays[one.weight_decay]) == {2}
    assert set(decays[0.0]) == {1}
