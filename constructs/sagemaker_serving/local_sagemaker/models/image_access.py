"""May a role pull its model's image? Nothing is pulled here, but what a pull needs is judged."""

from __future__ import annotations

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from sagemaker_serving.catalog import parse_ecr_uri
from sagemaker_serving.local_sagemaker.models.roles import SESSION_NAME

_FOR_THE_REPOSITORY = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")
"""SageMaker developer guide, "CreateModel API: Execution Role Permissions", read 2026-11-21."""


class ImageRefused(Exception):
    """The role may not pull the image; the message is a FailureReason in AWS's words."""


def check_pull(context: LocalContext, role_arn: str | None, image: str) -> None:
    """Raise `ImageRefused` unless the role may do all that pulling the image takes.

    The repository's own policy is taken to let the account in, as those of
    AWS's images do. The message is AWS's for BatchGetImage
    (github.com/aws/sagemaker-python-sdk/issues/2002, read 2026-11-21), with
    the other actions' names in its place for those.
    """
    place = parse_ecr_uri(image)
    if place is None or role_arn is None:
        return
    session = context.sessions.assume(role_arn, SESSION_NAME)
    repository = arn_in(place.region, "ecr", place.account, f"repository/{place.repository}")
    needed = [("GetAuthorizationToken", "*")]
    needed += [(action, repository) for action in _FOR_THE_REPOSITORY]
    for action, resource in needed:
        if not context.evaluator.allows(session, f"ecr:{action}", resource):
            raise ImageRefused(
                f"The role '{role_arn}' does not have {action} permission for the image: '{image}'."
            )
