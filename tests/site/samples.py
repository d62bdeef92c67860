"""One input for each live figure, given to `attend.compute(name, input)` on the built site.

The parity tests (tests/live) compare results with torch; here it is enough that the weights of the page arrive and
that what comes out is made of finite numbers.
"""

import math

SAMPLES = {
    "dnc": {"rides": [[0, 0, 1], [1, 1, 2]], "from": 0, "trains": [0, 1], "slots": 4, "cut": "nothing"},
    "memory_network": {
        "story": ["John took the football", "Mary went to the kitchen", "John went to the garden"],
        "question": "where is the football",
    },
    "window": {"text": [3, 1, 20, 0], "bias": 1, "seed": 1},
    "hybrid": {"kind": "hybrid", "recording": 0, "steps": 2, "place": 20, "reach": None},
    "ntm": {"digits": [4, 0, 7, 1, 4], "steps": 9, "blunt": False, "moved": {"step": 7, "slot": 3}},
    "gpt": {"tokens": [84, 342, 560], "temperature": 0.8, "topK": 50, "topP": 0.9},
    "bert": {"tokens": [1, 4, 15, 3, 4, 50, 14, 2, 12, 9, 60, 14, 2], "segments": [0] * 8 + [1] * 5, "at": 3},
    "ulmfit": {"words": ["it", "is", "beautiful", "but", "dull"], "part": "all"},
    "elmo": {"words": ["they", "play", "outside"], "place": 1},
    "priors": {"kind": "recurrence", "layers": 2, "position": 5},
    "what_matters": {"runs": 4, "effect": 1.5, "draw": 3},
    "read_geyser": {"query": 3.0, "width": 0.5, "memory": "all"},
    "positions": {"view": "32", "first": 12, "second": 20},
    "modern": {"tokens": [30, 1, 26, 29, 4], "head": 2, "size": 2, "rescale": True},
    "captioner": {"image": [(i % 5) / 4 for i in range(2304)], "placed": [None, 4]},
    "clockwork": {"stops": [320] * 9, "ahead": 0},
    "coin": {"flips": [1, 1, 0, 1]},
    "convnet": {"image": [(i % 7) / 6 for i in range(784)]},
    "counter": {"x": [0.5] * 60, "moment": 3},
    "seq2seq": {"number": 2_863},
    "reinforce": {"heights": [5, 4, 3, 2, 1, 2, 3], "mean": -1, "sigma": 0.5, "baseline": "others", "draw": 3},
    "elman": {"x": [1, 0.5], "W": [[1, 0], [0, 1]], "U": [[0.5, 0], [0, 1]], "b": [0, 0.1], "states": [[0.2, -0.3]]},
    "gradients": {"inputs": [1, 0, -0.5], "radius": 0.9, "kind": "mixes"},
    "gradients_text": {"tokens": [0, 12, 40, 7]},
    "gates": {
        "by": "scores",
        "keep": [0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
        "scores": [[1, 0, -1, 0, 1, 2, 0, 0]] * 8,
    },
    "translation": {"number": 64_238},
    "alignment": {"rounds": 3},
    "ctc": {"probs": [[0.1, 0.8, 0.1], [0.5, 0.3, 0.2], [0.2, 0.1, 0.7]], "target": [1, 2]},
    "gru_plane": {"old": [-0.6, 0.5], "alone": [0.4, 0.1], "update": [0.5, 0.5], "reset": [1, 0]},
    "heads": {"D": 16, "first": 12, "second": 20},
    "heads_pronoun": {"tokens": [30, 1, 26, 29], "cut": [[False, True, False, False], [False] * 4]},
    "interval": {"x": [-0.5, 0.5, 1.5, 0.2], "kept": -1},
    "read": {"number": 342, "by": "location"},
    "self_attention": {
        "x": [[1, 0.5], [0, -1]],
        "query": [[1, 0], [0.5, 1]],
        "key": [[0, 1], [1, 0]],
        "value": [[1, 0], [0, 1]],
        "masked": True,
    },
    "self_attention_heads": {"tokens": [0, 12, 40, 7]},
    "glimpse": {"image": [(i % 7) / 6 for i in range(3600)], "location": [-0.5, 0.4], "size": 12, "scales": 3},
    "soft_or_hard": {
        "scene": "one place knows",
        "scores": [0.5, 1, 0, -0.5, 0.8],
        "way": "straight-through",
        "temperature": 0.5,
        "from": 0,
        "draws": 20,
        "baseline": True,
    },
    "translator": {"number": 2_863},
    "parser": {"language": "english", "words": ["the", "dogs", "sleep"], "constrained": True},
    "lstm": {"at": 6, "size": 1.5} | dict.fromkeys(("input", "forget", "output"), [0.5] * 48),
    "ram": {"image": [(i % 7) / 6 for i in range(1024)], "first": [-0.5, 0.5], "noise": [[0.1, -1]] * 4},
    "directions": {"kind": "line", "example": 0, "node": 1, "way": "both"},
    "trees": {"tokens": [10, 2, 11, 9, 4], "parent": [-1, 0, 0, 2, 2]},
    "trees_graph": {"canvas": 0, "rounds": 2, "cut": None},
    "scores": {
        "score": "additive",
        "width": 16,
        "temperature": 0.5,
        "query": [1, 0],
        "keys": [[0.5, 0.1 * i] for i in range(5)],
    },
    "saliency": {"image": [(i % 5) / 4 for i in range(1296)], "net": "average", "map": "gradient"},
    "training": {"after": "t", "rate": 3, "step": 20},
    "supervision": {"text": "a warm and funny film"},
    "supervision_text": {"text": "My lord", "temperature": 0.7},
    "hierarchical": {
        "turns": ["well so to rome", "oh in june yes"],
        "question": "hm where ?",
        "answer": "to rome",
    },
    "gru_shut": {"bit": 1, "level": 2, "opened": 50, "depth": 0.5},
}


def numbers(result) -> list[float]:
    """Every number in a result of plain JSON, where null stands for one that is not finite."""
    if result is None:
        return [math.nan]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, list):
        return [number for part in result for number in numbers(part)]
    return [float(result)] if isinstance(result, int | float) else []
