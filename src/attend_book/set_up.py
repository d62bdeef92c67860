"""The hidden first cell of every built page: no text says it, `make pages` adds it."""

import yaml

from attend_book import ROOT

TAGS = ["remove-cell"]


def source():
    """What the cell runs: the package is installed where it is not at hand; one thread, as on every page."""
    says = "This page brings what it needs: where the course's package is not at hand (Colab), it is installed first."
    repository = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]
    return f"""# {says}
import importlib.util

if importlib.util.find_spec("attend") is None:
    %pip install -q "git+{repository["url"]}@{repository["branch"]}"

import torch

torch.set_num_threads(1)"""
