"""One frozen recipe per trained system: model, task, optimiser and budget in one place.

`python -m attend.recipes NAME` trains a recipe again and writes its weights; without a name it lists them.
"""

import json
from pathlib import Path
from typing import Any

from attend.core import files

WEIGHTS = Path(__file__).parent / "weights"
"""Where the exported weights of the recipes lie, as safetensors, and what was measured while they were trained."""


def write_record(path: Path, found: Any, **layout: Any) -> None:
    """Write what was measured as JSON, whole or not at all."""
    files.write(path, (json.dumps(found, **layout) + "\n").encode())


def read_record(path: Path) -> Any:
    """What was measured. Raises DamagedFile when the file is missing or not as it was written."""
    return json.loads(files.read(path))
