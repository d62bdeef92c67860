"""Each checker knows the solution, the typical wrong answers, and the stub."""

from tests.checks.verdicts import accepts, refuses

from attend.checks import elmo


def test_forward():
    accepts(elmo.forward, lambda x, W, b: x @ W.T + b)
    refuses(elmo.forward, lambda x, W, b: x @ W.T, says="the bias is missing")
    refuses(elmo.forward, lambda x, W, b: x @ W.T - b, says="breaks")
    refuses(elmo.forward, lambda x, W, b: x, says="shape")


def test_parameters():
    accepts(elmo.parameters, lambda D, H: H * (D + 1))
    refuses(elmo.parameters, lambda D, H: H * D, says="biases")
