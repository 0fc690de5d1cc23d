"""Conversion of colours to the channels and formats of images."""

from __future__ import annotations

import numpy as np

from ossature.array_types import AnyArray, Array
from ossature.model import ImageFormat

_LUMINANCE = np.array([0.299, 0.587, 0.114])
"""Luminance of red, green and blue (ITU-R BT.601)."""


def make_image(colors: Array, opacity: Array, channels: int, kind: ImageFormat) -> AnyArray:
    """Return colours as an image.

    Integers are from 0 to the largest value of their type, floating-point numbers from 0 to 1.

    Args:
        colors: Red, green and blue from 0 to 1, shape (height, width, 3); other values are clipped.
        opacity: Opacity from 0 to 1, shape (height, width).
        channels: 1, 3 or 4.
        kind: The type of every value.

    Returns:
        The image, shape (height, width, channels).
    """
    clipped = np.clip(colors, 0.0, 1.0)
    if channels == 1:
        clipped = (clipped @ _LUMINANCE)[:, :, None]
    elif channels == 4:
        clipped = np.concatenate([clipped, opacity[:, :, None]], axis=2)
    dtype = np.dtype(kind.value)
    if dtype.kind == "f":
        return clipped.astype(dtype)
    return np.rint(clipped * float(np.iinfo(dtype).max)).astype(dtype)
