"""Families of data, one file each: a sampler, what it costs to be wrong, and one example to look at."""
