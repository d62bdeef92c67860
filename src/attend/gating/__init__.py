"""Units with gates: memory that is kept on purpose."""
