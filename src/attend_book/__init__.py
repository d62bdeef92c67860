"""The machine that makes the book: pages, digests, the ledger and the site. It imports no model."""
