"""Attend: memory and attention in deep learning, from coin flips to Transformers.

The package holds the models that the course is about (`memory`, and the parts that follow it), and what surrounds
them: `tasks` to solve, `train` to learn, `recipes` that tie the two together, `figures`, `live` figures and exercise
`checks`. Nothing is imported here, so that each page loads only what it shows.
"""

__version__ = "0.2.0"
