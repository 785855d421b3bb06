"""Values that stacks of one region share: exported by one, imported by others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from local_aws.services.cloudformation.engine.refusals import validation_error
from local_aws.services.cloudformation.engine.stacks import Output, Stack, Stacks


class Exports:
    """The exports of every living stack, read from the stacks themselves."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks

    def value(self, region: str, name: str) -> str:
        """An export's value; AwsError ``ValidationError`` when no stack exports the name."""
        value = self.find(region, name)
        if value is None:
            raise validation_error(f"No export named {name} found")
        return value

    def find(self, region: str, name: str) -> str | None:
        """An export's value, None when no stack exports the name."""
        return next((each.value for _, each in self.all(region) if each.export == name), None)

    def all(self, region: str) -> list[tuple[Stack, Output]]:
        """Every exported output with its stack."""
        return [
            (stack, output)
            for stack in self._stacks.living(region)
            for output in list(stack.version.outputs.values())
            if output.export is not None
        ]

    def importers(self, region: str, name: str) -> list[str]:
        """The names of the stacks that import ``name``."""
        return [
            stack.name for stack in self._stacks.living(region) if name in stack.version.imports
        ]

    def in_use(self, stack: Stack) -> str | None:
        """Why the stack cannot be deleted: one of its exports is imported; None when it can."""
        return self._broken(stack, {})

    def check(self, stack: Stack, outputs: Iterable[Output]) -> None:
        """Refuse outputs that take another stack's export name, or away or change one in use.

        Raises AwsError ``ValidationError`` in CloudFormation's words.
        """
        new = {output.export: output.value for output in outputs}
        for other, output in self.all(stack.region):
            if other is not stack and output.export in new:
                raise validation_error(
                    f"Export with name {output.export} is already exported by stack {other.name}."
                )
        broken = self._broken(stack, new)
        if broken is not None:
            raise validation_error(broken)

    def _broken(self, stack: Stack, new: Mapping[str | None, str]) -> str | None:
        """Which export in use is absent from ``new`` or has another value there."""
        for output in (stack.stable or stack.version).outputs.values():
            if output.export is None or new.get(output.export) == output.value:
                continue
            users = self.importers(stack.region, output.export)
            if users:
                verb = "updated" if output.export in new else "deleted"
                return (
                    f"Export {output.export} cannot be {verb} as it is in use by "
                    f"{' and '.join(users)}"
                )
        return None
