"""One training loop that knows no model and no task, its observers and its checkpoints."""
