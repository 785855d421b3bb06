"""What compiles models in a stack: two functions, a state machine, and the role of the jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from sagemaker_serving.catalog import log_groups
from sagemaker_serving.infra.functions.own_function import OwnFunction, add_log
from sagemaker_serving.infra.neo.states import compiling_states
from sagemaker_serving.infra.roles.container_grants import grant_logs, grant_metrics
from sagemaker_serving.infra.roles.execution_role import ExecutionRole
from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy, acknowledge_wildcard
from sagemaker_serving.infra.synth.arns import colon_arn
from sagemaker_serving.infra.synth.tokens import partition, stack_of
from sagemaker_serving.spec.compilation_job import JOB_PREFIX, OUTPUT_PREFIX

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_s3 as s3

    from sagemaker_serving.infra.network.network import Network


class NeoCompiler(Construct):
    """The custom resource's provider, once per stack; `NeoCompilation` is what it makes.

    CloudFormation calls a function that begins an execution of the state machine; the machine
    calls the other function step by step, waits while the job runs, and answers. So neither
    Lambda's 15 minutes nor a crash of any step bounds a job: CloudFormation's hour does.

    :param bucket: takes the compiled models, below ``compiled/<job>/``.
    :param network: the subnets that the jobs stand in; absent, SageMaker's own.
    :param retain_logs: whether the logs outlive the stack.
    :param encryption_key: encrypts the logs; absent, CloudWatch's own key does.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        bucket: s3.IBucket,
        network: Network | None = None,
        retain_logs: bool,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.bucket = bucket
        """Where the compiled models lie."""
        self.network = network
        """Where the jobs stand, None for SageMaker's own network."""
        self._retain_logs = retain_logs
        self._key = encryption_key
        self.role = ExecutionRole(self, "Role")
        """The role of the jobs: reads the models, writes the compiled ones.

        The developer guide lets such roles put metrics, too; into which namespace is unverified:
        this is that of the jobs' logs, as it is with all other jobs.
        """
        grant_logs(self.role, log_groups.COMPILATION_JOBS)
        grant_metrics(self.role, log_groups.COMPILATION_JOBS)
        self.role.grant_write_prefix(bucket, OUTPUT_PREFIX)
        if network is not None:
            network.bind(self, self.role)
        self.work = self._function("Work", "work.handler", minutes=15)
        """The function that does the steps; models' archives let it read them."""
        self._grant_work()
        machine = self._state_machine()
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
            retain_logs=self._retain_logs,
            encryption_key=self._key,
        )

    def _state_machine(self) -> sfn.StateMachine:
        log = add_log(
            self, retain=self._retain_logs, encryption_key=self._key, of_state_machine=True
        )
        states = compiling_states(self.work.function.function_arn)
        machine = sfn.StateMachine(
            self,
            "Machine",
            definition_body=sfn.DefinitionBody.from_string(stack_of(self).to_json_string(states)),
            tracing_enabled=True,
            logs=sfn.LogOptions(destination=log, level=sfn.LogLevel.ALL),
        )
        machine.add_to_role_policy(
            iam.PolicyStatement(
                actions=["lambda:InvokeFunction"], resources=[self.work.function.function_arn]
            )
        )
        acknowledge_own_policy(machine)
        acknowledge_wildcard(
            machine,
            "*",
            "X-Ray's and log delivery's actions know no resources; Step Functions asks for both",
        )
        return machine

    def _grant_start(
        self, start: OwnFunction, machine: sfn.StateMachine
    ) -> lambda_.CfnEventInvokeConfig:
        role = start.role
        executions = colon_arn(self, "states", "execution", f"{machine.state_machine_name}:*")
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["states:StartExecution", "states:ListExecutions"],
                resources=[machine.state_machine_arn],
            )
        )
        role.add_to_policy(
            iam.PolicyStatement(actions=["states:StopExecution"], resources=[executions])
        )
        acknowledge_wildcard(
            role, executions, "Executions are named after CloudFormation's requests"
        )
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["lambda:InvokeFunction"], resources=[self.work.function.function_arn]
            )
        )
        return lambda_.CfnEventInvokeConfig(
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

    def _grant_work(self) -> None:
        stack, role = stack_of(self), self.work.role
        jobs = stack.format_arn(
            service="sagemaker", resource="compilation-job", resource_name=f"{JOB_PREFIX}*"
        )
        role.add_to_policy(
            iam.PolicyStatement(
                actions=[
                    "sagemaker:AddTags",
                    "sagemaker:CreateCompilationJob",
                    "sagemaker:DescribeCompilationJob",
                    "sagemaker:ListTags",
                    "sagemaker:StopCompilationJob",
                ],
                resources=[jobs],
            )
        )
        acknowledge_wildcard(role, jobs, "Jobs are named after what they compile")
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["iam:PassRole"],
                resources=[self.role.role_arn],
                conditions={"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}},
            )
        )
        self._grant_objects(role)

    def _grant_objects(self, role: iam.Role) -> None:
        objects = self.bucket.arn_for_objects(f"{OUTPUT_PREFIX}*")
        elsewhere = f"arn:{partition()}:s3:::*/{OUTPUT_PREFIX}{JOB_PREFIX}*"
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["s3:ListBucket"],
                resources=[self.bucket.bucket_arn],
                conditions={"StringLike": {"s3:prefix": f"{OUTPUT_PREFIX}*"}},
            )
        )
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"],
                resources=[objects],
            )
        )
        acknowledge_wildcard(role, objects, "Every compiled model, whatever its content")
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["s3:GetObject"],
                resources=[elsewhere],
                conditions={"StringEquals": {"s3:ResourceAccount": stack_of(self).account}},
            )
        )
        acknowledge_wildcard(
            role,
            elsewhere,
            "What another environment of this account has compiled already is copied from its "
            "bucket, whose name is not known here",
        )
        if self.bucket.encryption_key is not None:
            role.add_to_policy(
                iam.PolicyStatement(
                    actions=["kms:Decrypt", "kms:GenerateDataKey"],
                    resources=[self.bucket.encryption_key.key_arn],
                )
            )
