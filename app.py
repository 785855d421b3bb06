"""The CDK app: every environment file as a Stage, but bases that others extend (``_base.yaml``).

``-c env=prod`` builds only that one, with the app itself as its Stage: the CDK
CLI's ``--all`` finds no stacks in Stages below the app. ``-c
account=123456789012`` deploys to that account, whatever the file says, as the
local AWS does with its own; ``-c organization=none`` leaves out what an organization
demands, whose boundary, roles and bootstrap the local AWS does not have. ``-c
nag=AwsSolutions`` runs that pack of cdk-nag, or several: ``NIST,PCI,HIPAA,Serverless``.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import aws_cdk as cdk
from constructs import Construct, IConstruct

from sagemaker_serving.errors import Problem, ReportedError, Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import EnvironmentFile, Organization, read_environment
from sagemaker_serving.spec.reading import environment_path
from stacks import EnvironmentStage, add_environment
from stacks.organization import roles_missing
from stacks.provenance import provenance_of
from stacks.scanning import acknowledged_of, add_packs, packs_named, stop_at_findings

ENVIRONMENTS = Path("environments")


def main() -> None:
    """Reads, checks and builds the environments; every problem is said before anything is built."""
    gc.disable()  # a synth ends before anything is garbage: looking for it takes a tenth of it
    app = cdk.App()
    wanted = app.node.try_get_context("env")
    account = app.node.try_get_context("account")
    nag = app.node.try_get_context("nag")
    provenance = provenance_of(Path.cwd())
    try:
        packs = packs_named(nag) if nag is not None else []
        for file, warnings in sound_environments(wanted):
            assert file.environment is not None
            environment = file.environment
            if app.node.try_get_context("organization") == "none":
                environment = environment.model_copy(update={"organization": Organization()})
            folder = file.path.parent
            scope: Construct
            if wanted is None:
                scope = EnvironmentStage(
                    app, environment, folder=folder, account=account, provenance=provenance
                )
            else:
                scope = Construct(app, file.path.stem)
                add_environment(
                    scope, environment, folder=folder, account=account, provenance=provenance
                )
            for problem in warnings:
                cdk.Validations.of(_stack(scope, problem)).add_warning(problem.rule, str(problem))
        if packs:
            add_packs(app, packs)
        assembly = app.synth()
        if packs:
            for line in acknowledged_of(app, packs):
                print(f"acknowledged: {line}", file=sys.stderr)
            if wanted is None:
                stop_at_findings(Path(assembly.directory))
    except ReportedError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_status) from None
    except RuntimeError as error:
        if not (missing := roles_missing(error)):
            raise
        print(*missing, sep="\n", file=sys.stderr)
        raise SystemExit(2) from None


def sound_environments(wanted: str | None) -> list[tuple[EnvironmentFile, list[Problem]]]:
    """The environment files asked for, each with its warnings.

    Ends the program when one of them has an error, with every problem said
    first: file, line, and the construct that would be built of it. ``wanted`` is an
    environment's name; None asks for all of them.
    """
    paths = (
        sorted(ENVIRONMENTS.glob("[!_]*.yaml")) if wanted is None else [environment_path(wanted)]
    )
    files = [read_environment(path) for path in paths]
    checked = [
        (file, [found for found in check_environment(file) if found.severity is not Severity.NOTE])
        for file in files
    ]
    problems = [(file, problem) for file, found in checked for problem in found]
    if any(problem.severity is Severity.ERROR for _, problem in problems):
        for file, problem in problems:
            place = "/".join((file.path.stem, *_model(problem)))
            print(f"{problem.severity}: {problem} [{problem.rule}] at /{place}", file=sys.stderr)
        raise SystemExit(2)
    return checked


def _model(problem: Problem) -> tuple[str, ...]:
    """The name of the model that a problem is about, which is its stack's id."""
    path = problem.where.path
    return (str(path[1]),) if path[:1] == ("models",) and len(path) > 1 else ()


def _stack(scope: Construct, problem: Problem) -> IConstruct:
    """The model's stack, or the environment as a whole."""
    found = scope.node.try_find_child(*_model(problem)) if _model(problem) else None
    return found if found is not None else scope


if __name__ == "__main__":
    main()
