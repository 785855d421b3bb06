"""CodeBuild, which the emulator answers."""

from __future__ import annotations

from local_aws.permissions.service import ServicePermissions
from local_aws.service import Service


class CodeBuild(Service):
    """CodeBuild, which the emulator answers."""

    name = "codebuild"
    invalid = "InvalidInputException"
    permissions = ServicePermissions(prefix="codebuild", resources={"projectName": "project/{}"})
