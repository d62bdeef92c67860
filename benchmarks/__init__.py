"""How fast the package's models are, each beside torch's own in one run. `python -m benchmarks` writes the results."""
