"""Each checker knows the solution, the typical wrong answers, and the stub."""

from tests.checks.verdicts import accepts, refuses

from attend.checks import modern


def test_forward():
    accepts(modern.forward, lambda x, W, b: x @ W.T + b)
    refuses(modern.forward, lambda x, W, b: x @ W.T, says="the bias is missing")
    refuses(modern.forward, lambda x, W, b: x @ W.T - b, says="breaks")
    refuses(modern.forward, lambda x, W, b: x, says="shape")


def test_parameters():
    accepts(modern.parameters, lambda D, H: H * (D + 1))
    refuses(modern.parameters, lambda D, H: H * D, says="biases")
