"""Arrow arrays of numbers, texts and lists, against those that Arrow makes itself."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pyarrow = pytest.importorskip("pyarrow")

from ossature.recordings.arrow_arrays import arrow_column  # noqa: E402  # needs pyarrow

NUMBERS = st.floats(allow_nan=False) | st.none()
COLUMNS = st.one_of(
    st.tuples(st.just("double"), st.lists(NUMBERS)),
    st.tuples(st.just("int64"), st.lists(st.integers(-(2**63), 2**63 - 1) | st.none())),
    st.tuples(st.just("string"), st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.none())),
    st.tuples(st.just("list"), st.lists(st.lists(NUMBERS) | st.none())),
)
KINDS = {
    "double": pyarrow.float64(),
    "int64": pyarrow.int64(),
    "string": pyarrow.string(),
    "list": pyarrow.list_(pyarrow.float64()),
}


@given(column=COLUMNS)
def test_column_equals_that_of_arrow(column: tuple[str, list[Any]]) -> None:
    name, values = column
    found = arrow_column(values, KINDS[name])
    found.validate(full=True)
    assert found.equals(pyarrow.array(values, type=KINDS[name]))
    assert found.to_pylist() == values


def test_columns_are_made_without_pandas() -> None:
    pytest.importorskip("pandas")
    program = (
        "import sys, pyarrow\n"
        "from ossature.recordings.arrow_arrays import arrow_column\n"
        "columns = [arrow_column([1.0, None], pyarrow.float64()), arrow_column(['a', None], pyarrow.string())]\n"
        "pyarrow.Table.from_arrays(columns, names=['x', 'y'])\n"
        "print('pandas' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300)
    assert found.stdout.strip() == "False"
