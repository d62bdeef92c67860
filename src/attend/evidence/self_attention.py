"""What the page on self-attention claims: of the scale, the mask, each part of the block, a head, and a rival."""

import torch

from attend.evidence import All, More, Reaches, measured_here, recorded
from attend.recipes.self_attention import CONTEXT, TUNED_ON, SelfAttentionRecipe
from attend.tasks import plays

DATA = ("evidence/records/self_attention.json",)
BUDGET = "1,000 steps of 16 x 64 characters; the best of three learning rates on another seed"


def saturation(width: int, generator: torch.Generator) -> dict[str, float]:
    """Of 2,000 random queries with 16 keys each: the median norm of the softmax's Jacobian."""
    query, keys = torch.randn(2000, 1, width, generator=generator), torch.randn(2000, 16, width, generator=generator)
    scores, found = (query * keys).sum(dim=2), {}
    for name, scale in (("unscaled", 1.0), ("scaled", width**0.5)):
        p = (scores / scale).softmax(dim=1)
        jacobian = torch.diag_embed(p) - p.unsqueeze(2) * p.unsqueeze(1)
        found[name] = jacobian.flatten(1).norm(dim=1).median().item()
    return found


@measured_here(
    "Where queries are wide, dot products grow large and push the softmax to where its gradients are extremely small.",
    source="vaswani2017attention",
    quote="We suspect that for large values of d_k, the dot products grow large in magnitude, pushing the softmax "
    "function into regions where it has extremely small gradients",
    rule=All((Reaches("unscaled, d = 1024", at_most=0.01), Reaches("scaled, d = 1024", at_least=0.1))),
    seeds=range(5),
    unit="norm of the softmax's Jacobian, median over 2,000 random queries with 16 keys",
)
def scale(seed):
    """Entries of queries and keys are drawn with variance 1."""
    found = saturation(1024, torch.Generator().manual_seed(seed))
    return {f"{name}, d = 1024": value for name, value in found.items()}


def loss(kind: str, seed: int) -> float:
    """Nats a character on unseen scenes after training."""
    recipe = SelfAttentionRecipe(kind, seed)
    return recipe.loss(recipe.train(), "test")


@recorded(
    "Without the mask the loss falls to nearly nothing on text that was never seen.",
    source="ours",
    rule=Reaches("without mask", at_most=0.3),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="nats a character (a blind guess among 63: 4.14)",
)
def mask(seed):
    """With it the same model is at about 1.8."""
    return {"without mask": loss("no_mask", seed)}


NEEDED = ("no_positions", "no_feed_forward", "no_residual", "no_norm")
PARTS = ("whole", "no_scale", "one_head", *NEEDED)


@recorded(
    "Positions, feed-forward networks, residual connections and layer norm each lower the loss.",
    source="ours",
    rule=All(tuple(More(part, "whole", by=0.02) for part in NEEDED)),
    seeds=range(5, 10),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="nats a character on unseen scenes",
)
def parts(seed):
    """The model whole, and with one part changed; the picture above the box draws them."""
    return {part: loss(part, seed) for part in PARTS}


@torch.no_grad()
def looks_back(model, tokens: torch.Tensor) -> torch.Tensor:
    """The mean weight that each head of the first layer gives the character before, from the 17th on, (heads)."""
    attn, T = model.blocks[0].self_attn, tokens.shape[1]
    x = model.blocks[0].norm1(model.token(tokens) + model.position(torch.arange(T)))
    query, key = (part(x).unflatten(2, (attn.num_heads, -1)).transpose(1, 2) for part in (attn.q_proj, attn.k_proj))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), -torch.inf).softmax(dim=-1)
    return weights.diagonal(-1, dim1=-2, dim2=-1)[..., 16:].mean(dim=(0, 2))


@recorded(
    "A head of the first layer learns to attend to the previous character.",
    source="ours",
    rule=Reaches("weight on the character before, best head", at_least=0.5),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget=BUDGET,
)
def previous(seed):
    """Mean over 200 windows of unseen text, from their 17th character on."""
    text = plays.stream("test")
    tokens = text[: 200 * CONTEXT].view(200, CONTEXT)
    model = SelfAttentionRecipe("whole", seed).train()
    return {"weight on the character before, best head": looks_back(model, tokens).max().item()}


@recorded(
    "With as many weights and steps, the Transformer predicts the plays better than a GRU.",
    source="ours",
    rule=More("GRU", "Transformer"),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="nats a character on unseen scenes",
)
def gru(seed):
    """152 units between the same embeddings and output layer."""
    return {"Transformer": loss("whole", seed), "GRU": loss("gru", seed)}
