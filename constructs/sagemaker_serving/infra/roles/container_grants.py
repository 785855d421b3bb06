"""What containers' roles need beside their models: to write logs and metrics, to read packages."""

from __future__ import annotations

from aws_cdk import aws_iam as iam

from sagemaker_serving.catalog.variables import PRIVATE_PACKAGES, PRIVATE_REPOSITORY
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard, acknowledge_wildcards
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import colon_arn


def grant_logs_and_metrics(role: iam.IRole, log_group_prefix: str, namespace: str) -> None:
    """Lets containers write to log groups and put metrics into one namespace, and nothing else.

    The groups are those whose names begin with ``log_group_prefix``. SageMaker makes these itself
    where they are not there, in the role's name. Sources: SageMaker developer guide, "How to use
    SageMaker AI execution roles", whose lists all have these four actions of logs, and "Metrics for
    monitoring Amazon SageMaker AI with Amazon CloudWatch".
    """
    groups = colon_arn(role, "logs", "log-group", f"{log_group_prefix}*")
    write = ["CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents"]
    grant(role, [f"logs:{action}" for action in write], groups)
    grant(
        role,
        ["cloudwatch:PutMetricData"],
        "*",
        conditions={"StringEquals": {"cloudwatch:namespace": namespace}},
    )
    acknowledge_wildcards(
        role,
        {
            groups: "SageMaker names the log streams below this group itself, as it runs",
            "*": "cloudwatch:PutMetricData and ecr:GetAuthorizationToken know no resources; the "
            "first is bound to one namespace by a condition, the second reads a token only",
        },
    )


def grant_shell(role: iam.IRole) -> None:
    """Lets an instance open Session Manager's channels, by which a shell reaches its containers.

    Source: SageMaker developer guide, "Access containers through SSM", Resource "*" included.
    """
    channels = [
        f"{verb}{kind}Channel" for verb in ("Create", "Open") for kind in ("Control", "Data")
    ]
    grant(role, [f"ssmmessages:{action}" for action in channels], "*")
    acknowledge_wildcard(
        role, "*", "ssmmessages: the channels of Session Manager know no resources"
    )


def grant_packages(role: iam.IRole, repository_arn: str) -> None:
    """Lets containers install packages from a CodeArtifact repository, and from no other.

    Raises `Mistake` for what is no ARN of one. Source: what Ray Serve's image calls
    (aws/deep-learning-containers e0ecede, sagemaker_serve.py), and for the bearer token
    AWSCodeArtifactReadOnlyAccess.
    """
    found = PRIVATE_REPOSITORY.fullmatch(repository_arn)
    if found is None:
        raise Mistake(
            f"{PRIVATE_PACKAGES} is {repository_arn!r}; it must be "
            "arn:aws:codeartifact:<region>:<account>:repository/<domain>/<repository>"
        )
    for actions, resource in (
        (["GetAuthorizationToken"], f"{found[1]}:domain/{found[2]}"),
        (["GetRepositoryEndpoint", "ReadFromRepository"], repository_arn),
    ):
        grant(role, [f"codeartifact:{action}" for action in actions], resource)
    grant(
        role,
        ["sts:GetServiceBearerToken"],
        "*",
        conditions={"StringEquals": {"sts:AWSServiceName": "codeartifact.amazonaws.com"}},
    )
    acknowledge_wildcard(
        role,
        "*",
        "sts:GetServiceBearerToken knows no resources; a condition binds it to CodeArtifact",
    )
