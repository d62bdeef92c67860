"""Attention all the way: Transformers and what they are made of."""
