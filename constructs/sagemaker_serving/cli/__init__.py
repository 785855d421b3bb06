"""The command line, of which nothing is imported before it runs."""

from __future__ import annotations

from local_aws.interrupts import end_without_a_word


def main() -> None:
    """Runs ``sagemaker-serving``: exit status 2 for a user error, 1 for any other failure."""
    end_without_a_word()
    from local_aws.cli.running import run
    from local_aws.program import Program
    from sagemaker_serving.cli.commands import group

    run(group, Program("sagemaker-serving local"))
