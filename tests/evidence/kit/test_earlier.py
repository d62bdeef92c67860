"""The code of a commit, run from a checkout of its own."""

import pytest

from attend.evidence.kit import claims, earlier
from attend.evidence.kit.made_by import made_by


@pytest.mark.nightly
def test_this_commit_gives_what_stands_here():
    claim, told = claims.find("soft_or_hard.temperature"), []
    unit = claim.module, "temperature", claim.seeds[0]
    (run,) = earlier.runs("HEAD", [unit], say=told.append).values()
    assert run.commit == "HEAD"
    assert run.made_by.keys() == made_by(*unit[:2]).keys()
    assert run.values.keys() == claim(claim.seeds[0]).keys()
    assert len(told) == 1


def test_an_unknown_commit_is_refused_by_name():
    with pytest.raises(ValueError, match="commit: got 'nowhere'"):
        earlier.runs("nowhere", [])


@pytest.mark.nightly
def test_what_fails_there_is_said():
    with pytest.raises(RuntimeError, match="no attribute 'nothing'"):
        earlier.runs("HEAD", [("attend.evidence.soft_or_hard", "nothing", 0)])
