import torch

from attend.tasks.clothes import KINDS, SPLITS, clothes, example


def test_the_parts_are_apart_and_hold_every_kind():
    parts = {split: clothes(split) for split in SPLITS}
    assert [len(part.labels) for part in parts.values()] == [3_200, 400, 800]
    seen: set[bytes] = set()
    for images, labels in parts.values():
        assert images.shape[1:] == (14, 14)
        assert images.amin() == 0
        assert images.amax() <= 1
        assert (labels.bincount(minlength=4) >= len(labels) / 5).all()
        here = {image.numpy().tobytes() for image in images}
        assert len(here) == len(images)
        assert not here & seen
        seen |= here


def test_the_nearest_mean_tells_the_kinds_apart():
    """Pictures of a kind look alike: the mean training picture that is nearest names most of the test pictures."""
    images, labels = clothes("train")
    means = torch.stack([images[labels == kind].mean(dim=0) for kind in range(len(KINDS))])
    unseen, wanted = clothes("test")
    nearest = torch.cdist(unseen.flatten(1), means.flatten(1)).argmin(dim=1)
    assert (nearest == wanted).double().mean() > 0.8


def test_the_example_is_named():
    assert example().split("\n")[0] in KINDS
    assert len(example().split("\n")) == 15


def calls():
    from attend.tasks import clothes

    return {
        clothes.clothes: {"split": "test"},
    }
