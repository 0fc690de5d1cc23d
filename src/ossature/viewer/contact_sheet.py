"""Contact sheets: several images in one, each with a caption."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

_GAP = 8
"""Between images [pixels]."""
_CAPTION = 22
"""Height of a caption [pixels]."""
_FONT_SIZE = 13
_BACKGROUND, _INK = (255, 255, 255), (40, 44, 52)


def sheet_size(count: int, size: tuple[int, int]) -> tuple[int, int]:
    """Return width and height of a sheet of some images of the same size [pixels]."""
    columns = _columns(count)
    rows = math.ceil(count / columns)
    return columns * (size[0] + _GAP) + _GAP, rows * (size[1] + _CAPTION + _GAP) + _GAP


def _columns(count: int) -> int:
    return math.ceil(math.sqrt(count))


def arrange_images(images: Sequence[tuple[str, Array | None]], size: tuple[int, int], missing: str = "no image") -> Array:
    """Return a sheet: red, green and blue from 0 to 1, shape (height, width, 3).

    Args:
        images: Captions and images of the given size or smaller, shape (height, width, 3); None for one that is missing.
        size: Width and height of each image [pixels].
        missing: Text in place of missing images.
    """
    from PIL import Image, ImageDraw, ImageFont

    sheet = Image.new("RGB", sheet_size(len(images), size), _BACKGROUND)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(_FONT_SIZE)
    columns = _columns(len(images))
    for number, (caption, image) in enumerate(images):
        left = _GAP + (number % columns) * (size[0] + _GAP)
        top = _GAP + (number // columns) * (size[1] + _CAPTION + _GAP)
        if image is None:
            draw.text((left + 4, top + size[1] // 2), missing, fill=_INK, font=font)
        else:
            tile = Image.fromarray(np.round(image * 255.0).astype(np.uint8))
            sheet.paste(tile, (left + (size[0] - tile.width) // 2, top + (size[1] - tile.height) // 2))
        draw.text((left + 4, top + size[1] + 3), _shortened(caption, size[0] - 8, font), fill=_INK, font=font)
    return np.asarray(sheet) / 255.0


def _shortened(text: str, width: int, font: FreeTypeFont | ImageFont) -> str:
    """Return a text that is not wider than a number of pixels; its end is kept."""
    shown = text
    while len(shown) > 1 and font.getlength(shown) > width:
        shown = "…" + shown[2:]
    return shown
