"""SSM: parameters, which the emulator keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Service

from .resources import SsmParameter


def _below(call: Call) -> Iterator[str]:
    """GetParametersByPath names what its parameters are below."""
    path = first(call.parameters, "Path")
    if path is not None:
        yield f"parameter/{path.lstrip('/')}"


_BY_NAME = frozenset(
    {
        *("DeleteParameter", "DeleteParameters", "GetParameter", "GetParameterHistory"),
        *("GetParameters", "LabelParameterVersion", "PutParameter", "UnlabelParameterVersion"),
    }
)
_NAME = re.compile(r"arn:.*|([\w.-]+|(/[\w.-]+)+)(:[\w.-]+)?", re.ASCII)
_NO_NAME = (
    'Parameter name: can\'t be prefixed with "ssm" (case-insensitive). If formed as a path, it '
    "can consist of sub-paths divided by slash symbol; each sub-path can be formed as a mix of "
    "letters, numbers and the following 3 symbols .-_"
)
"""Source: SSM API reference, PutParameter; recorded by LocalStack's suite."""


class Ssm(Service):
    """SSM: parameters, which the emulator keeps."""

    name = "ssm"
    permissions = ServicePermissions(prefix="ssm", resources=_below)
    warm_up = "describe_parameters"
    types = (SsmParameter(),)

    def check(self, call: Call) -> None:
        """Raise `AwsError` ValidationException, too, for what can be no parameter's name."""
        super().check(call)
        if call.operation in _BY_NAME:
            given = call.parameters
            for name in [given["Name"]] if "Name" in given else given["Names"]:
                if _NAME.fullmatch(name) is None:
                    raise AwsError("ValidationException", _NO_NAME)

    def prepare(self) -> None:
        """Change the emulator."""
        from . import moto  # loading it takes long, and few ask for it

        moto.apply()
