"""One thread for linear algebra, as commands set it: those of several test processes would wait for each other.

It is imported before NumPy, which reads the variable when it is loaded.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
