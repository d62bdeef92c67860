"""Exercise checkers: each names the claim that a wrong answer breaks."""
