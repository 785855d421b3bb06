"""``make acceptance``: the scenario on the local AWS, or on an account of one's own."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from local_aws.process import ending_all
from sagemaker_serving.errors import Failure, Mistake, ReportedError
from tests.acceptance.comparison import compare
from tests.acceptance.plan import LIMIT_MINUTES, ask_prices, plan
from tests.acceptance.project import HERE, ROOT, Project
from tests.acceptance.recording import Recording
from tests.acceptance.scenario import DEPLOYED, Scenario
from tests.acceptance.site import Site, account_site, local_site
from tests.acceptance.takedown import Takedown

STATE = ROOT / ".sagemaker-serving" / "acceptance"


def main() -> None:
    """Exit status 0 when all went well, and the local AWS answered as what is recorded."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance", description=__doc__)
    parser.add_argument("--account", default="", help="the AWS account; without: the local AWS")
    parser.add_argument("--region", default="", help="the region (default eu-west-1)")
    parser.add_argument("--yes", action="store_true", help="do not ask before anything is made")
    parser.add_argument("--recordings", type=Path, default=HERE / "recordings")
    parser.add_argument(
        "--poll-seconds", type=float, default=2.0, help="between looks at what is waited for (2)"
    )
    parser.add_argument(
        "--look-seconds", type=float, default=2.0, help="between looks at a rollout's states (2)"
    )
    options = parser.parse_args()
    region = options.region or "eu-west-1"
    run = _Run()
    try:
        if options.account:
            site = account_site(
                options.account,
                region,
                poll_seconds=options.poll_seconds,
                look_seconds=options.look_seconds,
            )
            _confirm(site, yes=options.yes)
            run.limit(LIMIT_MINUTES)
            run.play(site, options.recordings / f"aws-{region}.json")
        else:
            with ending_all(), local_site(STATE / "aws", region) as site:
                run.play(site, STATE / "local.json")
            _compare(STATE / "local.json", options.recordings)
    except ReportedError as error:
        print(f"acceptance: {error}", file=sys.stderr)
        raise SystemExit(error.exit_status) from None
    except KeyboardInterrupt:
        print("acceptance: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


class _Run:
    """Ends on Ctrl-C, SIGTERM and SIGHUP, and when its time is over; then takes down."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._end: Callable[[], BaseException] | None = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self._come(KeyboardInterrupt))

    def limit(self, minutes: int) -> None:
        told = f"the run took longer than {minutes} minutes and was ended; see what it waited for"
        signal.signal(signal.SIGALRM, lambda *_: self._come(lambda: Failure(told)))
        signal.alarm(minutes * 60)

    def play(self, site: Site, recording: Path) -> None:
        """Writes what was answered, also of a run that failed."""
        with tempfile.TemporaryDirectory(prefix="acceptance-") as folder:
            scenario = Scenario(site, Path(folder), self._tell)
            takedown = Takedown(site, self._say)
            if found := [each["StackName"] for each in takedown.found()]:
                self._say(f"an earlier run has left {', '.join(found)}")
                _must_be_gone(takedown.take_down())
            try:
                scenario.play()
            finally:
                self._hear_no_more()
                _must_be_gone(takedown.take_down())
                scenario.recording().save(recording)
                self._say(f"recorded in {recording}")
        self._say("done, and nothing is left")

    def _tell(self, step: str) -> None:
        """Remembered too, since Python drops what is raised in some callback of its own."""
        if self._end is not None:
            raise self._end()
        self._say(step)

    def _say(self, text: str) -> None:
        print(f"{time.monotonic() - self._began:7.1f} s  {text}", flush=True)

    def _come(self, end: Callable[[], BaseException]) -> None:
        self._end = end
        raise end()

    def _hear_no_more(self) -> None:
        signal.alarm(0)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self._say("taking down what was made; please wait"))


def _confirm(site: Site, *, yes: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), site)
        environments = [project.environment(*overlays) for overlays in DEPLOYED]
    print(f"on the account {site.account}, ", end="")
    print(*plan(environments, site.region, ask_prices(site.aws, site.region)), sep="\n", flush=True)
    if yes:
        return
    print("write yes to go on: ", end="", flush=True)
    if sys.stdin.readline().strip() != "yes":
        raise Mistake("nothing was made; write yes when asked, or set YES=1")


def _must_be_gone(left: list[str]) -> None:
    if left:
        raise Failure(
            "this could not be taken down, and may cost: " + "; ".join(left) + "; run it again, "
            "which takes it down first, or delete it in the console"
        )


def _compare(path: Path, recordings: Path) -> None:
    """Says where the local AWS answered otherwise than what is recorded of AWS."""
    of_aws = sorted(recordings.glob("aws-*.json"))
    if not of_aws:
        print(f"no recording of AWS lies in {recordings}: there is nothing to compare with")
    differences = 0
    for each in of_aws:
        found = compare(Recording.load(path), Recording.load(each))
        print(f"the local AWS | {each.name}: {len(found)} differences", *found, sep="\n  ")
        differences += len(found)
    if differences:
        raise Failure(f"the local AWS answered otherwise {differences} times")


if __name__ == "__main__":
    main()
