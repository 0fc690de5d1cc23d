"""Recordings as tables for other libraries: NumPy, Arrow (pandas, Polars, DuckDB) and xarray."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import OssatureError
from ossature.recordings.arrow_arrays import arrow_array
from ossature.recordings.sample_columns import Columns

if TYPE_CHECKING:
    import pyarrow


class Tabular(ABC):
    """A recording as a table: a row for each sample, and columns with the names of CSV and Parquet files.

    ``pandas.DataFrame.from_arrow``, ``polars.DataFrame`` and ``pyarrow.table`` accept it by the Arrow PyCapsule interface.
    """

    __slots__ = ()

    @abstractmethod
    def to_rows(self) -> tuple[Columns, Array]:
        """Return the meaning of each column, and all samples, shape (samples, columns)."""

    def to_columns(self) -> dict[str, Array]:
        """Return each column by its name, such as ``arm/elbow.positions[0]``; the first one is ``time`` [s]."""
        columns, rows = self.to_rows()
        return dict(zip(columns.labels, np.ascontiguousarray(rows.T), strict=True))

    def to_arrow(self) -> pyarrow.Table:
        """Return the recording as an Arrow table.

        Raises:
            OssatureError: pyarrow is not installed.
        """
        pyarrow = import_pyarrow()
        columns = self.to_columns()
        return pyarrow.Table.from_arrays([arrow_array(values) for values in columns.values()], names=list(columns))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_xarray(self) -> Any:
        """Return the recording as an ``xarray.Dataset`` over ``time``: a variable for each quantity, with its components.

        Raises:
            OssatureError: xarray is not installed.
        """
        try:
            import xarray
        except ImportError as error:
            raise OssatureError("this needs xarray: pip install xarray") from error
        columns, rows = self.to_rows()
        variables: dict[str, tuple[tuple[str, ...], Array]] = {}
        for quantity, part in columns.slices[1:]:
            if quantity.width is None:
                variables[quantity.label] = (("time",), rows[:, part.start])
            elif quantity.width:
                variables[quantity.label] = (("time", f"{quantity.field}_{quantity.width}"), rows[:, part])
        return xarray.Dataset(variables, coords={"time": ("time", rows[:, 0], {"units": "s"})})


def import_pyarrow() -> Any:
    """Return the module ``pyarrow``.

    Raises:
        OssatureError: It is not installed.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise OssatureError("Arrow needs pyarrow: pip install 'ossature[tables]'") from error
    return pyarrow
