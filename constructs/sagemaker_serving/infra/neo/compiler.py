"""What compiles models in a stack: two functions, a state machine, and the role of the jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from sagemaker_serving import log_groups
from sagemaker_serving.infra.functions.own_function import OwnFunction
from sagemaker_serving.infra.functions.own_machine import add_machine
from sagemaker_serving.infra.neo.states import compiling_states
from sagemaker_serving.infra.network.network import network_of
from sagemaker_serving.infra.roles.container_grants import grant_logs_and_metrics
from sagemaker_serving.infra.roles.execution_role import ExecutionRole
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy, acknowledge_wildcard
from sagemaker_serving.infra.synth.arns import colon_arn
from sagemaker_serving.infra.synth.granting import grant, grant_within
from sagemaker_serving.infra.synth.tokens import partition, stack_of
from sagemaker_serving.spec.compilation_job import JOB_PREFIX, OUTPUT_PREFIX

if TYPE_CHECKING:
    from aws_cdk import aws_ec2 as ec2
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs
    from aws_cdk import aws_s3 as s3
    from aws_cdk import aws_stepfunctions as sfn

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
        self._function_role = function_role
        self._log_group = log_group
        self._retain_logs = retain_logs
        self._key = encryption_key
        self._policies: list[iam.Policy | None] = []
        self.role: iam.IRole = job_role if job_role is not None else ExecutionRole(self, "Role")
        """The role of the jobs: reads the models, writes the compiled ones.

        The developer guide lets such roles put metrics, too; into which namespace is unverified:
        this is that of the jobs' logs, as it is with all other jobs.
        """
        grant_logs_and_metrics(self.role, log_groups.COMPILATION_JOBS, log_groups.COMPILATION_JOBS)
        place = S3Prefix(bucket=bucket, prefix=OUTPUT_PREFIX)
        place.grant_write(self.role, of="Compiled models")
        if self.network is not None:
            self.network.bind(self, self.role)
        self.work = self._function("Work", "work.handler", minutes=15)
        """The function that does the steps; models' archives let it read them."""
        self._grant_work()
        machine = self._state_machine(state_machine_role)
        start = self._function(
            "Start",
            "start.handler",
            minutes=1,
            variables={"STATE_MACHINE_ARN": machine.state_machine_arn},
        )
        self.given_up = self._grant_start(start, machine)
        """Who answers when the function that begins it fails for good; it is to be there first."""
        self.service_token: str = start.function.function_arn
        """What a custom resource names as its provider."""

    def _function(
        self,
        construct_id: str,
        handler: str,
        *,
        minutes: int,
        variables: Mapping[str, str] | None = None,
    ) -> OwnFunction:
        return OwnFunction(
            self,
            construct_id,
            package="neo_compilation",
            handler=handler,
            timeout=cdk.Duration.minutes(minutes),
            memory_size_mb=512,
            environment=variables,
            role=self._function_role,
            log_group=self._log_group,
            retain_logs=self._retain_logs,
            encryption_key=self._key,
        )

    def _state_machine(self, role: iam.IRole | None) -> sfn.StateMachine:
        work_arn = self.work.function.function_arn
        machine = add_machine(
            self,
            "Machine",
            compiling_states(work_arn),
            role=role,
            log_group=self._log_group,
            retain_logs=self._retain_logs,
            encryption_key=self._key,
        )
        self._policies.append(
            grant_within(self, "MachinePolicy", machine.role, (["lambda:InvokeFunction"], work_arn))
        )
        acknowledge_own_policy(machine)
        reason = (
            "X-Ray's and log delivery's actions know no resources; Step Functions asks for both"
        )
        for construct in (machine, *([] if role is None else [role])):
            acknowledge_wildcard(construct, "*", reason)
        return machine

    def _grant_start(
        self, start: OwnFunction, machine: sfn.StateMachine
    ) -> lambda_.CfnEventInvokeConfig:
        role = start.role
        executions = colon_arn(self, "states", "execution", f"{machine.state_machine_name}:*")
        begin = ["states:StartExecution", "states:ListExecutions"]
        self._policies.append(
            grant_within(
                self,
                "StartPolicy",
                role,
                (begin, machine.state_machine_arn),
                (["states:StopExecution"], executions),
                (["lambda:InvokeFunction"], self.work.function.function_arn),
            )
        )
        reason = "Executions are named after CloudFormation's requests"
        for construct in (role, *([] if self._function_role is None else [self])):
            acknowledge_wildcard(construct, executions, reason)
        given_up = lambda_.CfnEventInvokeConfig(
            self,
            "GivenUp",
            function_name=start.function.function_name,
            qualifier="$LATEST",
            maximum_retry_attempts=2,
            destination_config=lambda_.CfnEventInvokeConfig.DestinationConfigProperty(
                on_failure=lambda_.CfnEventInvokeConfig.OnFailureProperty(
                    destination=self.work.function.function_arn
                )
            ),
        )
        for policy in self._policies:
            if policy is not None:
                given_up.node.add_dependency(policy)
        return given_up

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
        objects = self.bucket.arn_for_objects(f"{OUTPUT_PREFIX}*")
        elsewhere = f"arn:{partition()}:s3:::*/{OUTPUT_PREFIX}{JOB_PREFIX}*"
        grant(
            role,
            ["s3:ListBucket"],
            self.bucket.bucket_arn,
            conditions={"StringLike": {"s3:prefix": f"{OUTPUT_PREFIX}*"}},
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
