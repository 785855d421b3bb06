"""Changes to the emulator's IAM: what it lacks, and what it answers otherwise than AWS.

What AWS answers was recorded by LocalStack's suite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from moto.core.config import default_user_config
from moto.core.responses import EmptyResult
from moto.core.serialize import never_return, url_encode
from moto.iam.models import IAMBackend, Role, User
from moto.iam.responses import IamResponse

from local_aws.emulator.replacing import Original, replaces
from local_aws.protocol.models import service_model


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    know_managed_policies()
    answer_as_aws()
    bound_users()


def know_managed_policies() -> None:
    """CDK's bootstrap roles have AWS's managed policies, which the emulator has on demand only.

    It reads all 1,600 of them for each account, in a tenth of a second. Here the first account of
    a partition reads them, and each has a copy.
    """
    default_user_config["iam"] = {"load_aws_managed_policies": True}

    @replaces(IAMBackend, "_init_aws_policies")
    def init_aws_policies(original: Original, backend: Any) -> list[Any]:
        if backend.partition not in _READ:
            _READ[backend.partition] = original(backend)
        return [_of_account(policy, backend.account_id) for policy in _READ[backend.partition]]


_READ: dict[str, list[Any]] = {}
"""AWS's policies by partition, kept for the next gateway of this process, too."""


def answer_as_aws() -> None:
    """Every policy's document is encoded for a URL; a role's creation tells less than GetRole."""
    answers = IamResponse.RESPONSE_KEY_PATH_TO_TRANSFORMER
    model = service_model("iam")
    for name in model.operation_names:
        shape = model.operation_model(name).output_shape
        if shape is not None:
            answers |= dict.fromkeys(_documents(shape, shape.name), url_encode)
    for member in ("MaxSessionDuration", "RoleLastUsed"):
        answers[f"CreateRoleResponse.Role.{member}"] = never_return


def bound_users() -> None:
    """The emulator knows no permissions boundary of a user, and names a role's by another type."""

    @replaces(IamResponse, "create_user")
    def create_user(original: Original, response: Any) -> Any:
        answer = original(response)
        _bound(response, answer.result["User"])
        return answer

    def put_user_permissions_boundary(response: Any) -> Any:
        _bound(response, response.backend.get_user(response._get_param("UserName")))
        return EmptyResult()

    def delete_user_permissions_boundary(response: Any) -> Any:
        response.backend.get_user(response._get_param("UserName")).permissions_boundary = None
        return EmptyResult()

    Role.permissions_boundary = property(lambda role: _boundary(role.permissions_boundary_arn))
    User.permissions_boundary = None
    IamResponse.put_user_permissions_boundary = put_user_permissions_boundary
    IamResponse.delete_user_permissions_boundary = delete_user_permissions_boundary


def _of_account(policy: Any, account_id: str) -> Any:
    copied = _copy(policy)
    copied.account_id, copied.tags = account_id, dict(policy.tags)
    copied.versions = [_copy(version) for version in policy.versions]
    return copied


def _copy(found: Any) -> Any:
    """As `copy.copy` does it for objects like these, without looking for how, 3,000 times."""
    copied = object.__new__(type(found))
    vars(copied).update(vars(found))
    return copied


def _bound(response: Any, user: Any) -> None:
    """Give a user the boundary that the request names."""
    arn = response._get_param("PermissionsBoundary")
    if arn:
        response.backend.get_policy(arn)  # it must be there
        user.permissions_boundary = _boundary(arn)


def _boundary(arn: str | None) -> dict[str, str] | None:
    if not arn:
        return None
    return {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": arn}


def _documents(shape: Any, path: str) -> Iterator[str]:
    """Where policies' documents stand in an answer, as the emulator spells its places."""
    if shape.name == "policyDocumentType":
        yield path
    elif shape.type_name == "list":
        yield from _documents(shape.member, f"{path}.{shape.member.name}")
    elif shape.type_name == "structure" and shape.name != "PolicyDetail":  # encoded by itself
        for name, member in shape.members.items():
            yield from _documents(member, f"{path}.{name}")
