"""What `make seeds` runs in a page's kernel before the page: other seeds, and claims that are noted and do not stop it.

The libraries come as arguments, for the book's machine itself needs none of them. The package knows nothing of this.
"""

import functools
import numbers
import sys

from IPython.display import display

PASS_ON = ("random", __name__)
"""Modules that pass a seed on and do not choose it."""
DATA = "attend.tasks."
"""Who seeds here decides what the data are (which numbers are drawn, which example is read): that stays."""


def begin(by, torch, numpy, random):
    """Add `by` to every seed that the page sets from here on (0 changes none), and note claims that do not come out."""
    if by:
        _shift_torch(by, torch)
        _shift_numpy(by, numpy.random)
        _shift_random(by, random)
    _note(sys.modules["attend.evidence"])


def _moved(seed, by):
    """What takes the place of `seed` where a page or the package sets it; data and other libraries keep theirs."""
    frame = sys._getframe(1)
    while (who := frame.f_globals.get("__name__", "")) in PASS_ON:
        frame = frame.f_back
    if seed is None or who.startswith(DATA) or not (who == "__main__" or who.startswith("attend.")):
        return seed
    if not isinstance(seed, numbers.Integral):
        raise TypeError(f"seed: got {seed!r}, expected a whole number, which `make seeds` can shift")
    return int(seed) + by


def _shift_torch(by, torch):
    seeded = torch.manual_seed

    class Generator(torch.Generator):
        def manual_seed(self, seed):
            return super().manual_seed(_moved(seed, by))

    torch.Generator = Generator
    torch.manual_seed = torch.random.manual_seed = lambda seed: seeded(_moved(seed, by))


def _shift_numpy(by, draws):
    begun, seeded = draws.default_rng, draws.seed
    draws.default_rng = lambda seed=None: begun(_moved(seed, by))
    draws.seed = lambda seed=None: seeded(_moved(seed, by))


def _shift_random(by, random):
    seeded = random.seed

    class Random(random.Random):
        def seed(self, a=None, version=2):
            super().seed(_moved(a, by), version)

    random.Random = Random
    random.seed = lambda a=None, version=2: seeded(_moved(a, by), version)


def _note(evidence):
    """A claim that does not come out is shown with what was measured, and the page goes on to its next claim."""
    stated = evidence.claim

    @functools.wraps(stated)
    def claim(name, says, **told):
        try:
            stated(name, says, **told)
        except evidence.ClaimError as error:
            record = {"id": name, "says": says, "only_if": "", "verdict": "holds"} | told | {"came_out": False}
            display({"text/plain": str(error)}, raw=True, metadata={"attend": {"claim": record}})

    evidence.claim = claim
