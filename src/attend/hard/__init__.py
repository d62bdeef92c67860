"""Decisions where to look: one place at a time, drawn by chance, and learned from how it turned out."""
