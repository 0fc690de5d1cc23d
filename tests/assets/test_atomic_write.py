"""Writing whole files: links, devices, FIFOs, permissions, and operations that fail. Devices are ones of the test's own."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from failing_file_operations import FAILURES, failing, faulty
from ossature.assets import FileInUseError, FileLock, atomic_write, open_output, replacing, write_file_atomically

pytestmark = pytest.mark.usefixtures("heap_of_one_module")
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX files")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@posix
def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, first, second = tmp_path / "far" / "target.skel", tmp_path / "first.skel", tmp_path / "second.skel"
    target.write_text("old")
    first.symlink_to("far/target.skel")
    second.symlink_to(first)
    write_file_atomically(second, "new")
    assert target.read_text() == "new"
    assert first.is_symlink()
    assert second.is_symlink()
    dangling = tmp_path / "dangling.skel"
    dangling.symlink_to("far/new.skel")
    write_file_atomically(dangling, "new")
    assert (tmp_path / "far" / "new.skel").read_text() == "new"
    assert names(tmp_path / "far") == ["new.skel", "target.skel"]


@posix
def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links") as refused:
        write_file_atomically(tmp_path / "a", "new")
    assert refused.value.filename == str(tmp_path / "a")


@posix
def test_a_fifo_is_written_into(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.skel"
    os.mkfifo(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    content = os.urandom(300_000)  # more than it holds
    write_file_atomically(fifo, content)
    reader.join(10.0)
    assert read == [content]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert names(tmp_path) == ["fifo.skel"]


@posix
def test_an_archive_is_written_into_a_fifo(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.zip"
    os.mkfifo(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    with open_output(fifo) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", b"1" * 1000)
    reader.join(10.0)
    (tmp_path / "copy.zip").write_bytes(read[0])
    with zipfile.ZipFile(tmp_path / "copy.zip") as archive:
        assert archive.read("a") == b"1" * 1000


@posix
def test_a_fifo_that_nobody_reads_any_more_is_an_error(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    handle = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    closing = threading.Timer(0.1, os.close, [handle])
    closing.start()
    with pytest.raises(BrokenPipeError):
        write_file_atomically(fifo, b"0" * 10_000_000)


@posix
def test_a_device_is_written_into(tmp_path: Path) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # one of its own, as /dev/null is
        device.open("wb").close()
    except OSError as error:
        pytest.skip(f"no device can be made here: {error}")
    link = tmp_path / "link"
    link.symlink_to(device)
    for path in (device, link):
        write_file_atomically(path, "x" * 100_000)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert names(tmp_path) == ["link", "null"]


@posix
def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)  # its name has to be short
        server.bind("socket")
        with pytest.raises(OSError, match="no regular file"):
            write_file_atomically(tmp_path / "socket", "x")
    with pytest.raises(IsADirectoryError):
        write_file_atomically(tmp_path, "x")
    assert names(tmp_path) == ["socket"]


@posix
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_the_output_of_the_process_is_written_into(kind: str, tmp_path: Path) -> None:
    names = [name for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1") if Path(name).exists()]
    link = tmp_path / "link.json"
    link.symlink_to(names[0])
    code = f"""
from pathlib import Path
from ossature.assets.atomic_write import write_file_atomically
print("before")
for name in {[*names, str(link)]}:
    write_file_atomically(Path(name), "text\\n")
print("after")
"""
    file = tmp_path / "out"
    with file.open("wb") as output:
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE if kind == "pipe" else output, check=True)
    assert (done.stdout if kind == "pipe" else file.read_bytes()) == b"before\n" + b"text\n" * (len(names) + 1) + b"after\n"
    assert link.is_symlink()


@posix
def test_permissions_stay_and_new_files_get_the_usual_ones(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.write_text("old")
    private.chmod(0o600)
    write_file_atomically(private, "new")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    before = os.umask(0o027)
    try:
        write_file_atomically(tmp_path / "new", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "read_only"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_file_atomically(path, "new")
    assert path.read_text() == "old"


def test_names_of_files_beside_are_not_too_long(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 120 + "." + "s" * 120)
    write_file_atomically(path, "new")
    assert names(tmp_path) == [path.name]


@pytest.mark.parametrize("failure", FAILURES)
def test_every_operation_may_fail(failure: str, tmp_path: Path) -> None:
    path = tmp_path / "out.skel"
    path.write_bytes(b"old")
    new = b"new" * 50_000
    with faulty(-1, FAILURES[failure]) as system:
        write_file_atomically(path, new)
    assert {"open", "write", "fsync", "close", "replace"} <= set(system.done)
    for number, name in enumerate(system.done):
        path.write_bytes(b"old")
        refused = False
        with faulty(number, FAILURES[failure]):
            try:
                write_file_atomically(path, new)
            except OSError as error:
                assert error.filename == str(path)
                refused = True
            except KeyboardInterrupt:
                refused = True
        is_in_place = "replace" in system.done[:number]
        assert path.read_bytes() == (b"old" if refused and not is_in_place else new), (number, name)
        assert refused == (failure != "short"), (number, name)
        assert names(tmp_path) == ["out.skel"], (number, name)


def test_the_file_and_its_folder_are_flushed_in_order(tmp_path: Path) -> None:
    with faulty(-1, FAILURES["full"]) as system:
        write_file_atomically(tmp_path / "out", b"new")
    order = [name for name in system.done if name in ("write", "fsync", "replace")]
    assert order == ["write", "fsync", "replace", "fsync"]


def test_file_systems_that_cannot_flush_folders_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    with faulty(-1, FAILURES["full"]) as system:
        write_file_atomically(tmp_path / "out", b"new")
    last = len(system.done) - 1 - system.done[::-1].index("fsync")

    def unsupported(*arguments: object, **options: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    with faulty(last, unsupported):
        write_file_atomically(tmp_path / "out", b"newer")
    assert (tmp_path / "out").read_bytes() == b"newer"


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP, errno.EXDEV])
def test_a_rename_that_is_refused_is_an_error_whatever_the_reason(code: int, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    with faulty(-1, FAILURES["full"]) as system:
        write_file_atomically(tmp_path / "out", b"new")
    (tmp_path / "out").write_bytes(b"old")
    with faulty(system.done.index("replace"), failing(code)), pytest.raises(OSError, match="out"):
        write_file_atomically(tmp_path / "out", b"new")
    assert (tmp_path / "out").read_bytes() == b"old"
    assert names(tmp_path) == ["out"]


def test_what_is_written_by_name_is_replaced_alike(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError
    assert (path.read_text(), names(tmp_path)) == ("old", ["out.txt"])
    with replacing(path) as temporary:
        assert temporary.suffix == ".txt"
        temporary.write_text("new")
    assert (path.read_text(), names(tmp_path)) == ("new", ["out.txt"])


def test_a_lock_is_exclusive_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    lock = FileLock(path)
    with pytest.raises(FileInUseError, match="another process"):
        FileLock(path)
    (tmp_path / "alias.csv").symlink_to(path)
    with pytest.raises(FileInUseError):
        FileLock(tmp_path / "alias.csv")
    lock.release()
    lock.release()
    assert names(tmp_path) == ["alias.csv"]
    FileLock(path).release()


def test_what_a_killed_process_leaves_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    code = (
        f"import os; from pathlib import Path; from ossature.assets import FileLock; FileLock(Path({str(path)!r})); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert names(tmp_path) == ["run.csv.lock"]
    FileLock(path).release()
    assert names(tmp_path) == []


def test_one_of_many_threads_gets_a_lock(tmp_path: Path) -> None:
    path, inside, most, refused = tmp_path / "run.csv", [0], [0], [0]
    guard = threading.Lock()

    def attempt() -> None:
        for _ in range(100):
            try:
                lock = FileLock(path)
            except FileInUseError:
                refused[0] += 1
                continue
            with guard:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            with guard:
                inside[0] -= 1
            lock.release()

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
    assert names(tmp_path) == []


def test_nothing_but_the_helper_replaces_files() -> None:
    source = Path(atomic_write.__file__).parent.parent
    own = {Path(atomic_write.__file__), source / "recordings" / "growing.py", source / "assets" / "file_lock.py"}
    own |= set((source / "model").glob("*.py"))  # which rename elements of models
    own.add(source / "formats" / "sdf" / "included_urdf.py")  # which renames a link
    # These write into temporary folders.
    own |= {source / "fmu" / "export.py", source / "formats" / "usd" / "stage_process.py"}
    own.add(source / "formats" / "usd" / "encoding_process.py")
    writes = (
        "write_text(",
        "write_bytes(",
        "os.replace(",
        "mkstemp(",
        "NamedTemporaryFile(",
        '.open("w',
        ".rename(",
        "to_file(",
    )
    found = [
        f"{path.relative_to(source)}: {word}"
        for path in sorted(source.rglob("*.py"))
        if path not in own
        for word in writes
        if word in path.read_text() and "io.StringIO" not in path.read_text()
    ]
    assert found == []


@pytest.mark.parametrize("failure", FAILURES)
def test_every_descriptor_is_closed_once_whatever_fails(tmp_path: Path, failure: str) -> None:
    """A second close of a number closes the file or connection that another thread has opened meanwhile."""
    file = tmp_path / "out.skel"
    write_file_atomically(file, "old")
    with faulty(-1, FAILURES[failure]) as system:
        write_file_atomically(file, "new")
    for number in range(len(system.done)):
        with faulty(number, FAILURES[failure]) as system:
            with suppress(OSError, KeyboardInterrupt):
                write_file_atomically(file, "new")
            assert not system.closed_again, (number, system.done)
            assert not system.descriptors, (number, system.done)


def test_a_closed_output_is_not_written(tmp_path: Path) -> None:
    with open_output(tmp_path / "first") as output:
        output.write(b"whole")
    other = tmp_path / "other"
    with other.open("wb"):  # its descriptor is the one that was closed
        with pytest.raises(ValueError, match="closed"):
            output.write(b"late")
        with pytest.raises(ValueError, match="closed"):
            output.seek(0)
    assert (tmp_path / "first").read_bytes() == b"whole"
    assert not other.read_bytes()
