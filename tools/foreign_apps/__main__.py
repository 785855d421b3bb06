"""Takes CDK apps that others wrote the whole way on the local AWS, and writes what came of it.

``python -m tools.foreign_apps FOLDER``: every folder beneath FOLDER that has a cdk.json is an app.
Each is copied, synthesized by its own command, deployed by the CDK CLI, asked, updated (a tag) and
destroyed. The apps are read, not changed; none of them is part of this repository. What an app of
TypeScript imports is installed beforehand, by npm, in its folder or in one above it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from local_aws.process import ending_all
from tools.foreign_apps.apps import App, apps_in
from tools.foreign_apps.journey import Journey, Outcome
from tools.foreign_apps.page import page


def main() -> None:
    """Prints a line for each app; with --page, writes the page of all."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.foreign_apps",
        description=(__doc__ or "").split("\n\n")[1],
    )
    parser.add_argument("folder", type=Path, help="the folder with the apps")
    parser.add_argument("--only", nargs="*", help="names of apps; absent: all")
    parser.add_argument(
        "--results",
        type=Path,
        help="keep what came of each app here, a line of JSON for each; those that it has are not "
        "run again, unless --only names them",
    )
    parser.add_argument(
        "--page", type=Path, help="write what came of all, with those of --results, as Markdown"
    )
    parser.add_argument("--region", default="us-east-1", help="default: %(default)s")
    parser.add_argument(
        "--logs", type=Path, help="a folder for the output of each app; absent: it is not kept"
    )
    given = parser.parse_args()
    apps = [app for app in apps_in(given.folder) if not given.only or app.name in given.only]
    if not apps:
        parser.error(f"there is no app in {given.folder}: no cdk.json beneath it")
    outcomes = _kept(given.results)
    if not given.only:
        apps = [app for app in apps if app.name not in outcomes]
    with ending_all(), Journey(given.region, given.logs) as journey:
        for number, app in enumerate(apps, 1):
            outcomes[app.name] = _told(journey, app, f"{number}/{len(apps)}")
            if given.results is not None:
                with given.results.open("a", encoding="utf-8") as results:
                    results.write(f"{outcomes[app.name].as_json()}\n")
    if given.page is not None:
        known = [outcomes[name] for name in sorted(outcomes)]
        given.page.write_text(page(known), encoding="utf-8")


def _kept(results: Path | None) -> dict[str, Outcome]:
    """The latest outcome of each app, by its name."""
    if results is None or not results.exists():
        return {}
    lines = results.read_text(encoding="utf-8").splitlines()
    return {outcome.name: outcome for outcome in map(Outcome.from_json, lines)}


def _told(journey: Journey, app: App, count: str) -> Outcome:
    outcome = journey.take(app)
    print(f"{count} {app.name}: {outcome}", file=sys.stdout, flush=True)
    return outcome


if __name__ == "__main__":
    main()
