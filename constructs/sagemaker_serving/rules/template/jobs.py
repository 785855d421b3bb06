"""The arguments of transform and compilation jobs as facts."""

from __future__ import annotations

from sagemaker_serving.rules.facts import ABSENT, ContainerFacts, Fact, TransformFacts
from sagemaker_serving.rules.facts.resources import CompilationFacts
from sagemaker_serving.rules.template.resources import Resources


def transform_facts(
    arguments: Fact,
    numbers: Fact,
    *,
    region: Fact = ABSENT,
    container: ContainerFacts | None = None,
) -> TransformFacts:
    """What CreateTransformJob is called with; ``numbers`` are the same with numbers as numbers.

    ``container`` is that of the model which they name.
    """
    source = arguments.get("TransformInput")
    location = source.get("DataSource").get("S3DataSource")
    output = arguments.get("TransformOutput")
    hosts = numbers.get("TransformResources")
    client = numbers.get("ModelClientConfig")
    processing = arguments.get("DataProcessing")
    return TransformFacts(
        where=arguments.where,
        region=region,
        container=container,
        instance_type=arguments.get("TransformResources").get("InstanceType"),
        instance_count=hosts.get("InstanceCount"),
        split_type=source.get("SplitType"),
        batch_strategy=arguments.get("BatchStrategy"),
        max_payload_in_mb=numbers.get("MaxPayloadInMB"),
        max_concurrent_transforms=numbers.get("MaxConcurrentTransforms"),
        environment=arguments.get("Environment"),
        assemble_with=output.get("AssembleWith"),
        data_type=location.get("S3DataType"),
        s3_uri=location.get("S3Uri"),
        output_path=output.get("S3OutputPath"),
        compression=source.get("CompressionType"),
        input_filter=processing.get("InputFilter"),
        output_filter=processing.get("OutputFilter"),
        join_source=processing.get("JoinSource"),
        timeout=client.get("InvocationsTimeoutInSeconds"),
        retries=client.get("InvocationsMaxRetries"),
        volume_key=arguments.get("TransformResources").get("VolumeKmsKeyId"),
        content_type=source.get("ContentType"),
        accept=output.get("Accept"),
        ami_version=arguments.get("TransformResources").get("TransformAmiVersion"),
    )


def compilation_facts(
    arguments: Fact, resources: Resources, *, within_deploy: bool = False
) -> CompilationFacts:
    """What CreateCompilationJob is called with."""
    source, output = arguments.get("InputConfig"), arguments.get("OutputConfig")
    stopping = resources.numbered(arguments.get("StoppingCondition"))
    return CompilationFacts(
        where=arguments.where,
        region=resources.region,
        framework=source.get("Framework"),
        framework_version=source.get("FrameworkVersion"),
        data_input_config=source.get("DataInputConfig"),
        model_uri=source.get("S3Uri"),
        target_device=output.get("TargetDevice"),
        target_platform=output.get("TargetPlatform"),
        compiler_options=output.get("CompilerOptions"),
        max_runtime=stopping.get("MaxRuntimeInSeconds"),
        max_pending_time=stopping.get("MaxPendingTimeInSeconds"),
        within_deploy=within_deploy,
    )
