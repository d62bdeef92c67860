"""One training loop that knows no model and no task, its callbacks and its checkpoints."""
