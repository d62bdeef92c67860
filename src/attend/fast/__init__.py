"""A faster way to compute the same function, from the same parameters. Nothing is taught here.

Every class here is a subclass of the system that it speeds up, with the same parameters and the same state dict, equal
to it in value and gradient (tests/fast).
"""

from typing import TypeVar

from torch import nn

from attend.fast.attention import FastCausalSelfAttention, FastMultiHeadAttention
from attend.fast.clockwork import FastClockwork
from attend.fast.ctc import FastCTCLoss
from attend.fast.ram import FastRAM
from attend.fast.recurrent import FastGRU, FastLSTM, FastRNN
from attend.fast.translation import FastTranslator
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.hard.ram import RAM
from attend.memory.clockwork import Clockwork
from attend.memory.elman import RNN
from attend.soft.ctc import CTCLoss
from attend.soft.translation import Translator
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.tiny_transformer import CausalSelfAttention

Model = TypeVar("Model", bound=nn.Module)

FASTER: dict[type[nn.Module], type[nn.Module]] = {
    CausalSelfAttention: FastCausalSelfAttention,
    MultiHeadAttention: FastMultiHeadAttention,
    RNN: FastRNN,
    Clockwork: FastClockwork,
    GRU: FastGRU,
    LSTM: FastLSTM,
    RAM: FastRAM,
    Translator: FastTranslator,
    CTCLoss: FastCTCLoss,
}


def fast(model: Model) -> Model:
    """The same model, in place: each part of it that has a faster twin computes through that one from now on."""
    for part in model.modules():
        part.__class__ = FASTER.get(type(part), type(part))
    return model
