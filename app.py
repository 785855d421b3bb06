"""The CDK app: every environment file as a Stage.

``-c env=prod`` builds only that one, with the app itself as its Stage: the CDK
CLI's ``--all`` finds no stacks in Stages below the app. ``-c
account=123456789012`` deploys to that account, whatever the file says, as the
local AWS does with its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.errors import ServingError, Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import EnvironmentFile, read_environment
from stacks import EnvironmentStage, add_environment

ENVIRONMENTS = Path("environments")


def main() -> None:
    """Reads, checks and builds the environments; every problem is said before anything is built."""
    app = cdk.App()
    wanted = app.node.try_get_context("env")
    account = app.node.try_get_context("account")
    try:
        for file in sound_environments(wanted):
            assert file.environment is not None
            folder = file.path.parent
            if wanted is None:
                EnvironmentStage(app, file.environment, folder=folder, account=account)
            else:
                alone = Construct(app, wanted)
                add_environment(alone, file.environment, folder=folder, account=account)
        app.synth()
    except ServingError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_status) from None


def sound_environments(wanted: str | None) -> list[EnvironmentFile]:
    """The environment files asked for; ends the program when one of them has an error.

    ``wanted`` is an environment's name; None asks for all of them.
    """
    paths = (
        sorted(ENVIRONMENTS.glob("*.yaml")) if wanted is None else [ENVIRONMENTS / f"{wanted}.yaml"]
    )
    files = [read_environment(path) for path in paths]
    problems = [problem for file in files for problem in check_environment(file)]
    for problem in problems:
        print(f"{problem.severity}: {problem}", file=sys.stderr)
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise SystemExit(2)
    return files


if __name__ == "__main__":
    main()
