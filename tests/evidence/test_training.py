"""What the page on training measures is what its sentences are about."""

import torch

from attend.evidence.training import closer, counted
from attend.tasks import words


def test_vowels_in_a_place_of_their_own_are_closer():
    vowel = torch.tensor([letter in "aeiou" for letter in words.ALPHABET])
    torch.manual_seed(0)
    apart = torch.randn(27, 2) + 100 * vowel[:, None]
    assert closer(apart) == 1
    scattered = torch.where(vowel[:, None], 100 * torch.randn(27, 2), torch.randn(27, 2))
    assert closer(scattered) < 0.5


def test_all_ways_to_count_are_measured():
    found = counted(["the", "then", "them", "other"])
    assert set(found) == {"add-one pairs", "best table", "fallback counts"}
    assert all(3 < value < 6 for value in found.values())
