"""Every service that the local AWS brings."""

from __future__ import annotations

from collections.abc import Callable

from local_aws.context import LocalContext
from local_aws.resources import ResourceTypes
from local_aws.service import Service
from local_aws.services.apigateway.service import ApiGateway
from local_aws.services.apigatewayv2.service import ApiGatewayV2
from local_aws.services.autoscaling.service import ApplicationAutoScaling
from local_aws.services.cloudformation.service import CloudFormation
from local_aws.services.cloudtrail.service import CloudTrail
from local_aws.services.cloudwatch.service import CloudWatch
from local_aws.services.codebuild.service import CodeBuild
from local_aws.services.dynamodb.service import DynamoDb, DynamoDbStreams
from local_aws.services.ec2.service import Ec2
from local_aws.services.ecr.service import Ecr
from local_aws.services.events.service import Events
from local_aws.services.iam.service import Iam
from local_aws.services.kms.service import Kms
from local_aws.services.lambda_.service import Lambda
from local_aws.services.logs.service import Logs
from local_aws.services.s3.service import S3
from local_aws.services.scheduler.service import Scheduler
from local_aws.services.secretsmanager.service import SecretsManager
from local_aws.services.sns.service import Sns
from local_aws.services.sqs.service import Sqs
from local_aws.services.ssm.service import Ssm
from local_aws.services.stepfunctions.service import StepFunctions
from local_aws.services.sts.service import Sts


def own_services(
    context: LocalContext, types: ResourceTypes, changed: Callable[..., None]
) -> tuple[Service, ...]:
    """Every service that the local AWS brings, in the order in which they end.

    ``types`` are what CloudFormation can deploy; it gets those of every service.
    ``changed(name)`` is called when a service has changed by itself, ``changed(name,
    at_once=True)`` when that is to be kept now.
    """
    cloudformation = CloudFormation(context, types, lambda: changed("cloudformation", at_once=True))
    return (
        cloudformation,
        cloudformation.cloud_control,
        StepFunctions(context),
        Lambda(context),
        ApiGateway(context),
        ApiGatewayV2(context),
        ApplicationAutoScaling(context, lambda: changed("application-autoscaling")),
        CloudTrail(),
        CloudWatch(context, lambda: changed("cloudwatch")),
        CodeBuild(),
        DynamoDb(),
        DynamoDbStreams(),
        Ec2(),
        Ecr(),
        Events(context),
        Iam(),
        Kms(),
        Logs(context),
        S3(context),
        Scheduler(),
        SecretsManager(),
        Sns(context),
        Sqs(),
        Ssm(),
        Sts(context),
        *map(Pretended, ("sagemaker", "sagemaker-runtime")),
    )


class Pretended(Service):
    """A service of which the emulator says that something runs, and nothing does.

    Every call of it is refused by name, unless another distribution brings the service.
    """

    whole = True

    def __init__(self, name: str) -> None:
        self.name = name
