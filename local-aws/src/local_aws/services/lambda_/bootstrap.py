"""Where a function's process begins: by path, with the standard library alone.

``bootstrap.py REQUESTS ANSWERS IMPORT_PATH SUPERVISOR [TASK RUNTIME STAGE]``: two pipes, a JSON
list of folders, the file of `local_aws.process.supervisor`, and what `mounts` is to put into
place. From its fork on the parent supervises, with little more than this in its memory, and the
child is `runtime`: by the program that AWS_LAMBDA_EXEC_WRAPPER names, where it does ("Modifying the
runtime environment", read 2026-11-22).
"""

import os
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


def _execute(wrapper: str, runtime: str, *given: object) -> None:
    """Become the wrapper, which gets the runtime's program as its arguments, its file last."""
    os.environ["_LOCAL_AWS_RUNTIME"] = "\n".join(map(str, given))
    try:
        os.execv(wrapper, [wrapper, sys.executable, "-I", "-S", "-u", runtime])
    except OSError as error:
        print(f"{wrapper}: {error.strerror}", flush=True)
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    requests, answers = map(int, sys.argv[1:3])
    _take(sys.argv[4]).supervise(requests, of_the_child=(requests, answers))
    here = __file__.removesuffix("bootstrap.py")
    if sys.argv[5:]:
        mounts = _take(f"{here}mounts.py")
        mounts.mount(*sys.argv[5:])
        os.chdir(mounts.TASK_ROOT)
    wrapper = os.environ.get("AWS_LAMBDA_EXEC_WRAPPER")
    if wrapper:
        _execute(wrapper, f"{here}runtime.py", requests, answers, sys.argv[3])
    _take(f"{here}runtime.py").main(requests, answers, sys.argv[3])
