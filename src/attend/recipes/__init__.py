"""One frozen recipe per trained system: model, task, optimiser and budget in one place.

`python -m attend.recipes NAME` trains a recipe again and writes its weights; without a name it lists them.
"""

from pathlib import Path

WEIGHTS = Path(__file__).parent / "weights"
"""Where the exported weights of the recipes lie, as safetensors."""
