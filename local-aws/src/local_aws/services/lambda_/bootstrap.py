"""Where a function's process begins: by path, with the standard library alone.

``bootstrap.py REQUESTS ANSWERS IMPORT_PATH SUPERVISOR PROGRAM [TASK RUNTIME LAYERS STAGE]``: two
pipes, a JSON list of folders, the file of `local_aws.process.supervisor`, the command of a runtime
that is not this Python, line by line, and what `mounts` is to put into place. From its fork on the
parent supervises, with little more than this in its memory, and the child is the runtime.

``bootstrap.py boto3 FORKING SHOWN RUNTIME STAGE SUPERVISOR SOCKET`` imports boto3 from the folder
SHOWN, where RUNTIME is put unless that is empty, and begins as above in a fork of itself at each
request over the socket (`local_aws.process.forking`). Such a fork is the runtime only where its
function would have come to the same boto3 in the same way.
"""

import gc
import os
import resource
import sys
import time
from types import ModuleType

_READ_AT_START = ("GCONV_", "GLIBC_", "LC_", "LD_", "LOCPATH", "MALLOC_", "OPENSSL_")
"""What the loader, the C library and OpenSSL read once, before boto3 is imported: their manuals'
"Environment"."""


def _take(path: str) -> ModuleType:
    """A module of ours, from its bytecode, under no name that the function's code may want."""
    folder, file = os.path.split(path)
    sys.path.insert(0, folder)
    try:
        return __import__(file.removesuffix(".py"))
    finally:
        del sys.path[0], sys.modules[file.removesuffix(".py")]


def _limit_files() -> None:
    """A function may have 1,024 files open ("File descriptors" of Lambda's quotas,
    docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html)."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = 1024 if most == resource.RLIM_INFINITY else min(1024, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


def _execute(program: list[str], *given: object) -> None:
    """Become another program."""
    os.environ["_LOCAL_AWS_RUNTIME"] = "\n".join(map(str, given))
    os.execvp(program[0], program)


class _Looked:
    """Notes by their first part the modules that are looked for, found or not."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(self, name: str, *_: object) -> None:
        self.names.add(name.partition(".")[0])


def _forked(
    forking: str, shown: str, runtime: str, stage: str, supervisor: str, asking: str
) -> tuple[frozenset[str], str]:
    """Import boto3, and return in a fork alone, whose arguments are those of a process without.

    What importing it has looked for beside what each function's process imports, and ``shown``.
    """
    here = __file__.removesuffix("bootstrap.py")
    mounts, *_ = (_take(each) for each in (f"{here}mounts.py", f"{here}runtime.py", supervisor))
    if runtime:
        os.makedirs(stage, exist_ok=True)  # noqa: PTH103
        mounts.mount(runtime, runtime, "", stage)
    looked = _Looked()
    sys.meta_path.insert(0, looked)
    server = _take(forking)
    sys.path.insert(0, shown)
    __import__("boto3")
    del sys.path[0]
    sys.path_importer_cache.pop(shown, None)
    sys.meta_path.remove(looked)
    # What has been imported is nobody's garbage: collecting would copy the pages that forks share.
    gc.collect()
    gc.freeze()
    asked = server.serve(server.socket.socket(fileno=int(asking)))
    if asked is None:
        os._exit(0)
    request, (requests, answers, output) = asked
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["directory"])
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    for descriptor in (requests, answers):
        os.set_inheritable(descriptor, True)
    sys.argv[1:] = [str(requests), str(answers), *request["arguments"]]
    return frozenset(looked.names - {"forking"}), shown


def _differs(looked: frozenset[str], shown: str, import_path: str) -> bool:
    """Whether a new process would have imported something else for boto3, or otherwise."""
    json = sys.modules["json"]
    folders = json.loads(import_path)
    for folder in folders[: folders.index(shown)]:
        try:
            if looked & {name.partition(".")[0] for name in os.listdir(folder)}:  # noqa: PTH208
                return True
        except FileNotFoundError:
            continue
        except OSError:  # an archive, as a module of which anything may be
            return True
    for folder in os.environ["LD_LIBRARY_PATH"].split(os.pathsep):
        if os.path.isdir(folder) and any(".so" in name for name in os.listdir(folder)):  # noqa: PTH112, PTH208
            return True
    return any(name.startswith(_READ_AT_START) and name != "LD_LIBRARY_PATH" for name in os.environ)


if __name__ == "__main__":
    forked = _forked(*sys.argv[2:]) if sys.argv[1] == "boto3" else None
    requests, answers = map(int, sys.argv[1:3])
    _take(sys.argv[4]).supervise(requests, of_the_child=(requests, answers))
    here = __file__.removesuffix("bootstrap.py")
    _limit_files()
    if sys.argv[6:]:
        mounts = _take(f"{here}mounts.py")
        mounts.mount(*sys.argv[6:])
        os.chdir(mounts.TASK_ROOT)
    if sys.argv[5] or (forked and _differs(*forked, sys.argv[3])):
        python = [sys.executable, "-I", "-S", "-u", f"{here}runtime.py"]
        program = sys.argv[5].splitlines() or python
        _execute(program, requests, answers, sys.argv[3])
    _take(f"{here}runtime.py").main(requests, answers, sys.argv[3])
