"""Exercises of the page on hierarchies: two lengths of a path, the last turn, how many levels, both by torch."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attend.checks.answers import number, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise

CASES = (([4, 6, 5], 0, 1), ([3], 0, 2), ([2, 9, 1, 7], 1, 8), ([5, 3, 8, 2, 6], 2, 3))


@exercise
def path(steps: Callable) -> str:
    """steps(lengths, turn, word) -> (two levels, one row): how many RNN steps follow the one that reads the word."""
    for lengths, turn, word in CASES:
        got = parts(steps(list(lengths), turn, word), 2, "the answer")
        levels, row = (whole(value, name) for value, name in zip(got, ("the first", "the second"), strict=True))
        rest, after = lengths[turn] - 1 - word, len(lengths) - turn
        flat = rest + sum(lengths[turn + 1 :])
        if (levels, row) == (rest + after, flat):
            continue
        where = f"lengths {lengths}, word {word} of turn {turn}"
        if (levels, row) == (flat, rest + after):
            raise Wrong("the two numbers are right, in the other order: first two levels, then one row")
        if levels == rest + after - 1:
            raise Wrong(f"{where}: the context RNN takes a step for the word's own turn as well")
        if levels == rest + after + 1 or row == flat + 1:
            raise Wrong(f"{where}: count the steps after the one that reads the word; words are counted from 0")
        if levels == after and rest:
            raise Wrong(f"{where}: the words that follow in its own turn are steps of the encoder")
        if row == sum(lengths[turn + 1 :]) and rest:
            raise Wrong(f"{where}: in one row the rest of its own turn follows too")
        if levels != rest + after:
            raise Wrong(f"{where}: in two levels {rest + after} steps follow, not {levels}")
        raise Wrong(f"{where}: in one row {flat} steps follow, not {row}")
    return "Longer turns lengthen the row with every turn; in two levels only the word's own turn counts."


def _mask(present: Tensor, T: int, seed: int) -> Tensor:
    """Turns of one word each, at any place: the last one in dialogue 0, the first one in 1; full turns in 3."""
    places = torch.randint(T, present.shape, generator=torch.Generator().manual_seed(seed))
    places[0], places[1] = T - 1, 0
    mask = nn.functional.one_hot(places, T).bool()
    mask[3] = True
    return mask & present[..., None]


@exercise
def last_turn(last: Callable) -> str:
    """last(mask (B, N, T)) -> (B): the place of the last turn that has a word, wherever padding stands."""
    for seed, (rows, T) in enumerate(
        ((("1111000", "0101000", "1000000", "0011010"), 5), (("0110", "1010", "0001", "1100", "1111"), 3))
    ):
        present = torch.tensor([[letter == "1" for letter in row] for row in rows])
        mask = _mask(present, T, seed)
        B, N = present.shape
        right = (present * torch.arange(N)).amax(dim=1)
        got = tensor(last(mask.clone()), B, what="the places").double()
        if torch.equal(got, right.double()):
            continue
        count, place = present.sum(dim=1), torch.arange(N)
        recognise(
            got,
            {
                "an empty turn may stand before or between the others: it has a place, too": (count - 1).double(),
                "this is how many turns there are": count.double(),
                "turns are counted from 0": (right + 1).double(),
                "this is the first turn that is there": present.int().argmax(dim=1).double(),
                "the last places may be padding": torch.full((B,), N - 1.0).double(),
                "this is how many turns of padding follow": (N - 1 - right).double(),
                "padding may stand before the words of a turn too: look at all of them": (mask[:, :, 0] * place)
                .amax(dim=1)
                .double(),
                "padding may stand behind the words of a turn too: look at all of them": (mask[:, :, -1] * place)
                .amax(dim=1)
                .double(),
                "a short turn is a turn: one word is enough": (mask.all(dim=2) * place).amax(dim=1).double(),
            },
        )
        b = int((got != right).nonzero()[0])
        raise Wrong(
            f"of {N} turns these are there: {present[b].int().tolist()}; the last one is {right[b]}, not {got[b]:g}"
        )
    return "An empty turn must not be a step of the context RNN, and it must not shift what is counted."


@exercise
def levels(best: Callable) -> str:
    """best(words) -> (number of levels, longest path): k levels have stretches of words ** (1 / k) steps each."""
    for words in (1_000, 64, 20_000, 7, 300):
        paths = {k: k * words ** (1 / k) for k in range(1, 30)}
        right = min(paths, key=paths.get)
        first, second = parts(best(words), 2, "the answer")
        k, length = number(first, "the number of levels"), number(second, "the longest path")
        if k == right and abs(length - paths[right]) <= 0.01 * paths[right]:
            continue
        where = f"for {words:,} words"
        if k != int(k) or k < 1:
            raise Wrong(
                f"{where} you have {k:g} levels; a level is there or not: compare the whole numbers on both sides"
            )
        if abs(length - paths.get(int(k), 0)) > 0.01 * length:
            if abs(length - words ** (1 / k)) <= 0.01 * length:
                raise Wrong(f"{where}: a path crosses all levels, so it has a stretch on each of them")
            raise Wrong(
                f"{where}: with {k:g} levels a path has at most k * words ** (1 / k) steps, and yours has {length:g}"
            )
        if k == 2:
            raise Wrong(f"{where}: two levels are better than one, and more may be better than two")
        raise Wrong(f"{where}: the path is right for {k:g} levels, but another number of levels has a shorter one")
    return "About ln(words) levels with stretches of about e = 2.7 steps: a tree. Few hierarchies in use are that deep."


@exercise
def encode(both: Callable) -> str:
    """both(encoder, context_rnn, x, mask) -> the context (B, C), by two torch.nn.GRU with batch_first=True."""
    for B, N, T, D, H, C, seed in ((3, 4, 5, 2, 6, 7, 0), (2, 5, 3, 4, 3, 8, 1)):
        torch.manual_seed(seed)
        encoder, context_rnn = nn.GRU(D, H, batch_first=True), nn.GRU(H, C, batch_first=True)
        x, lengths = 2 * torch.randn(B, N, T, D), torch.randint(1, T + 1, (B, N))
        lengths[:, 0] = torch.arange(B) % T + 1
        lengths[0, 2:] = 0  # a short dialogue: its last turns are padding
        mask = torch.arange(T) < lengths[..., None]
        right = torch.stack([_encode(encoder, context_rnn, x[b], lengths[b]) for b in range(B)])
        answer = both(encoder, context_rnn, x, mask)
        got = tensor(answer.detach() if isinstance(answer, Tensor) else answer, B, C, what="the context")
        if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
            continue
        recognise(got, _mistakes(encoder, context_rnn, x, mask, lengths))
        wrong = (got - right).abs().amax(dim=1) > 1e-3
        if wrong[0] and not wrong[1:].any():
            raise Wrong("right but for the short dialogue: how many turns has it, and which context is its last?")
        raise Wrong("the contexts differ from those of dialogues that are read one by one, without padding")
    return "Both levels, and no padding in either. This is HRED's encoder with torch's own GRUs."


@torch.no_grad()
def _encode(encoder: nn.GRU, context_rnn: nn.GRU, x: Tensor, lengths: Tensor) -> Tensor:
    """One dialogue (N, T, D), turn by turn, without padding."""
    turns = [encoder(turn[None, :n])[1][0] for turn, n in zip(x, lengths.tolist(), strict=True) if n]
    return context_rnn(torch.stack(turns, dim=1))[1][0, 0]


@torch.no_grad()
def _mistakes(encoder: nn.GRU, context_rnn: nn.GRU, x: Tensor, mask: Tensor, lengths: Tensor) -> dict[str, Tensor]:
    B, N = lengths.shape
    outputs = encoder(x.flatten(0, 1))[0]
    rows, last = torch.arange(B * N), (lengths.flatten() - 1).clamp(min=0)
    turns, padded = outputs[rows, last].view(B, N, -1), outputs[:, -1].view(B, N, -1)
    many = lengths.gt(0).sum(dim=1) - 1
    at = torch.arange(B)
    empty = torch.where(mask.any(2)[..., None], turns, torch.zeros_like(turns))
    state, carried = None, []
    for n in range(N):
        out, _ = encoder(x[:, n], state)
        state = out[at, (lengths[:, n] - 1).clamp(min=0)][None]
        carried.append(state[0])
    return {
        "the encoder has read the padding behind short turns: take its output at the last real word": context_rnn(
            padded
        )[0][at, many],
        "both levels have read padding: take the outputs at the last real word and the last real turn": context_rnn(
            padded
        )[0][:, -1],
        "the context RNN has read padded turns: take its output at the last real turn": context_rnn(turns)[0][:, -1],
        "the context RNN has read padded turns, as zeros: take its output at the last real turn": context_rnn(empty)[0][
            :, -1
        ],
        "the encoder goes on from turn to turn; it must start anew in every turn": context_rnn(
            torch.stack(carried, dim=1)
        )[0][at, many],
        "the last turn alone: the context must be handed from turn to turn": context_rnn(turns[at, many][:, None])[0][
            :, 0
        ],
        "B and N have changed places on the way: flatten and unflatten in the same order": context_rnn(
            outputs[rows, last].view(N, B, -1).transpose(0, 1)
        )[0][at, many],
    }
