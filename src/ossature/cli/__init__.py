"""The command line: one file a command, no logic of its own."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # it is None without a console
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr: names may have any characters
    try:
        with _all_written():
            _run()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            sys.stderr.write("error: the name of a file is too long\n")
            sys.exit(1)
        if error.filename is not None:
            from ossature.diagnostics.text_escaping import printable

            reason = (error.strerror or str(error)).lower()
            sys.stderr.write(f"error: {printable(str(error.filename), line_breaks=False)}: {reason}\n")
            sys.exit(1)
        if error.errno not in _OUTPUT_LOST:
            raise
        _end_without_output(error)
    except KeyboardInterrupt:  # while modules are loaded; the command line ends a running command with the same code
        sys.stderr.write("interrupted\n")
        sys.exit(_INTERRUPTED)
    except MemoryError as error:
        reason = f": {error}" if str(error) else ""
        sys.stderr.write(f"error: there is not enough memory{reason}\n")
        sys.exit(1)
    except Exception as error:
        from ossature.diagnostics import OssatureError  # not before --version is answered

        # Errors that no command expects, such as an unsuitable installation of the engine.
        if not isinstance(error, OssatureError):
            raise
        sys.stderr.write(f"error: {error}\n")
        sys.exit(1)


_INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 and the number of the signal."""
_NO_READER = errno.EPIPE
_OUTPUT_LOST = (_NO_READER, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of writing to the output of a command."""


@contextmanager
def _all_written() -> Iterator[None]:
    """Flush the output while an error can still be reported."""
    try:
        yield
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def _end_without_output(error: OSError) -> NoReturn:
    # The buffered rest would fail again when the program ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno != _NO_READER:
        with suppress(OSError):  # messages may go to the same full disk, and then only the exit code is left
            sys.stderr.write(f"error: the output cannot be written: {(error.strerror or str(error)).lower()}\n")
            sys.stderr.flush()
    sys.exit(1)


def _run() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        # Before the command line's libraries are loaded, which take longer than the answer.
        from ossature import __version__

        sys.stdout.write(f"ossature {__version__}\n")
        return
    # Matrices are small: threads of the linear algebra only wait for each other, ten times longer on a busy machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Modules and models live to the end: collecting more often takes an eighth of the start of a command.
    gc.set_threshold(50_000)
    from ossature.cli.commands import make_app, named_commands

    make_app(named_commands(sys.argv[1:]))()
