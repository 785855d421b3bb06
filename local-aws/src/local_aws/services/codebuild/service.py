"""CodeBuild, which the emulator answers."""

from __future__ import annotations

from local_aws.permissions.service import ServicePermissions
from local_aws.service import Limit, Service


class CodeBuild(Service):
    """CodeBuild, which the emulator answers."""

    name = "codebuild"
    limits = (Limit("builds", "run nothing, and are answered as succeeded"),)
    invalid = "InvalidInputException"
    permissions = ServicePermissions(prefix="codebuild")
