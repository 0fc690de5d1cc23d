"""Triangle meshes as arrays, loaded immediately or on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ossature.array_types import Array, Int64Array
from ossature.diagnostics import OssatureError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshData:
    """A triangle mesh as arrays.

    Attributes:
        vertices: Points, shape (n, 3) [m].
        faces: Indices into the vertices, shape (m, 3), counter-clockwise seen from outside.
    """

    vertices: Array
    faces: Int64Array

    @property
    def bounds(self) -> Array:
        """Lower and upper corner of the box around it, shape (2, 3) [m]."""
        import numpy as np

        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    def __eq__(self, other: object) -> bool:
        import numpy as np

        return isinstance(other, MeshData) and (
            np.array_equal(self.vertices, other.vertices) and np.array_equal(self.faces, other.faces)
        )

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.faces.shape))


class LazyMesh:
    """Triangles that are there, or are fetched once when first asked for.

    Two meshes are equal if their arrays are; comparing them loads both.

    Args:
        source: The triangles, or a function that loads them; its exceptions are passed on.
    """

    __slots__ = ("_failure", "_fetch", "_hash", "_triangles")

    def __init__(self, source: MeshData | Callable[[], MeshData]) -> None:
        self._triangles = source if isinstance(source, MeshData) else None
        self._fetch = None if isinstance(source, MeshData) else source
        self._failure: OssatureError | None = None
        self._hash: int | None = None

    @property
    def triangles(self) -> MeshData:
        """The triangles."""
        if self._triangles is None:
            if self._failure is not None:
                raise self._failure  # many shapes may use one mesh, which is not read again for each of them
            assert self._fetch is not None  # noqa: S101  # one of the two is there
            try:
                self._triangles = self._fetch()
            except OssatureError as error:
                self._failure = error
                raise
            self._fetch = None
        return self._triangles

    @property
    def is_fetched(self) -> bool:
        """Whether the triangles are in memory already."""
        return self._triangles is not None

    def __reduce__(self) -> tuple[type[LazyMesh], tuple[MeshData]]:
        # The loading function may refer to an open file; a pickled copy contains the triangles.
        return (LazyMesh, (self.triangles,))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, LazyMesh) and self.triangles == other.triangles)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.triangles)
        return self._hash

    def __repr__(self) -> str:
        return f"Surface({len(self._triangles.faces)} triangles)" if self._triangles is not None else "Surface(not fetched)"
