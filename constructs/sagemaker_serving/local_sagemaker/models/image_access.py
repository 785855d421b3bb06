"""May a role pull its model's image? Nothing is pulled here, but what a pull needs is judged."""

from __future__ import annotations

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from sagemaker_serving.catalog import parse_ecr_uri
from sagemaker_serving.local_sagemaker.models.roles import SESSION_NAME

_FOR_THE_LAYERS = ("BatchCheckLayerAvailability", "GetDownloadUrlForLayer")
"""SageMaker developer guide, "CreateModel API: Execution Role Permissions"."""


class ImageRefused(Exception):
    """The role may not pull the image; the message is a FailureReason in AWS's words."""


def check_pull(context: LocalContext, role_arn: str | None, image: str) -> None:
    """Raise `ImageRefused` unless the role may do all that pulling the image takes.

    BatchGetImage is missed first: SageMaker names it alone to roles that may
    pull other images (aws/deep-learning-containers#759,
    awslabs/aws-solutions-constructs#986) and to one that may pull none
    (bentoml/BentoML#1600). What it says of a role that lacks
    another of them is unverified. The repository's own policy is taken to let
    the account in, as those of AWS's images do.
    """
    place = parse_ecr_uri(image)
    if place is None or role_arn is None:
        return
    session = context.sessions.assume(role_arn, SESSION_NAME)
    repository = arn_in(place.region, "ecr", place.account, f"repository/{place.repository}")
    needed = [("BatchGetImage", repository), ("GetAuthorizationToken", "*")]
    needed += [(action, repository) for action in _FOR_THE_LAYERS]
    for action, resource in needed:
        if not context.evaluator.allows(session, f"ecr:{action}", resource):
            raise ImageRefused(
                f"The role '{role_arn}' does not have {action} permission for the image: '{image}'."
            )
