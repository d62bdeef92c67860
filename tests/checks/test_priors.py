"""Each checker knows the solution, the typical wrong answers, and the stub."""

from tests.checks.verdicts import accepts, refuses

from attend.checks import priors


def test_forward():
    accepts(priors.forward, lambda x, W, b: x @ W.T + b)
    refuses(priors.forward, lambda x, W, b: x @ W.T, says="the bias is missing")
    refuses(priors.forward, lambda x, W, b: x @ W.T - b, says="breaks")
    refuses(priors.forward, lambda x, W, b: x, says="shape")


def test_parameters():
    accepts(priors.parameters, lambda D, H: H * (D + 1))
    refuses(priors.parameters, lambda D, H: H * D, says="biases")
