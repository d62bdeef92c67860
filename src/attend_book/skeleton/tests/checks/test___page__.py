"""Each checker knows the solution, the typical wrong answers, and the stub."""

from tests.checks.verdicts import accepts, refuses

from attend.checks import __page__


def test_forward():
    accepts(__page__.forward, lambda x, W, b: x @ W.T + b)
    refuses(__page__.forward, lambda x, W, b: x @ W.T, says="the bias is missing")
    refuses(__page__.forward, lambda x, W, b: x @ W.T - b, says="breaks")
    refuses(__page__.forward, lambda x, W, b: x, says="shape")


def test_parameters():
    accepts(__page__.parameters, lambda D, H: H * (D + 1))
    refuses(__page__.parameters, lambda D, H: H * D, says="biases")
