"""Where a function's process begins: by path, with the standard library alone.

``bootstrap.py REQUESTS ANSWERS IMPORT_PATH SUPERVISOR``: two pipes, a JSON list of folders, and
the file of `local_aws.process.supervisor`. From its fork on the parent supervises, with
little more than this in its memory, and the child is `runtime`.
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


if __name__ == "__main__":
    requests, answers = map(int, sys.argv[1:3])
    _take(sys.argv[4]).supervise(requests, of_the_child=(requests, answers))
    runtime = _take(__file__.removesuffix("bootstrap.py") + "runtime.py")
    runtime.main(requests, answers, sys.argv[3])
