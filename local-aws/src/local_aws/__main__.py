"""``local-aws``, or ``python -m local_aws``: the command line, where the extra ``run`` is."""

from __future__ import annotations

from local_aws.interrupts import end_without_a_word


def main() -> None:
    """Runs ``local-aws``: exit status 2 for the user's mistake, 1 for the world's."""
    end_without_a_word()
    import sys

    from local_aws.errors import Mistake
    from local_aws.extras import need_run

    try:
        need_run()
    except Mistake as missing:
        print(f"local-aws: {missing}", file=sys.stderr)
        sys.exit(missing.exit_status)
    from local_aws.cli import commands
    from local_aws.cli.running import run
    from local_aws.program import Program

    run(commands, Program("local-aws"))


if __name__ == "__main__":
    main()
