"""What page ntm measures is what its sentences are about."""

import torch

from attend.evidence import ntm
from attend.recipes import ntm_tasks
from attend.recipes.ntm import LENGTHS, SLOTS, build
from attend.tasks import tape


def test_rows_of_tests_go_ten_times_as_far_as_training_and_fit_the_tape():
    assert ntm.FURTHER[0] == LENGTHS["copy"][1]
    assert ntm.FURTHER[-1] == 10 * LENGTHS["copy"][1]
    assert SLOTS["copy"] < 2 * ntm.FURTHER[-1] + 1 < 256, "room for a head that never stops"


def test_rows_of_recall_and_repeat_copy_go_ten_times_as_far_as_training():
    for task, lengths in (("recall", ntm.ITEMS), ("repeat", ntm.REPEATED)):
        assert lengths[0] == ntm_tasks.LENGTHS[task][1]
        assert lengths[-1] == 10 * lengths[0]


def test_the_baselines_have_more_weights_than_the_ntm():
    sizes = {
        kind: sum(p.numel() for p in build(kind, "copy", 0).parameters()) for kind in ("ntm", "lstm", "transformer")
    }
    assert 7_500 < sizes["ntm"] < 8_300
    assert sizes["lstm"] > 5.5 * sizes["ntm"]
    assert sizes["transformer"] > 7 * sizes["ntm"]


def test_the_longest_rows_of_training_fit_the_tape_of_training():
    for task, (_, longest) in LENGTHS.items():
        x, answer = tape.sample(task, 1, longest, torch.Generator().manual_seed(0))
        assert x.shape[1] - answer.shape[1] <= SLOTS[task] or task == "recall"
