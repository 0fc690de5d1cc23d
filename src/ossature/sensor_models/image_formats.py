"""Colours as the values of an image: channels and formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.model import ImageFormat

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LUMINANCE = np.array([0.299, 0.587, 0.114])
"""How bright red, green and blue are (ITU-R BT.601)."""


def image_of(colors: NDArray[np.float64], opacity: NDArray[np.float64], channels: int, kind: ImageFormat) -> NDArray[Any]:
    """Return colours as an image.

    Whole numbers reach from 0 to the largest of their type, floating ones from 0 to 1.

    Args:
        colors: Red, green and blue from 0 to 1, shape (height, width, 3); more is cut off.
        opacity: Likewise, shape (height, width).
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
