"""Part one. Memory: what a summary of the past must keep, and why it fades."""
