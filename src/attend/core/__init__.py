"""What every model shares: unrolling a cell over time, and clear refusals of bad input."""
