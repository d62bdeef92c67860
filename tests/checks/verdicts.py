"""What every checker must say to the solution, to the untouched stub, and to a typical wrong answer."""


def accepts(check, *answers):
    """The solution is right, and nothing in its place, in whatever form, is not there yet."""
    outcome = check(*answers)
    assert outcome.state == "right", outcome
    returns = [lambda *_: ..., lambda *_: None] if callable(answers[0]) else []
    for nothing in (..., None, *returns):
        assert check(*[nothing] * len(answers)).state == "not yet", nothing


def refuses(check, *answers, says):
    """A wrong answer is wrong, and the reader is told these words about it."""
    outcome = check(*answers)
    assert outcome.state == "wrong", outcome
    assert repr(outcome).startswith("Not right: "), outcome
    assert says in outcome.says, outcome
