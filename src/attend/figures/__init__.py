"""Pictures, one file per kind, in one shared style. They take arrays, never models."""
