"""From a URI in a model to a file, within the folders that the caller gave and never over a network."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from urllib.parse import unquote

from ossature.argument_types import typed_arguments, typed_fields
from ossature.assets.file_access_log import FileAccessLog, current_log
from ossature.assets.filesystem import DiskFiles, Files
from ossature.assets.gazebo_models import RESOURCE_PATH_VARIABLES, gazebo_model_folders, sibling_model
from ossature.assets.parse_openrave_uri import OpenRaveUri, is_openrave_uri
from ossature.assets.read_regular_files import FileSizeLimitError
from ossature.assets.ros_packages import (
    ROS_PATH_VARIABLES,
    enclosing_package,
    package_by_layout,
    package_folder,
    project_folders,
    ros_package_folders,
    specified_package_name,
)
from ossature.assets.similar_files import same_file_in_other_spelling
from ossature.diagnostics import Limits, OssatureError, Rule, Source, without_passwords
from ossature.diagnostics.resource_limits import DEFAULT_LIMITS, FILE_TOO_LARGE, raising_hint

SEARCH_PATH_VARIABLE = "OSSATURE_PATH"
"""Environment variable with folders that are searched for packages and DART's sample data."""

DATA_PATH_VARIABLE = "OPENRAVE_DATA"
"""Environment variable with folders that are searched for files of ``openrave:`` URIs."""

_LOCAL_HOSTS = ("", "localhost")  # of a file:// URI, by RFC 8089, which also allows:
_FILE_AND_ONE_SLASH = re.compile(r"^file:/(?!/)", re.IGNORECASE)


FOLDER_VARIABLES = (SEARCH_PATH_VARIABLE, DATA_PATH_VARIABLE, *ROS_PATH_VARIABLES, *RESOURCE_PATH_VARIABLES)
"""All environment variables with folders in which files are searched."""


NO_FILE_NAME = "the name of the file is empty"


class AssetError(OssatureError):
    """A file that a model names is unavailable.

    Attributes:
        uri: The URI in the model; a password in it is hidden.
        reason: Why not.
        tried: The searched paths, in order.
        hint: What to do.
        limit: The rule of the limit that it exceeds, or None for any other reason.
    """

    def __init__(
        self, uri: str, reason: str, tried: Sequence[Path] = (), hint: str | None = None, limit: Rule | None = None
    ) -> None:
        self.uri, self.reason, self.tried, self.hint = without_passwords(uri), reason, tuple(tried), hint
        self.limit = limit
        super().__init__(f"{self.uri}: {reason}" if uri else reason)

    @property
    def details(self) -> str:
        """The message with the searched paths, unless the URI is the only one."""
        tried = [str(path) for path in self.tried]
        return f"{self}; tried {', '.join(tried)}" if tried and tried != [self.uri] else str(self)


def search_path_from_environment() -> tuple[Path, ...]:
    """Return the folders of the environment variable ``OSSATURE_PATH``, the package folders of ROS, and those of Gazebo."""
    own = _folders_in_environment(SEARCH_PATH_VARIABLE)
    return (*own, *ros_package_folders(os.environ), *gazebo_model_folders(os.environ))


def data_path_from_environment() -> tuple[Path, ...]:
    """Return the folders that the environment variable ``OPENRAVE_DATA`` lists."""
    return _folders_in_environment(DATA_PATH_VARIABLE)


def _folders_in_environment(variable: str) -> tuple[Path, ...]:
    return tuple(Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part)


@typed_fields
@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """Finds the files that a model refers to.

    A file is opened only inside the folder of the model that names it, inside the search path or the data path, or
    inside a folder that the caller allows. Files of ``openrave:`` URIs are not searched in the model's own
    folder, and opened only inside the others. A model inside a package of ROS, which a package.xml shows, may name the files
    of this package by ``package://`` or a path, anywhere in it; so may one in a folder with the layout of a package, if
    the package is not known otherwise (:meth:`guessed_package`). Paths may name the files of the source
    repository and of the Python package too (:func:`~ossature.assets.ros_packages.project_folders`).

    Attributes:
        folder: Folder of the file with the references; None for a model in memory.
        search_path: Folders in which packages (``package://name/…``) and samples (``dart://sample/…``) lie.
        data_path: Folders with the files of ``openrave:`` URIs; the search path comes after them.
        allowed: Further folders from which files may be opened.
        files: Reads files.
    """

    folder: Path | None = None
    search_path: tuple[Path, ...] = ()
    data_path: tuple[Path, ...] = ()
    allowed: tuple[Path, ...] = ()
    files: Files = DiskFiles()
    _projects: list[tuple[FileAccessLog | None, tuple[Path, ...]]] = field(
        default_factory=list, init=False, compare=False, repr=False
    )

    @classmethod
    @typed_arguments
    def of_file(cls, file: Path, search_path: Sequence[Path] = (), allowed: Sequence[Path] = ()) -> Resolver:
        """Return the resolver of a model file, which also searches the folders of environment variables."""
        return cls(
            folder=Path(os.path.realpath(file)).parent,  # unlike Path.resolve, it does not raise for cycles of links
            search_path=(*search_path, *search_path_from_environment()),
            data_path=data_path_from_environment(),
            allowed=tuple(allowed),
        )

    @classmethod
    def of_source(cls, source: Source) -> Resolver:
        """Return the resolver of a model with the folders of its source; one in memory has no folder of its own."""
        if source.folder is not None:
            return cls.of_file(Path(source.name), source.search_path, source.allowed)
        return cls(
            search_path=(*source.search_path, *search_path_from_environment()),
            data_path=data_path_from_environment(),
            allowed=source.allowed,
        )

    @typed_arguments
    def locate(self, uri: str) -> Path:
        """Return the path of the file that a URI or path names.

        Raises:
            AssetError: There is none, or it is outside the allowed folders.
        """
        return self._locate_allowed(uri)[0]

    def _locate_allowed(self, uri: str) -> tuple[Path, Path, PurePath]:
        """Return the path of a file, the folder that allows it to be opened, and its path from there; both without links."""
        if not uri:
            raise AssetError(uri, NO_FILE_NAME, hint="state a file, or remove the element")
        tried: list[Path] = []
        for candidates in (self._candidates, self._guessed_candidates):  # the second ones take longer to find
            tried += (found := list(candidates(uri)))
            for candidate in found:
                if self.files.is_file(candidate):
                    return candidate, *self._find_allowing_folder(uri, candidate, tried)
        if not tried:
            raise AssetError(uri, "does not name a file", hint=self._search_hint(uri))
        raise AssetError(uri, "no such file", tried, self._spelling_hint(uri, tried) or self._search_hint(uri))

    def guessed_package(self, uri: str) -> Path | None:
        """Return the folder of a package that is inferred from its layout, or None if it is known otherwise."""
        if self.folder is None or any(map(self.files.is_file, self._candidates(uri))):
            return None
        return self._guessed_package_folder() if any(map(self.files.is_file, self._guessed_candidates(uri))) else None

    def specified_package_name(self) -> str | None:
        """Return the name that the package.xml of the model's package states, or None."""
        return None if self.folder is None else specified_package_name(self.folder, self.files)

    @typed_arguments
    def read(self, uri: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
        """Return the bytes of the file that a URI or path names.

        Raises:
            AssetError: It cannot be found or read, or is larger than the limit of a file.
        """
        path, root, inside = self._locate_allowed(uri)
        try:
            return self.files.read_beneath(root, inside, limits.file_bytes)
        except FileSizeLimitError as error:
            reason = f"the file has {error.size} bytes, more than {limits.file_bytes}"
            raise AssetError(uri, reason, (), raising_hint("file_bytes", error.size), FILE_TOO_LARGE) from error
        except OSError as error:
            raise AssetError(uri, error.strerror or str(error), (path,)) from error

    def read_sibling(self, uri: str, name: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
        """Return the bytes of a file that another one names, relative to that one.

        Args:
            uri: The file that names another.
            name: A URI, or a relative one with percent-encoding.
            limits: Limits of reading it.

        Raises:
            AssetError: It cannot be found or read.
        """
        is_uri = "://" in name or is_openrave_uri(name)
        return self.read(name if is_uri else str(self.locate(uri).parent / unquote(name)), limits)

    def _candidates(self, uri: str) -> Iterator[Path]:
        if is_openrave_uri(uri):
            yield from self._data_path_candidates(uri)
            return
        uri = without_passwords(uri)  # the error lists the searched paths
        scheme, separator, rest = _FILE_AND_ONE_SLASH.sub("file:///", uri).partition("://")
        if not separator:
            yield from self._sibling_candidates(uri)
            return
        host, _, inside = unquote(rest).partition("/")
        inside = inside.lstrip("/")  # an absolute path would leave the folder that it is joined to
        match scheme.lower(), host.lower():
            case "file", local if local in _LOCAL_HOSTS:
                yield _absolute(Path("/", inside))
            case "package" | "model", _:
                for folder in self.search_path:
                    yield _absolute(folder / host / inside)
                    if folder.name == host:
                        yield _absolute(folder / inside)
                yield from self._package_candidates(host, inside)
            case "dart", "sample":
                for folder in self.search_path:
                    yield _absolute(folder / inside)

    def _package_candidates(self, package: str, inside: str) -> Iterator[Path]:
        """Yield candidates for a file if the model is in its package, by package.xml or the name of a folder."""
        if self.folder is None:
            return
        found = enclosing_package(self.folder, package, self.files)
        if found is not None:
            yield _absolute(found / inside)
        sibling = sibling_model(self.folder, package, self.files)
        if sibling is not None:
            yield _absolute(sibling / inside)
        named = [above for above in (self.folder, *self.folder.parents) if above.name == package and above != found]
        yield from (_absolute(above / inside) for above in named)

    def _guessed_candidates(self, uri: str) -> Iterator[Path]:
        """Yield candidates for a file of a package if the model is in it, or beside the packages, by the folder layout."""
        scheme, _, rest = uri.partition("://")
        package = self._guessed_package_folder()
        if package is None or scheme.lower() != "package":
            return
        whole = unquote(rest).lstrip("/")
        inside_named, name, _ = whole.rpartition(f"/{package.name}/")
        yield _absolute(package / whole.partition("/")[2].lstrip("/"))
        yield _absolute(package / whole)
        if name:
            yield _absolute(package / whole[len(inside_named) + len(name) :])

    def _sibling_candidates(self, path: str) -> Iterator[Path]:
        if "\0" in path or not path:
            return
        if Path(path).is_absolute():
            yield _absolute(Path(path))
        elif self.folder is not None:
            yield _absolute(self.folder / path)

    def _data_path_candidates(self, uri: str) -> Iterator[Path]:
        try:
            inside = OpenRaveUri.parse(uri).path.lstrip("/")
        except ValueError as error:
            raise AssetError(uri, str(error), hint="write openrave:/path or openrave://host/path") from error
        if inside:
            yield from (_absolute(folder / inside) for folder in (*self.data_path, *self.search_path))

    def _find_allowing_folder(self, uri: str, path: Path, tried: Sequence[Path]) -> tuple[Path, PurePath]:
        """Return the folder that allows a file to be opened, and the file's path from there, both without links."""
        real = _resolve_links(path)
        for root in map(_resolve_links, (*self._own_folders(uri), *self.data_path, *self.search_path, *self.allowed)):
            if real != root and real.is_relative_to(root):
                return root, real.relative_to(root)
            if real == root:  # a single file that the caller allows
                return root.parent, PurePath(root.name)
        home = f"the folders of {DATA_PATH_VARIABLE}" if is_openrave_uri(uri) else "the model's own folder"
        raise AssetError(uri, f"{real} lies outside {home}", tried, f"allow it with --allow-path {real.parent}")

    def _own_folders(self, uri: str) -> tuple[Path, ...]:
        """Return the folders from which a model may open the file of a URI by default."""
        if self.folder is None or is_openrave_uri(uri):
            return ()
        scheme, separator, rest = uri.partition("://")
        if not separator or scheme.lower() == "file":
            return (self.folder, *self._project_folders(self.folder))
        name = unquote(rest).partition("/")[0]
        if scheme.lower() == "model":
            sibling = sibling_model(self.folder, name, self.files)
            return (self.folder,) if sibling is None else (self.folder, sibling)
        if scheme.lower() != "package":
            return (self.folder,)
        packages = (enclosing_package(self.folder, name, self.files), self._guessed_package_folder())
        return (self.folder, *(package for package in packages if package is not None))

    def _project_folders(self, folder: Path) -> tuple[Path, ...]:
        """Return the folders of the project, searched once for each log of files."""
        log = current_log()
        if not self._projects or self._projects[0][0] is not log:
            self._projects[:] = [(log, project_folders(folder, self.files))]
        return self._projects[0][1]

    def _guessed_package_folder(self) -> Path | None:
        """Return the folder of the model's package, whatever its name is; None if it has neither a package.xml nor a layout."""
        if self.folder is None:
            return None
        return package_folder(self.folder, self.files) or package_by_layout(self.folder)

    def _spelling_hint(self, uri: str, tried: Sequence[Path]) -> str | None:
        """Return a hint with a file that exists, if the spelling of a URI is wrong; None outside the allowed folders."""
        for path in tried:
            try:
                found = same_file_in_other_spelling(*self._find_allowing_folder(uri, path, ()))
            except (AssetError, ValueError):  # outside the allowed folders, or with a null character
                continue
            if found is not None:
                return f"did you mean '{found}'?"
        return None

    def _search_hint(self, uri: str) -> str:
        if is_openrave_uri(uri):
            return (
                f"add the folder that contains it to {DATA_PATH_VARIABLE}, --search-path or {SEARCH_PATH_VARIABLE}; "
                "openrave:/path and openrave://host/path start there"
            )
        scheme = uri.partition("://")[0].lower() if "://" in uri else ""
        if scheme == "model":
            names = ", ".join((*RESOURCE_PATH_VARIABLES, SEARCH_PATH_VARIABLE))
            return f"add the folder that contains the model's folder with --search-path or one of {names}"
        if scheme == "dart":
            return f"add the folder of DART's samples, which contains skel, with --search-path or {SEARCH_PATH_VARIABLE}"
        if scheme == "package":
            return f"add the folder that contains the package with --search-path or {SEARCH_PATH_VARIABLE}"
        if scheme == "file":
            return "a file:// URI names an absolute path on this machine: file:///folder/file"
        if scheme:
            return "nothing is fetched from a network; use a path, file://, package://, openrave:/ or dart://sample/"
        return "check the path; it is relative to the file that names it"


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path if path.is_absolute() else Path.cwd() / path))


def _resolve_links(path: Path) -> Path:
    # Links inside the model's folder may point elsewhere: the location of the target counts.
    return Path(os.path.realpath(path))
