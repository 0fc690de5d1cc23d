"""Processes that are forked from one that has imported what they need, and the same program without forks."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest

from ossature import fork_server
from ossature.isolated_python_processes import PreparedProgram, converse_with_program

PREPARATION = "import os\nfrom decimal import Decimal\nprepared = os.getpid()"
ECHO = """
import sys
word = sys.stdin.buffer.readline().decode().strip()
print(word, "error", file=sys.stderr, flush=True)
print(word, os.getpid() != prepared, os.getcwd(), flush=True)
"""
needs_forks = pytest.mark.skipif(not fork_server.IS_AVAILABLE, reason="no processes are forked here")


@pytest.fixture(params=[pytest.param(True, marks=needs_forks), False], ids=["forked", "started"])
def is_forked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    monkeypatch.setattr(fork_server, "IS_AVAILABLE", request.param)
    yield request.param


def ask(program: PreparedProgram, word: str = "a", *, seconds: float = 10.0, memory: int = 0) -> tuple[list[str] | None, str]:
    def converse(sink: IO[bytes], origin: IO[bytes]) -> list[str]:
        with suppress(BrokenPipeError):  # some programs read nothing, and may have ended
            sink.write(f"{word}\n".encode())
            sink.flush()
        answer = origin.readline()
        if not answer:
            raise EOFError
        return answer.decode().split()

    return converse_with_program(program, converse, seconds=seconds, memory=memory)


def test_each_process_has_its_own_input_and_outputs(is_forked: bool) -> None:
    program = PreparedProgram(PREPARATION, ECHO)
    for word in ("first", "second"):
        answer, errors = ask(program, word)
        assert answer == [word, str(is_forked), "/" if is_forked else str(Path.cwd())]
        assert errors.strip() == f"{word} error"


@needs_forks
def test_threads_share_the_server() -> None:
    program = PreparedProgram(PREPARATION, "import sys\nprint(sys.stdin.readline().strip(), prepared, flush=True)")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: ask(program, str(number))[0], range(40)))
    assert [answer[0] for answer in answers if answer] == [str(number) for number in range(40)]
    assert len({answer[1] for answer in answers if answer}) == 1


def test_processes_that_fail_have_no_result_and_their_message(is_forked: bool) -> None:
    answer, errors = ask(PreparedProgram(PREPARATION, "raise ValueError('why')"))
    assert answer is None
    assert "ValueError: why" in errors


def test_a_preparation_that_fails_has_its_message(is_forked: bool) -> None:
    answer, errors = ask(PreparedProgram("import no_such_module", ECHO))
    assert answer is None
    assert "no_such_module" in errors


@pytest.mark.skipif(sys.platform == "win32", reason="processes have no limits of CPU time")
def test_cpu_time_is_limited(is_forked: bool) -> None:
    program = PreparedProgram(
        PREPARATION, "import sys\nword = sys.stdin.readline()\nwhile word == 'loop\\n': pass\nprint(word)"
    )
    assert ask(program, "loop", seconds=1.0)[0] is None
    assert ask(program, seconds=1.0)[0] == ["a"], "a server whose process was ended still forks others"


@pytest.mark.skipif(sys.platform != "linux", reason="address spaces have no limits")
def test_memory_is_limited(is_forked: bool) -> None:
    program = PreparedProgram(PREPARATION, "import sys\nbytes(1 << 30)\nprint('done', flush=True)")
    answer, errors = ask(program, memory=1 << 29)
    assert answer is None
    assert "MemoryError" in errors
    assert ask(program, memory=1 << 32)[0] == ["done"]


@needs_forks
def test_a_server_that_has_ended_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "_IDLE_SECONDS", 0.1)
    program = PreparedProgram(PREPARATION, "print(prepared, flush=True)")
    (first,) = ask(program)[0] or ()
    while Path(f"/proc/{first}/stat").read_text().split()[2] != "Z":  # it has ended, and was not waited for
        time.sleep(0.05)
    (second,) = ask(program)[0] or ()
    assert first != second


PARENT = """
import os, sys
from ossature.isolated_python_processes import PreparedProgram, converse_with_program

program = PreparedProgram({preparation!r}, "print(prepared, flush=True)")
ask = lambda: int(converse_with_program(program, lambda sink, origin: origin.readline(), seconds=10.0)[0])
first = ask()
sys.stdout.write(f"{{first}}\\n")
sys.stdout.flush()
if not os.fork():
    assert ask() not in (0, first), "a forked process starts a server of its own"
    sys.exit(0)
assert os.wait()[1] == 0
assert ask() == first
"""


@needs_forks
def test_the_server_ends_with_the_process_that_started_it() -> None:
    program = PARENT.format(preparation=PREPARATION)
    command = [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not Path(f"/proc/{done.stdout.strip()}").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
@pytest.mark.parametrize(("kind", "hard"), [("RLIMIT_CPU", 60), ("RLIMIT_AS", 1 << 33)])
def test_programs_run_below_the_limits_of_this_process(kind: str, hard: int) -> None:
    """As after ``ulimit``, or in a batch system: a process cannot allow another one more than it may use itself."""
    code = (
        "import resource\nfrom ossature.isolated_python_processes import run_program\n"
        f"resource.setrlimit(resource.{kind}, ({hard}, {hard}))\n"
        f"done = run_program('print(resource.getrlimit(resource.{kind}))', b'', seconds=300.0, memory=1 << 34)\n"
        "print(done.stdout.decode().strip())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"({hard}, {hard})"
