"""What every page imports, imported once: tests/kernels.py forks their kernels from a process that has this."""

import os
import sys

PATH = [folder for folder in sys.path if folder and os.path.abspath(folder) != os.getcwd()]
"""Where a fresh kernel looks for modules."""

# A kernel says so before it imports matplotlib; here matplotlib comes first.
os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")

import anywidget  # noqa: E402, F401
import beartype  # noqa: E402, F401
import ipykernel.ipkernel  # noqa: E402
import ipykernel.kernelapp  # noqa: E402, F401
import jaxtyping  # noqa: E402, F401
import matplotlib.pyplot  # noqa: E402, F401
import matplotlib_inline.backend_inline  # noqa: E402, F401
import sklearn.linear_model  # noqa: E402, F401
import torch._dynamo  # noqa: E402, F401  the first optimiser of a page imports it
