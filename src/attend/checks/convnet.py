"""Exercises of the page on convolution."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, conv_transpose2d, cross_entropy

from attend.checks.answers import number, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import trainable
from attend.memory.convnet import Layer, output_size, receptive_field
from attend.tasks import digits

ROWS = [
    row
    for row in itertools.product((5, 7, 9, 28), (1, 2, 3, 5), (1, 2, 3, 4), (0, 1, 2, 3))
    if row[0] + 2 * row[3] >= row[1]
]
"""Rows of pixels, with a window size, a stride and a padding that fit."""

SLIPS = {
    "the first window counts, too: one more": lambda n, k, s, p: (n + 2 * p - k) // s,
    "zeros are added on both sides, not on one": lambda n, k, s, p: (n + p - k) // s + 1,
    "the padding is missing": lambda n, k, s, p: (n - k) // s + 1,
    "the padding is 2 · padding pixels, not its square": lambda n, k, s, p: (n + p * p - k) // s + 1,
    "windows begin every `stride` pixels, not at every pixel": lambda n, k, s, p: n + 2 * p - k + 1,
    "a window that sticks out does not count: round down": lambda n, k, s, p: -((k - n - 2 * p) // s) + 1,
    "windows may overlap: it is the stride that says where the next one begins": lambda n, k, s, p: (n + 2 * p) // k,
    "add the 1 after the division: it is for the first window": lambda n, k, s, p: (n + 2 * p - k + 1) // s,
    "the number of windows is a whole number: divide with // to round down": lambda n, k, s, p: (n + 2 * p - k) / s + 1,
}


@exercise
def size(windows: Callable) -> str:
    """windows(pixels, size, stride, padding) -> how many windows of `size` fit along a row."""
    answers = [number(windows(*row), "the number of windows") for row in ROWS]
    right = [output_size(*row) for row in ROWS]
    if answers == right:
        return "It holds for even kernels, for every padding, and for strides that leave pixels over."
    for says, slip in SLIPS.items():
        if answers == [slip(*row) for row in ROWS]:
            raise Wrong(says)
    wrong = [one for one in zip(ROWS, answers, right, strict=True) if one[1] != one[2]]
    (pixels, k, stride, padding), got, wanted = wrong[0]
    raise Wrong(
        f"{pixels} pixels, windows of {k}, stride {stride}, padding {padding}: there are {wanted}, you count {got:g}"
    )


@exercise
def backward(backward: Callable) -> str:
    """backward(x, kernel, grad) -> the gradients of the image and of the kernel, from that of the map."""
    for seed, (image, window) in enumerate((((7, 9), (3, 2)), ((5, 8), (2, 4)))):
        generator = torch.Generator().manual_seed(seed)
        x, kernel = torch.randn(image, generator=generator), torch.randn(window, generator=generator)
        grad = torch.randn([n - k + 1 for n, k in zip(image, window, strict=True)], generator=generator)
        answer = backward(x, kernel, grad)
        if isinstance(answer, Tensor):
            raise Wrong("two gradients are asked for, that of the image and that of the kernel, and one came back")
        first, second = parts(answer, 2, "the answer")
        shapes = [tuple(getattr(one, "shape", ())) for one in (first, second)]
        if shapes == [window, image]:
            raise Wrong("the two are exchanged: the image's gradient comes first, then the kernel's")
        right_x, right_kernel = gradients(x, kernel, grad)
        got = tensor(second, *window, what="the kernel's gradient")
        if not torch.allclose(got, right_kernel, rtol=1e-3, atol=1e-4):
            recognise(
                got,
                {
                    "a weight serves every position: add up what they say, do not average": right_kernel / grad.numel(),
                    "the kernel's gradient is turned round: K[p, q] met x[i + p, j + q]": right_kernel.flip(0, 1),
                    "the map's gradient is missing: each window counts as much as its `grad`": gradients(
                        x, kernel, torch.ones_like(grad)
                    )[1],
                },
            )
            raise Wrong("the kernel's gradient is the sum over positions of grad[i, j] times the window at (i, j)")
        got = tensor(first, *image, what="the image's gradient")
        if not torch.allclose(got, right_x, rtol=1e-3, atol=1e-4):
            turned = gradients(x, kernel.flip(0, 1), grad)[0]
            recognise(
                got,
                {
                    "the kernel is turned round: position (i, j) gives x[i + p, j + q] its grad times K[p, q]": turned,
                    "the windows overlap: add to the pixels, do not overwrite them": overwritten(x, kernel, grad),
                },
            )
            raise Wrong("the image's gradient is not: each position gives its grad times the kernel to its own window")
    return "Back through a convolution is a convolution again, and a shared weight collects from every position."


def gradients(x: Tensor, kernel: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """What autograd gives."""
    back = conv_transpose2d(grad[None, None], kernel[None, None])[0, 0]
    return back, conv2d(x[None, None], grad[None, None])[0, 0]


def overwritten(x: Tensor, kernel: Tensor, grad: Tensor) -> Tensor:
    """The image's gradient where each window overwrites what others gave."""
    found = torch.zeros_like(x)
    for i, j in itertools.product(*map(range, grad.shape)):
        found[i : i + kernel.shape[0], j : j + kernel.shape[1]] = grad[i, j] * kernel
    return found


FIELD, LAYERS, KERNEL, JUMP = 31, 5, 3, 4
"""What the third exercise asks for: a field so wide, at most so many layers, so wide kernels, units so far apart."""


@exercise
def stack(layers: object) -> str:
    """A list of (kernel, stride), lowest layer first, whose units see 31 pixels."""
    try:
        pairs = [parts(layer, 2, f"layer {n}") for n, layer in enumerate(layers, 1)]
    except TypeError:
        raise Wrong("the answer is a list of pairs (kernel, stride), lowest layer first") from None
    said = ("the kernel", "the stride")
    pairs = [
        tuple(whole(value, f"{name} of layer {n}") for name, value in zip(said, pair, strict=True))
        for n, pair in enumerate(pairs, 1)
    ]
    if not 0 < len(pairs) <= LAYERS:
        raise Wrong(f"there are {len(pairs)} layers; at most {LAYERS} are allowed, and one at least")
    for n, (kernel, stride) in enumerate(pairs, 1):
        if not 0 < kernel <= KERNEL or stride < 1:
            raise Wrong(
                f"layer {n} has kernel {kernel} and stride {stride}: kernels are 1 to {KERNEL}, strides 1 or more"
            )
        if stride > kernel:
            raise Wrong(
                f"layer {n} leaves inputs out: a stride of {stride} steps over some that a window of {kernel} misses"
            )
    field = receptive_field([Layer(*pair) for pair in pairs])
    if field.jump > JUMP:
        raise Wrong(f"two neighbours on top are {field.jump} pixels apart; at most {JUMP} are allowed")
    if field.size < FIELD:
        raise Wrong(
            f"a unit on top sees {field.size} pixels, and {FIELD} are asked for: a stride widens every layer above it"
        )
    return f"{field.size} pixels. Stride early and every later kernel spans more; stride late and little is gained."


@dataclass
class Race:
    """How the fourth exercise trains, and what it asks for."""

    steps: int = 400
    rate: float = 1e-2
    weights: int = 3_000
    enough: float = 0.94


RACE = Race()


@exercise
def build(make: Callable) -> str:
    """make() -> a module from images (B, 28, 28) to logits (B, 10), with at most 3,000 weights, to be trained."""
    torch.manual_seed(6)
    model = trainable(make(), "make()")
    for B in (3, 2):
        logits_of(model, torch.rand(B, 28, 28))
    count = sum(p.numel() for p in model.parameters())
    if count > RACE.weights:
        raise Wrong(f"it has {count:,} weights, and at most {RACE.weights:,} are allowed: where do most of them sit?")
    images, labels = digits.digits("train")
    optimiser = torch.optim.Adam(model.parameters(), lr=RACE.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RACE.rate, total_steps=RACE.steps)
    for _ in range(RACE.steps):
        rows = torch.randint(len(labels), (32,))
        loss = cross_entropy(model(images[rows]), labels[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    unseen = digits.digits("validation")
    right = digits.accuracy(logits_of(model, unseen.images), unseen.labels)
    if right >= RACE.enough:
        return f"{right:.1%} of unseen digits with {count:,} weights after {RACE.steps} steps, and every line is yours."
    if right < 0.3:
        raise Wrong(
            f"after {RACE.steps} steps it reads {right:.0%} of unseen digits, little more than a guess: does it train?"
        )
    raise Wrong(
        f"it learns, and after {RACE.steps} steps it reads {right:.1%} of unseen digits; {RACE.enough:.0%} are asked "
        "for: are weights shared, does a ReLU follow each convolution, are the maps halved before the last layer, do "
        "logits come out, with no softmax?"
    )


def logits_of(model: nn.Module, images: Tensor) -> Tensor:
    """The logits of a reader's model, in evaluation mode. Raises Wrong for another shape, or where it stops."""
    try:
        with blame("your model", f"at images of shape {tuple(images.shape)}"), torch.no_grad():
            return tensor(model.eval()(images), len(images), 10, what="the logits")
    finally:
        model.train()
