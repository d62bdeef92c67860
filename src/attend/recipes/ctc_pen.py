"""The recogniser of the page on CTC, reading handwriting in place of speech: pen steps in, letters out."""

import numpy as np
import torch

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.soft.ctc import CTCLoss, Recogniser, best_path
from attend.tasks import strokes
from attend.tasks.speech import label_error
from attend.train.fit import fit
from attend.train.schedule import one_cycle

HIDDEN, BATCH, STEPS = 64, 32, 800
"""Width of the states, words a step, and steps."""
HANDS, UNSEEN = ("script", "print"), "italic"
"""The hands of the training, and one that is kept back."""
GRID = (5e-3, 1e-2, 2e-2, 4e-2)
TUNED_ON = (100,)
RATE = 2e-2
"""Adam's largest rate: the best of GRID on validation words with the seeds of TUNED_ON (`tune`)."""


@recipe
class PenRecipe:
    """A recogniser of words of three to six letters, each drawn anew in a hand of `HANDS`."""

    seed: Seed = 0
    steps: Positive = STEPS
    rate: PositiveFloat = RATE

    def train(self) -> Recogniser:
        """Train from the start; about a minute of one processor."""
        torch.manual_seed(self.seed)
        model = Recogniser(3, len(strokes.ALPHABET), HIDDEN)
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate)
        criterion = fast(CTCLoss())
        fit(
            model,
            lambda model, batch: criterion(*model(batch.pen, batch.mask), batch.text, batch.text != strokes.END),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            label="reading a pen",
        )
        return model

    def batches(self):
        """Endless batches of training words, of one hand each."""
        random, lexicon = np.random.default_rng(1_000 + self.seed), strokes.lexicon("train")
        while True:
            chosen = [lexicon[n] for n in random.integers(len(lexicon), size=BATCH)]
            yield strokes.draw(chosen, int(random.integers(2**31)), HANDS[int(random.integers(len(HANDS)))])


@torch.no_grad()
def read(model: Recogniser, batch: strokes.Strokes) -> list[str]:
    """The words on the best paths."""
    log_probs, mask = model(batch.pen, batch.mask)
    paths = (best_path(rows[real]) for rows, real in zip(log_probs, mask, strict=True))
    return ["".join(strokes.ALPHABET[token] for token in path) for path in paths]


def error(model: Recogniser, part: str, hand: str, seed: int = 0) -> float:
    """Letters wrong, missing or too many, by those of every third word of a part."""
    chosen = strokes.lexicon(part)[::3]
    return label_error(read(model, strokes.draw(chosen, seed, hand)), list(chosen))


def tune() -> None:
    """Print the validation errors in all hands with every rate."""
    for seed in TUNED_ON:
        for rate in GRID:
            model = PenRecipe(seed, rate=rate).train()
            found = {hand: error(model, "validation", hand) for hand in (*HANDS, UNSEEN)}
            print(rate, *(f"{hand} {wrong:.4f}" for hand, wrong in found.items()), flush=True)


if __name__ == "__main__":
    tune()
