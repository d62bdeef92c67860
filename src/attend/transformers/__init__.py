"""Attention all the way: models that are made of looking back, and of nothing that steps through time."""
