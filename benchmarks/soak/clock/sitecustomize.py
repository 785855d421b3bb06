"""Loaded by every Python of the local AWS under test; moves the clock of its own process alone."""

import os
import sys
from pathlib import Path


def _follow(path: str) -> None:
    """Travels by as many seconds as the file says, whenever it says other ones."""
    import time

    import time_machine

    traveller, was, sleep, clock = None, 0, time.sleep, time.monotonic
    offset = time.time() - clock()
    while True:
        wanted = int(Path(path).read_text(encoding="utf-8") or was)
        if wanted != was:
            if traveller is not None:
                traveller.stop()
                traveller = None
            if wanted:
                traveller = time_machine.travel(offset + clock() + wanted, tick=True)
                traveller.start()
            was = wanted
        sleep(0.5)


if "local_aws.daemon" in sys.orig_argv and "SOAK_CLOCK" in os.environ:
    import threading

    threading.Thread(target=_follow, args=(os.environ["SOAK_CLOCK"],), daemon=True).start()
