"""A process that imports slow modules once, and forks a process for each task.

To import a large C++ library takes half a second of CPU time, much longer than most tasks. Only the forked processes get what a
task is given: the server itself gets nothing but their limits. It ends with the process that started it, and if it is not used.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

IS_AVAILABLE = sys.platform == "linux"
"""On macOS, libraries of the system do not permit forks without a new program; Windows has none."""
_IDLE_SECONDS = 60.0
_LONGEST_START = 60.0
"""Time in which the server imports its modules [s]; processes are not forked if it takes longer."""
_LONGEST_MESSAGE = 256
_SERVER = """
import os, socket, sys, traceback

def serve(channel, idle_seconds):
    running = 0
    while True:
        channel.settimeout(None if running else idle_seconds)
        try:
            message, descriptors, _, _ = socket.recv_fds(channel, 256, 3)
        except TimeoutError:
            os._exit(0)
        if not message:
            os._exit(0)
        kind, *words = message.decode().split()
        if kind == "wait":
            answer = os.waitstatus_to_exitcode(os.waitpid(int(words[0]), 0)[1])
            running -= 1
        else:
            answer = os.fork()
            if not answer:
                channel.close()
                for number, descriptor in enumerate(descriptors):
                    os.dup2(descriptor, number)
                    os.close(descriptor)
                return words
            for descriptor in descriptors:
                os.close(descriptor)
            running += 1
        channel.send(str(answer).encode())

idle_seconds, preparation, program = sys.argv[1:]
channel = socket.socket(fileno=os.dup(0))
os.dup2(1, 0)
names = {"__name__": "__main__"}
exec(preparation, names)
os.chdir("/")  # the working folder may be removed
sys.argv[1:] = serve(channel, float(idle_seconds))
status = 1
try:
    exec(program, names)
    status = 0
except BaseException:
    traceback.print_exc()
finally:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
"""


class ForkedProcess:
    """A process with pipes, which the server has forked.

    Attributes:
        stdin: Its input, to be written.
        stdout: Its output, to be read.
        stderr: Its error output, to be read.
    """

    def __init__(self, server: ForkServer, channel: socket.socket, pid: int, pipes: Sequence[int]) -> None:
        self.stdin: IO[bytes] = open(pipes[0], "wb")  # noqa: PTH123, SIM115  # a descriptor, closed by the user
        self.stdout, self.stderr = (open(pipe, "rb") for pipe in pipes[1:])  # noqa: PTH123, SIM115
        self._server, self._channel, self._pid = server, channel, pid
        self._lock, self._has_ended = threading.Lock(), False

    def kill(self) -> None:
        """End the process, if it has not been waited for."""
        with self._lock, suppress(ProcessLookupError):
            if not self._has_ended:
                os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait until the process has ended; then its number may be that of another process."""
        with self._lock:
            self._server.wait(self._channel, self._pid)
            self._has_ended = True


class ForkServer:
    """Starts the server when it is needed, and asks it for processes."""

    def __init__(self, preparation: str, program: str) -> None:
        """Keep what the server runs.

        Args:
            preparation: Python code that it runs once.
            program: Python code that each process runs after it, with the same global names, and with limits in ``sys.argv``.
        """
        self._preparation, self._program = preparation, program
        self._lock = threading.Lock()
        self._channel: socket.socket | None = None
        self._pid = 0
        if IS_AVAILABLE:
            atexit.register(self._stop)
            os.register_at_fork(after_in_child=self._forget)

    def fork(self, arguments: Sequence[str], environment: Mapping[str, str]) -> ForkedProcess | None:
        """Return a new process, or None if the system or the preparation does not permit one.

        Args:
            arguments: ``sys.argv[1:]`` of the process, without spaces.
            environment: Environment of the server, if it is not running.
        """
        if not IS_AVAILABLE:
            return None
        pipes = [os.pipe() for _ in range(3)]
        given = [pipes[0][0], pipes[1][1], pipes[2][1]]
        kept = [pipes[0][1], pipes[1][0], pipes[2][0]]
        try:
            answer = self._fork(" ".join(("fork", *arguments)), given, environment)
        finally:
            for descriptor in given:
                os.close(descriptor)
        if answer is not None:
            return ForkedProcess(self, *answer, kept)
        for descriptor in kept:
            os.close(descriptor)
        return None

    def _fork(
        self, message: str, descriptors: Sequence[int], environment: Mapping[str, str]
    ) -> tuple[socket.socket, int] | None:
        with self._lock:
            for _ in range(2):  # a server that was not used has ended
                try:
                    channel = self._channel or self._start(environment)
                    return channel, int(_ask(channel, message, descriptors))
                except (OSError, EOFError):
                    self._stop()
        return None

    def wait(self, channel: socket.socket, pid: int) -> None:
        """Wait until a process has ended.

        Args:
            channel: That of the server which forked it; if the server has ended, the system has no process to be waited for.
            pid: Number of the process.
        """
        with self._lock, suppress(OSError, EOFError):
            _ask(channel, f"wait {pid}")

    def _start(self, environment: Mapping[str, str]) -> socket.socket:
        channel, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        channel.settimeout(_LONGEST_START)
        arguments = [sys.executable, "-c", _SERVER, str(_IDLE_SECONDS), self._preparation, self._program]
        outputs = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (1, 2)]
        with other:
            actions = [(os.POSIX_SPAWN_DUP2, other.fileno(), 0), *outputs]
            # A process with other threads must not be forked: those of linear algebra are not needed.
            variables = {**environment, "OPENBLAS_NUM_THREADS": "1"}
            self._pid = os.posix_spawn(sys.executable, arguments, variables, file_actions=actions)
        self._channel = channel
        return channel

    def _stop(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
            with suppress(ProcessLookupError, ChildProcessError):  # others may have waited for it
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)

    def _forget(self) -> None:
        """Leave the server to the process that started it."""
        self._lock = threading.Lock()
        if self._channel is not None:
            self._channel.close()
            self._channel = None


def _ask(channel: socket.socket, message: str, descriptors: Sequence[int] = ()) -> bytes:
    socket.send_fds(channel, [message.encode()], list(descriptors))
    answer = channel.recv(_LONGEST_MESSAGE)
    if not answer:
        raise EOFError
    return answer
