"""What compiles models in a stack: two functions, a state machine, and the role of the jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from constructs import Construct

from sagemaker_serving import log_groups
from sagemaker_serving.infra.functions.machine_provider import MachineProvider
from sagemaker_serving.infra.network.network import network_of
from sagemaker_serving.infra.roles.container_grants import grant_logs_and_metrics
from sagemaker_serving.infra.roles.execution_role import ExecutionRole
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import partition, stack_of
from sagemaker_serving.spec.compilation_job import JOB_PREFIX
from sagemaker_serving.spec.places import COMPILED

if TYPE_CHECKING:
    from aws_cdk import aws_ec2 as ec2
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs
    from aws_cdk import aws_s3 as s3

    from sagemaker_serving.infra.network.network import Network


class NeoCompiler(Construct):
    """The custom resource's provider, once per stack; `NeoCompilation` is what it makes.

    CloudFormation calls a function that begins an execution of the state machine; the machine
    calls the other function step by step, waits while the job runs, and answers. So neither
    Lambda's 15 minutes nor a crash of any step bounds a job: CloudFormation's hour does.

    :param bucket: takes the compiled models, below ``compiled/<job>/``.
    :param vpc: a VPC that the jobs stand in; absent, SageMaker's own network. This and
        ``vpc_subnets``, ``security_groups`` and ``network`` are `Model`'s.
    :param job_role: what the jobs run as; made here unless given, and so are the next two.
    :param function_role: what both functions run as.
    :param state_machine_role: what the state machine runs as.
    :param log_group: what functions and machine write to; made here, three of them, unless given.
    :param retain_logs: whether the logs made here outlive the stack.
    :param encryption_key: encrypts these logs, and CloudWatch Logs is let use it; absent,
        CloudWatch's own key does.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        bucket: s3.IBucket,
        network: Network | None = None,
        vpc: ec2.IVpc | None = None,
        vpc_subnets: ec2.SubnetSelection | None = None,
        security_groups: Sequence[ec2.ISecurityGroup] = (),
        job_role: iam.IRole | None = None,
        function_role: iam.IRole | None = None,
        state_machine_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.bucket = bucket
        """Where the compiled models lie."""
        self.network = network_of(self, network, vpc, vpc_subnets, security_groups)
        """Where the jobs stand, None for SageMaker's own network."""
        self.role: iam.IRole = job_role if job_role is not None else ExecutionRole(self, "Role")
        """The role of the jobs: reads the models, writes the compiled ones.

        The developer guide lets such roles put metrics, too; into which namespace is unverified:
        this is that of the jobs' logs, as it is with all other jobs.
        """
        grant_logs_and_metrics(self.role, log_groups.COMPILATION_JOBS, log_groups.COMPILATION_JOBS)
        place = S3Prefix(bucket=bucket, prefix=COMPILED)
        place.grant_write(self.role, of="Compiled models")
        if self.network is not None:
            self.network.bind(self, self.role)
        provider = MachineProvider(
            self,
            package="neo_compilation",
            then="finish",
            when="model",
            function_role=function_role,
            state_machine_role=state_machine_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        self.work = provider.work
        """The function that does the steps; models' archives let it read them."""
        self._grant_work()
        self.given_up = provider.given_up
        """Who answers when the function that begins it fails for good; it is to be there first."""
        self.service_token: str = provider.service_token
        """What a custom resource names as its provider."""

    def _grant_work(self) -> None:
        stack, role = stack_of(self), self.work.role
        jobs = stack.format_arn(
            service="sagemaker", resource="compilation-job", resource_name=f"{JOB_PREFIX}*"
        )
        run = ["AddTags", "CreateCompilationJob", "DescribeCompilationJob", "ListTags"]
        run.append("StopCompilationJob")
        grant(role, [f"sagemaker:{action}" for action in run], jobs)
        acknowledge_wildcard(role, jobs, "Jobs are named after what they compile")
        grant(
            role,
            ["iam:PassRole"],
            self.role.role_arn,
            conditions={"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}},
        )
        self._grant_objects(role)

    def _grant_objects(self, role: iam.IRole) -> None:
        objects = self.bucket.arn_for_objects(f"{COMPILED}*")
        elsewhere = f"arn:{partition()}:s3:::*/{COMPILED}{JOB_PREFIX}*"
        grant(
            role,
            ["s3:ListBucket"],
            self.bucket.bucket_arn,
            conditions={"StringLike": {"s3:prefix": f"{COMPILED}*"}},
        )
        grant(role, ["s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"], objects)
        acknowledge_wildcard(role, objects, "Every compiled model, whatever its content")
        grant(
            role,
            ["s3:GetObject"],
            elsewhere,
            conditions={"StringEquals": {"s3:ResourceAccount": stack_of(self).account}},
        )
        acknowledge_wildcard(
            role,
            elsewhere,
            "What another environment of this account has compiled already is copied from its "
            "bucket, whose name is not known here",
        )
        if self.bucket.encryption_key is not None:
            key_arn = self.bucket.encryption_key.key_arn
            grant(role, ["kms:Decrypt", "kms:GenerateDataKey"], key_arn)
