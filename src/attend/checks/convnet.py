"""Exercises of the page on convolution."""

from collections.abc import Callable

import torch

from attend.checks.answers import floats, parts, single
from attend.checks.exercise import Wrong, exercise
from attend.memory.convnet import Layer, max_pool, output_size, receptive_field


@exercise
def size(windows: Callable) -> str:
    """windows(pixels, size, stride, padding) -> how many windows of `size` fit along a row."""
    rows = [(28, 5, 1, 0), (28, 4, 1, 2), (24, 2, 2, 0), (7, 2, 2, 0), (28, 5, 2, 2), (9, 9, 4, 0)]
    for pixels, k, stride, padding in rows:
        got, wanted = single(windows(pixels, k, stride, padding)), output_size(pixels, k, stride, padding)
        asked = f"{pixels} pixels, windows of {k}, stride {stride}, padding {padding}"
        if got == wanted:
            if not isinstance(got, int):
                raise Wrong(f"the number of windows is a whole number, got {got!r}: divide with // to round down")
            continue
        if got == wanted - 1:
            raise Wrong(f"{asked}: the first window counts too, got {got}, expected {wanted}")
        if padding and got == output_size(pixels + padding, k, stride):
            raise Wrong(f"{asked}: zeros are added on both sides, got {got}, expected {wanted}")
        if padding and pixels >= k and got == output_size(pixels, k, stride):
            raise Wrong(f"{asked}: the padding is missing, got {got}, expected {wanted}")
        if stride > 1 and got == output_size(pixels, k, 1, padding):
            raise Wrong(f"{asked}: windows begin every {stride} pixels, got {got}, expected {wanted}")
        if stride > 1 and got == wanted + 1:
            raise Wrong(f"{asked}: a window that sticks out does not count, got {got}, expected {wanted}")
        raise Wrong(f"{asked}: got {got}, expected {wanted}")
    return "It holds for even kernels and for strides that leave pixels over."


@exercise
def field(grown: Callable) -> str:
    """grown((size, jump), (kernel, stride)) -> (size, jump): one layer joins the summary of a stack."""
    stacks = [[(5, 1)], [(3, 1), (3, 1)], [(4, 2), (2, 3), (3, 1)], [(5, 1), (2, 2), (5, 1), (2, 2)]]
    for stack in stacks:
        summary = (1, 1)
        for depth, (kernel, stride) in enumerate(stack, start=1):
            before = summary
            summary = tuple(map(single, parts(grown(summary, (kernel, stride)), 2, "the summary (size, jump)")))
            right = receptive_field([Layer(*layer) for layer in stack[:depth]])
            joins = f"from (size, jump) = {before}, a layer of size {kernel} and stride {stride}"
            if summary == (right.size, right.jump):
                continue
            if summary[1] == right.jump and summary[0] == before[0] + kernel - 1:
                raise Wrong(
                    f"{joins}: its steps are {before[1]} pixels long, so it adds {kernel - 1} of those, not pixels"
                )
            if summary[1] == right.jump and summary[0] == before[0] + kernel * before[1]:
                raise Wrong(f"{joins}: a window of {kernel} units makes {kernel - 1} steps from its first to its last")
            if summary[0] == before[0] + (kernel - 1) * before[1] * stride != right.size:
                raise Wrong(f"{joins}: its stride moves the next layer apart, not its own window: size is {right.size}")
            if summary[0] == right.size and summary[1] in (stride, before[1] + stride):
                raise Wrong(
                    f"{joins}: strides multiply through the stack, expected a jump of {right.jump}, got {summary[1]}"
                )
            raise Wrong(f"{joins}: got {summary}, expected {(right.size, right.jump)}")
    return "Two numbers are enough for a stack of any depth: a summary, and a rule that joins one layer to it."


@exercise
def pool(pooled: Callable) -> str:
    """pooled(image): the largest of every 2 x 2 pixels of an image (Y, X)."""
    for rows, columns in [(4, 4), (2, 6), (5, 7)]:
        image = torch.randn(rows, columns, generator=torch.Generator().manual_seed(rows)) - 2
        got, wanted = floats(pooled(image.clone()), "the answer must be a tensor"), max_pool(image[None, None])[0, 0]
        if got.shape == (rows - 1, columns - 1):
            raise Wrong("the windows lie side by side: they begin at every second pixel, not at every one")
        if got.shape != wanted.shape:
            said = f"got {tuple(got.shape)}, expected {tuple(wanted.shape)}"
            raise Wrong(f"from {rows} x {columns} pixels: {said}; a row or column that fills no window is left out")
        if torch.allclose(got, wanted):
            continue
        if torch.allclose(got, wanted.clamp(min=0)):
            raise Wrong("all pixels may be negative: the largest is then a negative number, and not 0")
        whole = image[: rows // 2 * 2, : columns // 2 * 2]
        if torch.allclose(got, whole.reshape(rows // 2, 2, columns // 2, 2).mean(dim=(1, 3))):
            raise Wrong("that is the mean of every window, which average pooling takes; here it is the largest")
        if torch.allclose(got, whole[::2, ::2]):
            raise Wrong("that keeps the first pixel of every window and forgets the other three")
        raise Wrong("a value is not the largest of its 2 x 2 window")
    return "Which of the four pixels it was, nobody will ever know: that is what pooling forgets."
