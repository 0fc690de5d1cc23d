"""Show a World in a browser, export it as a web page, or render it as an image. Needs the extra ``view``."""

from __future__ import annotations
