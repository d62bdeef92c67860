"""Valid calls of attend.memory.coin."""

import torch

from attend.memory import coin

SUMMARY = torch.tensor([[3.0, 5.0], [0.0, 2.0]])
MODEL = coin.CoinRNN(4)
FLIPS = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])

CALLS = {
    coin.start: {"batch": 3},
    coin.update: {"summary": SUMMARY, "flip": torch.tensor([1.0, 0.0])},
    coin.summarise: {"flips": FLIPS},
    coin.predict: {"summary": SUMMARY},
    coin.log_likelihood: {"summary": SUMMARY, "bias": torch.tensor([0.2, 0.7])},
    coin.CoinRNN: {"hidden_size": 4, "generator": torch.Generator()},
    MODEL.forward: {"flips": FLIPS},
}
