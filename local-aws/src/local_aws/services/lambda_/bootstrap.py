"""Where a function's process begins: by path, with the standard library alone.

``bootstrap.py REQUESTS ANSWERS IMPORT_PATH SUPERVISOR PROGRAM [TASK RUNTIME LAYERS STAGE]``: two
pipes, a JSON list of folders, the file of `local_aws.process.supervisor`, the command of a runtime
that is not this Python, line by line, and what `mounts` is to put into place. From its fork on the
parent supervises, with little more than this in its memory, and the child is the runtime: by the
program that AWS_LAMBDA_EXEC_WRAPPER names, where it does ("Modifying the runtime environment").
"""

import os
import resource
import sys
from types import ModuleType


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
    """Become another program; a wrapper gets the runtime's as its arguments, its file last."""
    os.environ["_LOCAL_AWS_RUNTIME"] = "\n".join(map(str, given))
    try:
        os.execvp(program[0], program)
    except OSError as error:
        print(f"{program[0]}: {error.strerror}", flush=True)
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    requests, answers = map(int, sys.argv[1:3])
    _take(sys.argv[4]).supervise(requests, of_the_child=(requests, answers))
    here = __file__.removesuffix("bootstrap.py")
    _limit_files()
    if sys.argv[6:]:
        mounts = _take(f"{here}mounts.py")
        mounts.mount(*sys.argv[6:])
        os.chdir(mounts.TASK_ROOT)
    wrapper = os.environ.get("AWS_LAMBDA_EXEC_WRAPPER")
    if wrapper or sys.argv[5]:
        python = [sys.executable, "-I", "-S", "-u", f"{here}runtime.py"]
        program = sys.argv[5].splitlines() or python
        _execute([*filter(None, [wrapper]), *program], requests, answers, sys.argv[3])
    _take(f"{here}runtime.py").main(requests, answers, sys.argv[3])
