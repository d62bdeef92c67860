"""Figures to touch: a short Python file and a short ES module each. They take arrays and exported weights."""
