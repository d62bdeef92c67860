"""The command: which seeds, which claims, and an exit status that a workflow can trust."""

import pytest

from attend.evidence import __main__ as command
from attend.evidence.kit.measure import Row, on_ray, processes
from attend.evidence.kit.rules import Finding


@pytest.mark.parametrize(
    ("text", "seeds"),
    [(None, (3, 4)), ("0-2", (0, 1, 2)), ("7", (7,)), ("0-1,5,8-9", (0, 1, 5, 8, 9)), ("+100", (103, 104))],
)
def test_seeds_are_ranges_or_the_claims_own_moved(text, seeds):
    assert command.seeds(text, (3, 4)) == seeds


@pytest.mark.parametrize("text", ["-3", "1-", "a", "1,,2", "+", "1 2"])
def test_other_words_for_seeds_are_refused(text):
    with pytest.raises(ValueError, match="--seeds: got"):
        command.seeds(text, (3, 4))


@pytest.mark.parametrize(
    ("before", "verdict", "wrong", "status"),
    [
        ("holds", "holds", [], 0),
        ("", "does not hold here", [], 0),
        ("holds", "does not hold here", [], 1),
        ("holds", None, ["seed 3: killed"], 1),
    ],
)
def test_a_verdict_that_differs_or_is_missing_fails(monkeypatch, capsys, before, verdict, wrong, status):
    claim = command.select("lstm", ["text"])[0]
    found = Finding(verdict, "0.3") if verdict else None
    monkeypatch.setattr(command, "measure", lambda *_: [Row(claim, (0,), before, found, 1.0, wrong)])
    assert command.main(["lstm", "text"]) == status
    said = capsys.readouterr().out
    assert f"lstm.text: {verdict or 'not judged'}" in said
    assert ("(recorded: holds)" in said) == (verdict not in (None, "holds") and bool(before))
    assert all(line in said for line in wrong)


def test_an_unknown_page_or_claim_is_refused_by_name(capsys):
    assert command.main(["nowhere"]) == 2
    assert command.main(["lstm", "nothing"]) == 2
    assert "lstm.text" in capsys.readouterr().err


def test_the_engine_is_the_one_that_is_asked_for(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(command, "measure", lambda claims, seeds, jobs, engine: asked.append(engine) or [])
    assert command.main(["lstm", "text"]) == 0
    assert command.main(["lstm", "text", "--on", "ray"]) == 0
    assert asked == [processes, on_ray]
    with pytest.raises(SystemExit):
        command.main(["lstm", "--on", "moon"])
    assert "--on" in capsys.readouterr().err
