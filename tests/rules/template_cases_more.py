"""More of the same: models, updates, many models, jobs, scaling, names and tags."""

from __future__ import annotations

from tests.rules.template_cases import (
    CONTAINER,
    GPU_IMAGE,
    IMAGE,
    JOB,
    MULTI,
    NEO,
    ON_SERVERLESS,
    PORTS,
    ROUTING,
    TRITON,
    V0,
    Case,
    canary,
    linear,
    percent,
    rolling,
    tags,
    variant,
)

BLUE_GREEN = "Endpoint.DeploymentConfig.BlueGreenUpdatePolicy"
ROLLING = "Endpoint.DeploymentConfig.RollingUpdatePolicy"
ALARMS = "Endpoint.DeploymentConfig.AutoRollbackConfiguration.Alarms"
ASYNC = {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}

MODELS: list[Case] = [
    (
        "container-environment",
        {f"{CONTAINER}.Environment": {"KEY": "x" * 2000}},
        "KEY has 2000 characters; a container takes 1024",
        {f"{CONTAINER}.Environment": {"KEY": "x" * 1024}},
    ),
    (
        "container-environment",
        {f"{CONTAINER}.Environment": {f"K{n}": n for n in range(101)}},
        "environment has 101 variables; a container takes 100",
        {f"{CONTAINER}.Environment": {f"K{n}": n for n in range(100)}},
    ),
    (
        "model-environment-total",
        {f"{CONTAINER}.Environment": {f"K{n:02}": "x" * 1000 for n in range(33)}},
        "the containers' variables have 33099 bytes; a model takes 32768",
        {f"{CONTAINER}.Environment": {f"K{n:02}": "x" * 1000 for n in range(32)}},
    ),
    (
        "model-containers",
        {CONTAINER: None},
        "the model has no container; give PrimaryContainer",
        {CONTAINER: {"Fn::If": ["C", {"Image": IMAGE}, {"Image": GPU_IMAGE}]}},
    ),
    (
        "model-containers",
        {"Model.Containers": [{"Image": IMAGE}]},
        "Containers and PrimaryContainer are both given",
        {"Model.Containers": [{"Image": IMAGE}], CONTAINER: None},
    ),
    (
        "model-containers",
        {"Model.Containers": [{"Image": IMAGE}] * 16, CONTAINER: None},
        "there are 16 containers; a model takes 1 to 15",
        {"Model.Containers": [{"Image": IMAGE}] * 15, CONTAINER: None},
    ),
    (
        "container-source",
        {f"{CONTAINER}.Image": None},
        "the container has neither Image nor ModelPackageName",
        {f"{CONTAINER}.Image": None, f"{CONTAINER}.ModelPackageName": "package"},
    ),
    (
        "network",
        {"Model.VpcConfig": {"Subnets": ["s"] * 17, "SecurityGroupIds": ["g"]}},
        "Subnets has 17 entries; a model takes 1 to 16",
        {"Model.VpcConfig": {"Subnets": ["s"] * 16, "SecurityGroupIds": ["g"]}},
    ),
    (
        "network",
        {"Model.VpcConfig": {"Subnets": ["s"], "SecurityGroupIds": []}},
        "SecurityGroupIds has 0 entries; a model takes 1 to 5; add one",
        {"Model.VpcConfig": {"Subnets": ["s"], "SecurityGroupIds": ["g"] * 5}},
    ),
    (
        "model-data-form",
        {f"{CONTAINER}.ModelDataUrl": "s3://bucket/model.zip"},
        "ModelDataUrl is 's3://bucket/model.zip'; SageMaker loads one archive",
        {f"{CONTAINER}.ModelDataUrl": "s3://bucket/model.tar.gz"},
    ),
    (
        "model-data-form",
        {f"{CONTAINER}.ModelDataUrl": "bucket/model.tar.gz"},
        "it must be s3://<bucket>/<key>",
        {f"{CONTAINER}.ModelDataUrl": {"Fn::Sub": "s3://${Bucket}/model.tar.gz"}},
    ),
    (
        "model-data-form",
        {f"{CONTAINER}.ModelDataUrl": "https://example.com/bucket/model.tar.gz"},
        "it must be s3://<bucket>/<key>",
        {f"{CONTAINER}.ModelDataUrl": "https://s3.eu-west-1.amazonaws.com/bucket/model.tar.gz"},
    ),
    (
        "model-data-form",
        {f"{CONTAINER}.Mode": "MultiModel"},
        "the container is multi-model; it loads the archives below a prefix",
        {f"{CONTAINER}.Mode": "MultiModel", f"{CONTAINER}.ModelDataUrl": "s3://bucket/models/"},
    ),
    (
        "location-region",
        {f"{CONTAINER}.ModelDataUrl": "s3://sagemaker-us-east-1-111122223333/k.tar.gz"},
        "whose bucket seems to lie in us-east-1; SageMaker in eu-west-1 reads only from eu-west-1",
        {f"{CONTAINER}.ModelDataUrl": "s3://sagemaker-eu-west-1-111122223333/k.tar.gz"},
    ),
    (
        "location-region",
        {"Config.AsyncInferenceConfig.OutputConfig.S3OutputPath": "s3://out-ap-south-1/o/"},
        "whose bucket seems to lie in ap-south-1",
        {"Config.AsyncInferenceConfig.OutputConfig.S3OutputPath": "s3://out-eu-west-12/o/"},
    ),
    (
        "location-region",
        {f"{CONTAINER}.ModelDataUrl": "https://bucket.s3-us-east-1.amazonaws.com/k.tar.gz"},
        "whose bucket seems to lie in us-east-1; SageMaker in eu-west-1 reads only from eu-west-1",
        {f"{CONTAINER}.ModelDataUrl": "https://bucket.s3-eu-west-1.amazonaws.com/k.tar.gz"},
    ),
    (
        "multi-model-gpu",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{V0}.InstanceType": "ml.g4dn.xlarge",
        },
        "on GPUs only NVIDIA Triton serves many models",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Image": TRITON,
            f"{V0}.InstanceType": "ml.g4dn.xlarge",
        },
    ),
    (
        "multi-model-gpu",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Image": TRITON,
            f"{V0}.InstanceType": "ml.g4dn.12xlarge",
        },
        "it has 4 GPUs; use a type with one GPU and Triton",
        {**{f"{CONTAINER}.{k}": v for k, v in MULTI.items()}},
    ),
    (
        "multi-model-ports-given",
        {f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
        "the environment lacks SAGEMAKER_SAFE_PORT_RANGE",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Environment": {PORTS: "9000-9999"},
        },
    ),
    (
        "multi-model-ports",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Environment": {PORTS: "9999-9000"},
        },
        "it must be two ports between 1024 and 65535, the lower first",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Environment": {PORTS: "9000-9999"},
        },
    ),
    (
        "multi-model-capacity",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Environment": {PORTS: "9000-9019"},
        },
        "which holds 8 models at once",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Environment": {PORTS: "9000-9023"},
        },
    ),
    (
        "resource-name",
        {"Endpoint.EndpointName": "my_endpoint"},
        "EndpointName is 'my_endpoint' (11 characters); names of endpoints take",
        {"Endpoint.EndpointName": "my-endpoint"},
    ),
    (
        "resource-name",
        {"Model.ModelName": "m" * 64},
        "(64 characters); names of models take 1 to 63",
        {"Model.ModelName": "m" * 63},
    ),
    (
        "tags",
        {"Model.Tags": tags(("aws:x", "v"))},
        "the tag key 'aws:x' is not 1 to 128 characters without 'aws:'",
        {"Model.Tags": tags(("x", "v"))},
    ),
    (
        "tag-characters",
        {"Model.Tags": tags(("team", "a & b"))},
        "the tag's text 'a & b' has &; AWS takes letters",
        {"Model.Tags": tags(("équipe", "a + b"))},
    ),
    (
        "tags-unique",
        {"Model.Tags": tags(("a", "1"), ("a", "2"))},
        "the tag key 'a' stands twice",
        {"Model.Tags": tags(("a", "1"), ("A", "2"))},
    ),
    (
        "resource-type",
        {"Model:Type": "AWS::SageMaker::CompilationJob"},
        "CloudFormation has no type AWS::SageMaker::CompilationJob; jobs are no resources",
        {"Model:Type": "AWS::SageMaker::Pipeline"},
    ),
    (
        "resource-type",
        {"Model:Type": "AWS::SageMaker::Modle"},
        "did you mean AWS::SageMaker::Model",
        {"Model:Type": "Custom::SageMakerModle"},
    ),
    (
        "unknown-property",
        {f"{V0}.InstanceTyp": "ml.c5.large"},
        "AWS::SageMaker::EndpointConfig has no property 'InstanceTyp' here; did you mean "
        "InstanceType",
        {f"{V0}.RoutingConfig": {"RoutingStrategy": "RANDOM"}},
    ),
]

UPDATES: list[Case] = [
    (
        "guardrail-one-policy",
        {ROUTING: canary(), ROLLING: rolling()},
        "RollingUpdatePolicy stands beside BlueGreenUpdatePolicy",
        {ROUTING: canary()},
    ),
    (
        "guardrail-traffic",
        {ROUTING: {"Type": "CANARY", "WaitIntervalInSeconds": 60}},
        "CanarySize is missing; CANARY needs it",
        {ROUTING: canary()},
    ),
    (
        "guardrail-traffic",
        {ROUTING: {"Type": "CANARY", "CanarySize": percent(10)}},
        "WaitIntervalInSeconds is missing; CANARY needs it",
        {ROUTING: {"Type": "ALL_AT_ONCE"}},
    ),
    (
        "guardrail-traffic",
        {ROUTING: canary(Type="BLUE")},
        "Type is 'BLUE'; it must be ALL_AT_ONCE, CANARY, LINEAR",
        {ROUTING: linear()},
    ),
    (
        "guardrail-step",
        {ROUTING: canary(CanarySize=percent(90))},
        "CanarySize is 90 percent; it must be 1 to 50; use 50",
        {ROUTING: canary(CanarySize=percent(50))},
    ),
    (
        "guardrail-step",
        {ROUTING: linear(LinearStepSize=percent(5))},
        "LinearStepSize is 5 percent; it must be 10 to 50; use 10",
        {ROUTING: linear(LinearStepSize=percent(10))},
    ),
    (
        "guardrail-step",
        {ROLLING: rolling(MaximumBatchSize=percent(51))},
        "MaximumBatchSize is 51 percent; it must be 5 to 50; use 50",
        {ROLLING: rolling(MaximumBatchSize={"Type": "INSTANCE_COUNT", "Value": 51})},
    ),
    (
        "guardrail-waits",
        {ROUTING: canary(WaitIntervalInSeconds=3601)},
        "WaitIntervalInSeconds is 3601; it must be 0 to 3600",
        {ROUTING: canary(WaitIntervalInSeconds="3600")},
    ),
    (
        "guardrail-waits",
        {ROUTING: canary(), f"{BLUE_GREEN}.TerminationWaitInSeconds": 4000},
        "TerminationWaitInSeconds is 4000; it must be 0 to 3600",
        {ROUTING: canary(), f"{BLUE_GREEN}.TerminationWaitInSeconds": 0},
    ),
    (
        "guardrail-waits",
        {ROUTING: canary(), f"{BLUE_GREEN}.MaximumExecutionTimeoutInSeconds": 599},
        "MaximumExecutionTimeoutInSeconds is 599; it must be 600 to 28800",
        {ROUTING: canary(), f"{BLUE_GREEN}.MaximumExecutionTimeoutInSeconds": 600},
    ),
    (
        "guardrail-time",
        {ROUTING: linear(), f"{BLUE_GREEN}.MaximumExecutionTimeoutInSeconds": 1800},
        "MaximumExecutionTimeoutInSeconds is 1800, but the update waits 2400 seconds in all",
        {ROUTING: linear(), f"{BLUE_GREEN}.MaximumExecutionTimeoutInSeconds": 2401},
    ),
    (
        "guardrail-time",
        {ROLLING: rolling(WaitIntervalInSeconds=200, MaximumExecutionTimeoutInSeconds=900)},
        "is 900, but the update waits 1000 seconds in all",
        {ROLLING: rolling(WaitIntervalInSeconds=100, MaximumExecutionTimeoutInSeconds=900)},
    ),
    (
        "guardrail-alarms",
        {ALARMS: [{"AlarmName": f"a{n}"} for n in range(11)]},
        "Alarms has 11 entries; a rollback watches 1 to 10 alarms",
        {ALARMS: [{"AlarmName": f"a{n}"} for n in range(10)]},
    ),
    (
        "guardrail-alarms",
        {ALARMS: []},
        "Alarms has 0 entries; a rollback watches 1 to 10 alarms; add one",
        {ALARMS: [{"Ref": "Alarm"}]},
    ),
    (
        "guardrail-excluded",
        {ROUTING: canary(), f"{V0}.InstanceType": "ml.inf1.xlarge"},
        "on Inf1 SageMaker moves all traffic at once, whatever the policy says",
        {ROUTING: canary(), f"{V0}.InstanceType": "ml.inf2.xlarge"},
    ),
    (
        "guardrail-excluded",
        {ROUTING: linear(), **ON_SERVERLESS},
        "the endpoint is serverless; there SageMaker moves all traffic at once",
        {ROUTING: linear()},
    ),
    (
        "guardrail-excluded",
        {ROUTING: canary(), f"{V0}.AcceleratorType": "ml.eia2.medium"},
        "the endpoint has an Elastic Inference accelerator; with one SageMaker moves all traffic",
        {ROUTING: {"Type": "ALL_AT_ONCE"}, f"{V0}.AcceleratorType": "ml.eia2.medium"},
    ),
    (
        "guardrail-rolling-excluded",
        {ROLLING: rolling(), "Config.ProductionVariants": [variant("a"), variant("b")]},
        "the endpoint has 2 variants; a rolling update is of one; use blue/green",
        {ROUTING: canary(), "Config.ProductionVariants": [variant("a"), variant("b")]},
    ),
    (
        "scaling-bounds",
        {"Target.MinCapacity": 4, "Target.MaxCapacity": 2},
        "MaxCapacity is 2 and MinCapacity is 4; the most can't be fewer than the fewest",
        {"Target.MinCapacity": 2, "Target.MaxCapacity": 2},
    ),
    (
        "scaling-zero",
        {"Target.MinCapacity": 0},
        "MinCapacity is 0; a real-time variant keeps at least 1 instance",
        {"Target.MinCapacity": 0, "Config.AsyncInferenceConfig": ASYNC},
    ),
    (
        "scaling-burstable",
        {f"{V0}.InstanceType": "ml.t2.medium"},
        "the variant runs on ml.t2.medium; burstable types can't be scaled",
        {f"{V0}.InstanceType": "ml.m5.large"},
    ),
    (
        "scaling-cooldown",
        {"Policy.TargetTrackingScalingPolicyConfiguration.ScaleInCooldown": -1},
        "ScaleInCooldown is -1; it must be at least 0",
        {"Policy.TargetTrackingScalingPolicyConfiguration.ScaleInCooldown": 0},
    ),
    (
        "scaling-target",
        {"Policy.TargetTrackingScalingPolicyConfiguration.TargetValue": 0},
        "TargetValue is 0; it must be over 0",
        {"Policy.TargetTrackingScalingPolicyConfiguration.TargetValue": "0.5"},
    ),
    (
        "scaling-resource",
        {"Target.ResourceId": "my-endpoint/blue"},
        "ResourceId is 'my-endpoint/blue'; a variant's is endpoint/<endpoint>/variant/<variant>",
        {"Target.ResourceId": "endpoint/my-endpoint/variant/blue"},
    ),
]

JOBS: list[Case] = [
    (
        "instance-retired",
        {f"{JOB}.TransformResources.InstanceType": "ml.p3.2xlarge"},
        "InstanceType is 'ml.p3.2xlarge'; the API's list still has the family p3",
        {f"{JOB}.TransformResources.InstanceType": "ml.g5.2xlarge"},
    ),
    (
        "transform-instance-type",
        {f"{JOB}.TransformResources.InstanceType": "ml.t2.medium"},
        "InstanceType is 'ml.t2.medium'; transform jobs do not take it",
        {f"{JOB}.TransformResources.InstanceType": "ml.m5.large"},
    ),
    (
        "transform-ranges",
        {f"{JOB}.MaxPayloadInMB": 500},
        "MaxPayloadInMB is 500; it must be 0 to 100; use 100",
        {f"{JOB}.MaxPayloadInMB": 100},
    ),
    (
        "transform-ranges",
        {f"{JOB}.ModelClientConfig": {"InvocationsTimeoutInSeconds": 3601}},
        "InvocationsTimeoutInSeconds is 3601; it must be 1 to 3600",
        {f"{JOB}.ModelClientConfig": {"InvocationsTimeoutInSeconds": 3600}},
    ),
    (
        "transform-ranges",
        {f"{JOB}.ModelClientConfig": {"InvocationsMaxRetries": 4}},
        "InvocationsMaxRetries is 4; it must be 0 to 3; use 3",
        {f"{JOB}.ModelClientConfig": {"InvocationsMaxRetries": 0}},
    ),
    (
        "transform-memory",
        {f"{JOB}.MaxPayloadInMB": 50, f"{JOB}.MaxConcurrentTransforms": 3},
        "MaxPayloadInMB 50 times MaxConcurrentTransforms 3 is 150 MB; a job takes 100",
        {f"{JOB}.MaxPayloadInMB": 50, f"{JOB}.MaxConcurrentTransforms": 2},
    ),
    (
        "transform-strategy",
        {f"{JOB}.BatchStrategy": "MultiRecord"},
        "BatchStrategy is 'MultiRecord' but SplitType is None",
        {f"{JOB}.BatchStrategy": "MultiRecord", f"{JOB}.TransformInput.SplitType": "Line"},
    ),
    (
        "transform-environment",
        {f"{JOB}.Environment": {"K": "x" * 10241}},
        "K has 10241 characters; a transform job takes 10240 per variable",
        {f"{JOB}.Environment": {"K": "x" * 10240}},
    ),
    (
        "transform-choices",
        {f"{JOB}.TransformInput.SplitType": "Lines"},
        "SplitType is 'Lines'; it must be None, Line, RecordIO, TFRecord; use Line",
        {f"{JOB}.TransformInput.SplitType": "Line"},
    ),
    (
        "transform-choices",
        {f"{JOB}.TransformInput.DataSource.S3DataSource.S3DataType": "AugmentedManifestFile"},
        "S3DataType is 'AugmentedManifestFile'; it must be S3Prefix, ManifestFile",
        {f"{JOB}.TransformInput.DataSource.S3DataSource.S3DataType": "S3Prefix"},
    ),
    (
        "transform-filters",
        {f"{JOB}.DataProcessing": {"InputFilter": "features"}},
        "InputFilter is 'features' (8 characters); it must be a JSONPath from $",
        {f"{JOB}.DataProcessing": {"InputFilter": "$.features"}},
    ),
    (
        "transform-filters",
        {f"{JOB}.DataProcessing": {"OutputFilter": f"$.{'x' * 62}"}},
        "(64 characters)",
        {f"{JOB}.DataProcessing": {"OutputFilter": f"$.{'x' * 61}"}},
    ),
    (
        "transform-join",
        {f"{JOB}.DataProcessing.JoinSource": "Input", f"{JOB}.TransformInput.SplitType": "Line"},
        "without AssembleWith: Line the joined records run into one another",
        {
            f"{JOB}.DataProcessing.JoinSource": "Input",
            f"{JOB}.TransformInput.SplitType": "Line",
            f"{JOB}.TransformOutput.AssembleWith": "Line",
        },
    ),
    (
        "transform-location",
        {f"{JOB}.TransformOutput.S3OutputPath": "bucket/out/"},
        "S3OutputPath is 'bucket/out/'; it must be s3://bucket/prefix",
        {f"{JOB}.TransformOutput.S3OutputPath": "s3://bucket/out/"},
    ),
    (
        "transform-location",
        {f"{JOB}.TransformOutput.S3OutputPath": "https://example.com/out/"},
        "S3OutputPath is 'https://example.com/out/'; it must be s3://bucket/prefix",
        {f"{JOB}.TransformOutput.S3OutputPath": "https://bucket.s3.amazonaws.com/out/"},
    ),
    (
        "transform-location",
        {f"{JOB}.TransformInput.DataSource.S3DataSource.S3DataType": "ManifestFile"},
        "a manifest is one object, not a prefix",
        {
            f"{JOB}.TransformInput.DataSource.S3DataSource.S3DataType": "ManifestFile",
            f"{JOB}.TransformInput.DataSource.S3DataSource.S3Uri": "s3://bucket/in.manifest",
        },
    ),
    (
        "transform-key-local",
        {
            f"{JOB}.TransformResources.InstanceType": "ml.g4dn.xlarge",
            f"{JOB}.TransformResources.VolumeKmsKeyId": "alias/mine",
        },
        "VolumeKmsKeyId is given, but ml.g4dn.xlarge has local storage",
        {f"{JOB}.TransformResources.VolumeKmsKeyId": "alias/mine"},
    ),
    (
        "unknown-property",
        {f"{JOB}.MaxPayload": 5},
        "CreateTransformJob has no property 'MaxPayload' here; did you mean MaxPayloadInMB",
        {f"{JOB}.MaxPayloadInMB": 5},
    ),
    (
        "neo-framework",
        {f"{NEO}.InputConfig.Framework": "TENSORFLW"},
        "Framework is 'TENSORFLW'; Neo compiles TENSORFLOW, KERAS",
        {f"{NEO}.InputConfig.Framework": "TENSORFLOW"},
    ),
    (
        "neo-target",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_c55"},
        "TargetDevice is 'ml_c55'; Neo knows no such device; did you mean ml_c5",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_c5"},
    ),
    (
        "neo-target",
        {f"{NEO}.OutputConfig.TargetPlatform": {"Os": "LINUX", "Arch": "ARM64"}},
        "TargetPlatform stands beside TargetDevice; a job compiles for one of them",
        {
            f"{NEO}.OutputConfig.TargetPlatform": {"Os": "LINUX", "Arch": "ARM64"},
            f"{NEO}.OutputConfig.TargetDevice": None,
        },
    ),
    (
        "neo-target",
        {f"{NEO}.OutputConfig.TargetDevice": None},
        "neither TargetDevice nor TargetPlatform is given",
        {f"{NEO}.OutputConfig.TargetDevice": {"Ref": "Device"}},
    ),
    (
        "neo-retired",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_p3"},
        "TargetDevice is 'ml_p3', whose hosts AWS has retired",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_g4dn"},
    ),
    (
        "neo-version",
        {f"{NEO}.InputConfig.FrameworkVersion": "2.19"},
        "FrameworkVersion is '2.19'; for ml_c5 Neo compiles TENSORFLOW 1.15.3, 2.9; use 2.9",
        {f"{NEO}.InputConfig.FrameworkVersion": "2.9.2"},
    ),
    (
        "neo-version",
        {
            f"{NEO}.InputConfig.Framework": "KERAS",
            f"{NEO}.OutputConfig.TargetDevice": "ml_inf1",
            f"{NEO}.InputConfig.FrameworkVersion": None,
        },
        "Framework is 'KERAS'; Neo is not documented to compile it for ml_inf1",
        {
            f"{NEO}.InputConfig.Framework": "KERAS",
            f"{NEO}.InputConfig.FrameworkVersion": None,
        },
    ),
    (
        "neo-version-form",
        {f"{NEO}.InputConfig.FrameworkVersion": "v2.9"},
        "FrameworkVersion is 'v2.9'; it must be 3 to 10 characters",
        {f"{NEO}.InputConfig.FrameworkVersion": "2.9"},
    ),
    (
        "neo-region",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_inf2"},
        "in eu-west-1 Neo does not offer it; it does in us-east-2",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_inf1"},
    ),
    (
        "neo-input-config",
        {f"{NEO}.InputConfig.DataInputConfig": "input: [1]"},
        "DataInputConfig is 'input: [1]'; it must be JSON",
        {f"{NEO}.InputConfig.DataInputConfig": '{"input": [1]}'},
    ),
    (
        "neo-input-config",
        {f"{NEO}.InputConfig.DataInputConfig": None},
        "DataInputConfig is missing; Neo needs the inputs' shapes of TENSORFLOW",
        {
            f"{NEO}.InputConfig.DataInputConfig": None,
            f"{NEO}.InputConfig.Framework": "XGBOOST",
            f"{NEO}.InputConfig.FrameworkVersion": None,
        },
    ),
    (
        "neo-limits",
        {f"{NEO}.OutputConfig.CompilerOptions": "{}"},
        "CompilerOptions has 2 characters; it takes 3 to 1024",
        {f"{NEO}.OutputConfig.CompilerOptions": "{ }"},
    ),
    (
        "neo-limits",
        {f"{NEO}.StoppingCondition": {"MaxPendingTimeInSeconds": 60}},
        "MaxPendingTimeInSeconds is 60; it must be 1800 to 2419200",
        {f"{NEO}.StoppingCondition": {"MaxPendingTimeInSeconds": 1800}},
    ),
    (
        "neo-archive",
        {f"{NEO}.InputConfig.S3Uri": "s3://bucket/model.zip"},
        "S3Uri is 's3://bucket/model.zip'; Neo reads one archive",
        {f"{NEO}.InputConfig.S3Uri": "s3://bucket/model.tar.gz"},
    ),
    (
        "neo-archive",
        {f"{NEO}.InputConfig.S3Uri": "https://bucket.s3.amazonaws.com/model.zip"},
        "Neo reads one archive",
        {f"{NEO}.InputConfig.S3Uri": "https://bucket.s3.amazonaws.com/model.tar.gz"},
    ),
]
