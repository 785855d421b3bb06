"""May a role pull its model's image? Nothing is pulled here, but what a pull needs is judged."""

from __future__ import annotations

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from sagemaker_serving.catalog.ecr import parse_ecr_uri
from sagemaker_serving.catalog.published import is_pulled_by_sagemaker
from sagemaker_serving.catalog.role_needs import GET_IMAGE, PULL_IMAGE
from sagemaker_serving.local_sagemaker.models.roles import SESSION_NAME


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
    repository = arn_in(place.region, "ecr", place.account, f"repository/{place.repository}")
    if is_pulled_by_sagemaker(repository):
        return
    session = context.sessions.assume(role_arn, SESSION_NAME)
    for action in sorted(PULL_IMAGE, key=lambda action: action != GET_IMAGE):
        resource = "*" if action == "ecr:GetAuthorizationToken" else repository
        if not context.evaluator.allows(session, action, resource):
            lacks = action.removeprefix("ecr:")
            raise ImageRefused(
                f"The role '{role_arn}' does not have {lacks} permission for the image: '{image}'."
            )
