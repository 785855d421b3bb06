"""Takes CDK apps that others wrote the whole way on the local AWS, and says what came of it.

``python -m tools.foreign_apps FOLDER``: every folder beneath FOLDER that has a cdk.json is an app.
Each is copied, synthesized by its own command, deployed by the CDK CLI, asked, updated (a tag) and
destroyed. The apps are read, not changed; none of them is part of this repository. What an app of
TypeScript imports is installed beforehand, by npm, in its folder or in one above it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from local_aws.process import ending_all
from tools.foreign_apps.apps import apps_in
from tools.foreign_apps.journey import Journey


def main() -> None:
    """Prints a line for each app."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.foreign_apps",
        description=(__doc__ or "").split("\n\n")[1],
    )
    parser.add_argument("folder", type=Path, help="the folder with the apps")
    parser.add_argument("--only", nargs="*", help="names of apps; absent: all")
    parser.add_argument("--region", default="us-east-1", help="default: %(default)s")
    parser.add_argument(
        "--logs", type=Path, help="a folder for the output of each app; absent: it is not kept"
    )
    given = parser.parse_args()
    apps = [app for app in apps_in(given.folder) if not given.only or app.name in given.only]
    if not apps:
        parser.error(f"there is no app in {given.folder}: no cdk.json beneath it")
    with ending_all(), Journey(given.region, given.logs) as journey:
        for number, app in enumerate(apps, 1):
            print(f"{number}/{len(apps)} {app.name}: {journey.take(app)}", flush=True)


if __name__ == "__main__":
    main()
