"""The model file that a URI names: in the folders of the search path, as the files that a model names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from ossature.assets.parse_openrave_uri import is_openrave_uri
from ossature.assets.uri_resolver import Resolver, data_path_from_environment, search_path_from_environment

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(?=[^/])")
"""The start of a URI. A scheme has two letters at least, unlike a drive of Windows; a path has lost one of two slashes."""


def is_model_uri(text: str) -> bool:
    """Whether the name of a model is a URI, and no file has this name."""
    return _URI.match(text) is not None and not os.path.lexists(text)


def locate_model_file(uri: str, search_path: Sequence[str | Path] = ()) -> Path:
    """Return the path of the model file that a URI names.

    Args:
        uri: A ``dart://sample/``, ``package://``, ``model://``, ``openrave:`` or ``file://`` URI, also with one slash.
        search_path: Folders with packages and data, searched before those of environment variables.

    Raises:
        AssetError: There is no such file, or the scheme is another one.
    """
    resolver = Resolver(
        search_path=(*map(Path, search_path), *search_path_from_environment()),
        data_path=data_path_from_environment(),
        allowed=(Path(os.sep),),  # the user names the file
    )
    return resolver.locate(restore_slashes(uri))


def restore_slashes(uri: str) -> str:
    """Return a URI whose slashes after the scheme have become one, as in a path, with those that its scheme needs."""
    if is_openrave_uri(uri):
        return uri
    return _URI.sub(lambda found: f"{found[1]}:{'///' if found[1].lower() == 'file' else '//'}", uri, count=1)
