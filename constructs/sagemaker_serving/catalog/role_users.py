"""Which of AWS's services assumes a role that is given to a property of a resource."""

from __future__ import annotations

from collections.abc import Mapping

_USERS: Mapping[str, tuple[str, ...]] = {
    "sagemaker": (
        "AWS::SageMaker::Cluster InstanceGroups.*.ExecutionRole",
        "AWS::SageMaker::DataQualityJobDefinition RoleArn",
        "AWS::SageMaker::Domain DefaultSpaceSettings.ExecutionRole",
        "AWS::SageMaker::Domain DefaultUserSettings.ExecutionRole",
        "AWS::SageMaker::EndpointConfig ExecutionRoleArn",
        "AWS::SageMaker::FeatureGroup RoleArn",
        "AWS::SageMaker::Image ImageRoleArn",
        "AWS::SageMaker::InferenceExperiment RoleArn",
        "AWS::SageMaker::MlflowTrackingServer RoleArn",
        "AWS::SageMaker::Model ExecutionRoleArn",
        "AWS::SageMaker::ModelBiasJobDefinition RoleArn",
        "AWS::SageMaker::ModelExplainabilityJobDefinition RoleArn",
        "AWS::SageMaker::ModelPackage ValidationSpecification.ValidationRole",
        "AWS::SageMaker::ModelQualityJobDefinition RoleArn",
        "AWS::SageMaker::MonitoringSchedule "
        "MonitoringScheduleConfig.MonitoringJobDefinition.RoleArn",
        "AWS::SageMaker::NotebookInstance RoleArn",
        "AWS::SageMaker::Pipeline RoleArn",
        "AWS::SageMaker::ProcessingJob RoleArn",
        "AWS::SageMaker::UserProfile UserSettings.ExecutionRole",
        "CreateCompilationJob RoleArn",
        "CreateModel ExecutionRoleArn",
        "CreateProcessingJob RoleArn",
        "CreateTrainingJob RoleArn",
        "CreateHyperParameterTuningJob TrainingJobDefinition.RoleArn",
        "CreateHyperParameterTuningJob TrainingJobDefinitions.*.RoleArn",
    ),
    "lambda": ("AWS::Lambda::Function Role", "AWS::Serverless::Function Role"),
    "states": ("AWS::StepFunctions::StateMachine RoleArn", "AWS::Serverless::StateMachine Role"),
    "events": ("AWS::Events::Rule RoleArn", "AWS::Events::Rule Targets.*.RoleArn"),
    "scheduler": ("AWS::Scheduler::Schedule Target.RoleArn",),
    "pipes": ("AWS::Pipes::Pipe RoleArn",),
    "firehose": (
        "AWS::KinesisFirehose::DeliveryStream ExtendedS3DestinationConfiguration.RoleARN",
        "AWS::KinesisFirehose::DeliveryStream KinesisStreamSourceConfiguration.RoleARN",
        "AWS::KinesisFirehose::DeliveryStream S3DestinationConfiguration.RoleARN",
    ),
    "apigateway": (
        "AWS::ApiGateway::Account CloudWatchRoleArn",
        "AWS::ApiGateway::Method Integration.Credentials",
        "AWS::ApiGatewayV2::Integration CredentialsArn",
    ),
    "codebuild": ("AWS::CodeBuild::Project ServiceRole",),
    "codepipeline": ("AWS::CodePipeline::Pipeline RoleArn",),
    "glue": ("AWS::Glue::Crawler Role", "AWS::Glue::Job Role"),
    "ecs-tasks": (
        "AWS::Batch::JobDefinition ContainerProperties.ExecutionRoleArn",
        "AWS::Batch::JobDefinition ContainerProperties.JobRoleArn",
        "AWS::ECS::TaskDefinition ExecutionRoleArn",
        "AWS::ECS::TaskDefinition TaskRoleArn",
    ),
    "batch": ("AWS::Batch::ComputeEnvironment ServiceRole",),
    "appsync": ("AWS::AppSync::DataSource ServiceRoleArn",),
    "bedrock": ("AWS::Bedrock::Agent AgentResourceRoleArn", "AWS::Bedrock::KnowledgeBase RoleArn"),
    "cloudtrail": ("AWS::CloudTrail::Trail CloudWatchLogsRoleArn",),
    "logs": ("AWS::Logs::SubscriptionFilter RoleArn",),
    "vpc-flow-logs": ("AWS::EC2::FlowLog DeliverLogsPermissionArn",),
}


def role_users(kind: str) -> Mapping[str, str]:
    """The service that assumes a role, by the path of the property which names the role.

    ``kind`` is a resource type (``AWS::SageMaker::Model``) or an action of SageMaker
    (``CreateModel``). A service is as a trust policy names it (``sagemaker.amazonaws.com``), a path
    is dotted, and ``*`` is each entry of a list. What is not here is not known, or differs.

    Source: each property's page in the CloudFormation template reference, and the roles' pages of
    the services' guides that it leads to.
    """
    return _BY_KIND.get(kind, {})


_BY_KIND: dict[str, dict[str, str]] = {}
for _service, _places in _USERS.items():
    for _kind, _path in (place.split(" ") for place in _places):
        _BY_KIND.setdefault(_kind, {})[_path] = f"{_service}.amazonaws.com"
