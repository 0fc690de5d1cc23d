"""A World in a browser, on a page of its own, or as a picture. Needs the extra ``view``."""

from __future__ import annotations
