"""``/var/task``, ``/var/runtime`` and ``/opt`` of one process alone: a mount namespace of its own.

What else lies in ``/var`` and ``/opt`` stays where it is: new ones in memory have it all by bind
mounts, and the function's own beside, which cannot be written to. They are seen by this process and
by those that it starts, and are gone with them (mount_namespaces(7), user_namespaces(7),
man7.org). Standard library alone: it runs before a function's runtime.

``mounts.py TASK RUNTIME LAYERS STAGE`` tries it twice, as a fork of a process that has such mounts
has to, and ends with 0 where the kernel lets it.
"""

# pathlib would have to be read at every start of a function:
# ruff: noqa: PTH102, PTH106, PTH112, PTH114, PTH115, PTH211
from __future__ import annotations

import ctypes
import os
import sys

TASK_ROOT, RUNTIME_DIR, LAYERS_DIR = "/var/task", "/var/runtime", "/opt"
LANGUAGE = "lang"
"""In the runtime's folder, what lies in `LANGUAGE_DIR`: scripts of layers begin by that path."""

LANGUAGE_DIR = f"/var/{LANGUAGE}"

_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000  # linux/sched.h
_MS_RDONLY, _MS_REMOUNT, _MS_BIND, _MS_MOVE = 1, 32, 4096, 8192  # linux/mount.h
_MS_REC, _MS_PRIVATE, _MS_RELATIME = 16384, 1 << 18, 1 << 21
_KEPT = 2 | 4 | 8 | 1024 | 2048
"""nosuid, nodev, noexec, noatime, nodiratime: the same bits in mount(2) and in statvfs(3)."""

_ST_RELATIME = 4096


def mount(task: str, runtime: str, layers: str, stage: str) -> None:
    """Have ``task`` at `TASK_ROOT`, ``runtime`` at `RUNTIME_DIR` and what ``layers`` holds in
    `LAYERS_DIR`, for this process and its own.

    ``layers`` may be "" for none; ``stage`` is an empty folder, which is gone after this. Raises
    OSError where the kernel does not let it; then nothing has changed that a process sees.
    """
    _have_own_mounts()
    own = {"task": task, "runtime": runtime, LANGUAGE: f"{runtime}/{LANGUAGE}"}
    _have_in("/var", own, stage)
    if layers:
        _have_in(LAYERS_DIR, {each.name: each.path for each in os.scandir(layers)}, stage)
    os.rmdir(stage)


def _have_in(folder: str, sources: dict[str, str], stage: str) -> None:
    """Have ``sources`` in ``folder`` by their names, read-only, beside what else is there."""
    _mount("tmpfs", stage, "tmpfs", 0, "mode=755")
    for entry in os.scandir(folder):
        if entry.name not in sources:
            _mirror(entry, f"{stage}/{entry.name}")
    for name, source in sources.items():
        target = f"{stage}/{name}"
        if os.path.islink(source):
            os.symlink(os.readlink(source), target)
            continue
        os.mkdir(target) if os.path.isdir(source) else _write(target, "")
        _mount(source, target, "", _MS_BIND)
        _protect(target)
    _protect(stage)
    _mount(stage, folder, "", _MS_MOVE)


def _protect(mounted: str) -> None:
    """Let nobody write to what is mounted there; what is mounted below it stays as it is."""
    _mount("", mounted, "", _MS_BIND | _MS_REMOUNT | _MS_RDONLY | _flags_of(mounted))


def _have_own_mounts() -> None:
    """Leave the mounts that others see; who is not root becomes a user of a namespace for that."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        _check(_libc.unshare(_CLONE_NEWNS), "unshare")
    else:
        _check(_libc.unshare(_CLONE_NEWNS | _CLONE_NEWUSER), "unshare")
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    _mount("", "/", "", _MS_REC | _MS_PRIVATE)


def _mirror(source: os.DirEntry[str], target: str) -> None:
    if source.is_symlink():
        os.symlink(os.readlink(source.path), target)
    elif source.is_dir() or source.is_file():
        os.mkdir(target) if source.is_dir() else _write(target, "")
        _mount(source.path, target, "", _MS_BIND | _MS_REC)


def _flags_of(path: str) -> int:
    """What a mount has and must keep: whoever is not root may take none of it away."""
    has = os.statvfs(path).f_flag
    return has & _KEPT | (_MS_RELATIME if has & _ST_RELATIME else 0)


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    texts = (source.encode(), target.encode(), kind.encode())
    _check(_libc.mount(*texts, ctypes.c_ulong(flags), data.encode()), target)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


_libc = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    try:
        mount(*sys.argv[1:5])
        os.mkdir(sys.argv[4])
        mount(*sys.argv[1:5])
    except (OSError, AttributeError) as error:
        sys.exit(str(error))
