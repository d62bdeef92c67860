"""Summaries that can be navigated: attention that weighs everything and reads the mean."""
