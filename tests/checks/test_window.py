"""Each checker knows the solution, the typical wrong answers, and the stub."""

from tests.checks.verdicts import accepts, refuses

from attend.checks import window


def test_forward():
    accepts(window.forward, lambda x, W, b: x @ W.T + b)
    refuses(window.forward, lambda x, W, b: x @ W.T, says="the bias is missing")
    refuses(window.forward, lambda x, W, b: x @ W.T - b, says="breaks")
    refuses(window.forward, lambda x, W, b: x, says="shape")


def test_parameters():
    accepts(window.parameters, lambda D, H: H * (D + 1))
    refuses(window.parameters, lambda D, H: H * D, says="biases")
