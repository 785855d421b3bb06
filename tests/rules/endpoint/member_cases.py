"""Environment files and templates with one thing wrong in a variant's or a config's members."""

from __future__ import annotations

from tests.rules.changes import BLUE, DIGITS, VARIANTS, Change
from tests.rules.template_cases import GPU_IMAGE, V0, Case

PLAN = "arn:aws:sagemaker:{}:111122223333:training-plan/mine"
PREFIXES = {"prefix_length": 2048, "concurrency_threshold": 8}

TRACKING = "Policy.TargetTrackingScalingPolicyConfiguration"
LAMBDAS = "LambdaProvisionedConcurrencyUtilization"
SIX = ("", "2", "4", "9", "12", "18")
BATCH = (*DIGITS, "batch_transform")
EVERY_5_MINUTES = {"metric_publish_frequency_in_seconds": 300}
GREEN = (*VARIANTS, 1)
AMI, BATCH_AMI = "al2-ami-sagemaker-inference-gpu-3-1", "al2-ami-sagemaker-batch-gpu-470"
CUDA_13 = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/vllm:0.27.1-gpu-py312-cu130-sagemaker"


def types(*names: str, of: tuple[str | int, ...] = BLUE) -> Change:
    return {(*of, "instance_type"): None, (*of, "instance_types"): list(names)}


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    (
        "aws-value",
        {
            (*DIGITS, "extra"): {
                "endpoint_config": {
                    "ExplainerConfig": {
                        "ClarifyExplainerConfig": {"ShapConfig": {"NumberOfSamples": 0}}
                    }
                }
            }
        },
        "NumberOfSamples is 0; it must be at least 1; use 1 or more",
        {
            (*DIGITS, "extra"): {
                "endpoint_config": {
                    "ExplainerConfig": {
                        "ClarifyExplainerConfig": {"ShapConfig": {"NumberOfSamples": 1}}
                    }
                }
            }
        },
    ),
    ("variant-prefix-routing",
     {(*BLUE, "routing_strategy"): "RANDOM", (*BLUE, "prefix_aware_routing"): PREFIXES},
     "prefix_aware_routing is given and routing_strategy is RANDOM; remove it, or choose",
     {(*BLUE, "prefix_aware_routing"): PREFIXES}),
    ("variant-prefix-routing",
     {(*BLUE, "routing_strategy"): "PREFIX_AWARE", (*BLUE, "prefix_aware_routing"): {**PREFIXES,
      "prefix_length": 1000}}, "prefix_length is 1000; it must be 1024 to 65536; use 1024",
     {(*BLUE, "routing_strategy"): "PREFIX_AWARE", (*BLUE, "prefix_aware_routing"): PREFIXES}),
    ("variant-reservation", {(*BLUE, "capacity_reservation"): {"ml_reservation_arn": "my-plan"}},
     "ml_reservation_arn is 'my-plan'; it must be the ARN of an ML capacity reservation",
     {(*BLUE, "capacity_reservation"): {"ml_reservation_arn": PLAN.format("eu-west-1")}}),
    ("variant-reservation",
     {(*BLUE, "capacity_reservation"): {"ml_reservation_arn": PLAN.format("us-east-1")}},
     "ml_reservation_arn is in us-east-1; instances in eu-west-1 come from a reservation of",
     {(*BLUE, "capacity_reservation"): {"ml_reservation_arn": PLAN.format("eu-west-1")}}),
    ("endpoint-reservations",
     {(*BLUE, "capacity_reservation"): {"ml_reservation_arn": PLAN.format("eu-west-1")}, (*GREEN,
      "capacity_reservation"): {"ml_reservation_arn": PLAN.format("eu-west-1") + "2"}},
     "an endpoint takes one reservation",
     {(*BLUE, "capacity_reservation"): {"ml_reservation_arn": PLAN.format("eu-west-1")}, (*GREEN,
      "capacity_reservation"): {"ml_reservation_arn": PLAN.format("eu-west-1")}}),
    ("managed-scaling-bounds",
     {(*BLUE, "managed_instance_scaling"): {"max_instance_count": 2,
      "scale_in_policy": {"strategy": "CONSOLIDATION", "cooldown_in_minutes": 4}}},
     "cooldown_in_minutes is 4; it must be 5 to 1440; use 5",
     {(*BLUE, "managed_instance_scaling"): {"max_instance_count": 2,
      "scale_in_policy": {"strategy": "CONSOLIDATION", "cooldown_in_minutes": 5}}}),
    ("ami-version", {(*GREEN, "inference_ami_version"): "al2-ami-sagemaker-inference-gpu-31"},
     f"AWS has no such AMI version; did you mean {AMI}", {(*GREEN, "inference_ami_version"): AMI}),
    ("ami-version", {(*DIGITS, "batch_transform", "transform_ami_version"): AMI},
     "AWS has no such AMI version; did you mean al2-ami-sagemaker-batch-gpu-535",
     {(*DIGITS, "batch_transform", "transform_ami_version"): BATCH_AMI}),
    ("ami-host", {(*BLUE, "inference_ami_version"): AMI},
     f"inference_ami_version is {AMI}, which is for GPUs, and ml.c5.large has none; remove it",
     {(*GREEN, "inference_ami_version"): AMI}),
    ("ami-host", {(*GREEN, "inference_ami_version"): "al2-ami-sagemaker-inference-neuron-2"},
     "which is for Inferentia2 and Trainium, and ml.g4dn.xlarge has none",
     {(*GREEN, "inference_ami_version"): AMI}),
    ("ami-driver",
     {(*DIGITS, "batch_transform", "instance_type"): "ml.g4dn.xlarge", (*DIGITS, "batch_transform",
      "transform_ami_version"): BATCH_AMI},
     f"transform_ami_version is {BATCH_AMI} with NVIDIA driver 470; the image has CUDA 12",
     {(*DIGITS, "batch_transform", "instance_type"): "ml.g4dn.xlarge", (*DIGITS,
      "batch_transform", "transform_ami_version"): ("al2-ami-sagemaker-batch-gpu-535")}),
    ("extra-known", {(*BLUE, "extra"): {"InstancePool": []}},
     "AWS::SageMaker::EndpointConfig has no ProductionVariants.InstancePool; did you mean "
     "InstancePools", {(*BLUE, "extra"): {"InstancePools": []}}),
    ("extra-known", {(*DIGITS, "extra"): {"endpoint": {"Retain": True}}},
     "AWS::SageMaker::Endpoint has no Retain; known: DeploymentConfig, EndpointConfigName",
     {(*DIGITS, "extra"): {"endpoint": {"RetainDeploymentConfig": True}}}),
    ("extra-offered", {(*BLUE, "extra"): {"AcceleratorPartitionLayouts": []}},
     "ProductionVariants.AcceleratorPartitionLayouts is API only: CloudFormation's schema does "
     "not know it yet; remove it", {(*BLUE, "extra"): {"InstancePools": []}}),
    ("extra-offered", {(*DIGITS, "extra"): {"endpoint_config": {"CrossRegionTrafficConfig": {}}}},
     "CrossRegionTrafficConfig is API only",
     {(*DIGITS, "extra"): {"endpoint_config": {"ExplainerConfig": {}}}}),
    ("extra-offered", {(*BLUE, "extra"): {"AcceleratorType": "ml.eia2.medium"}},
     "ProductionVariants.AcceleratorType is ended by AWS", {(*BLUE, "extra"): {}}),
    ("extra-twice", {(*BLUE, "extra"): {"VolumeSizeInGB": 64}},
     "ProductionVariants.VolumeSizeInGB has a field of its own; write volume_size_in_gb instead",
     {(*BLUE, "volume_size_in_gb"): 64}),
    ("extra-twice",
     {(*DIGITS, "extra"): {"model": {"PrimaryContainer": {"Environment": {"A": "1"}}}}},
     "PrimaryContainer.Environment has a field of its own; write environment instead",
     {(*DIGITS, "environment"): {"A": "1"}}),
    ("extra-type", {(*DIGITS, "extra"): {"endpoint": {"RetainDeploymentConfig": "yes"}}},
     "RetainDeploymentConfig is 'yes'; it must be true or false",
     {(*DIGITS, "extra"): {"endpoint": {"RetainDeploymentConfig": True}}}),
    ("extra-type", {(*DIGITS, "extra"): {"model": {"InferenceExecutionConfig": {"Mode": 7}}}},
     "InferenceExecutionConfig.Mode is 7; it must be text",
     {(*DIGITS, "extra"): {"model": {"InferenceExecutionConfig": {"Mode": "Serial"}}}}),
    ("pools-count",
     {(*BLUE, "instance_type"): None, (*BLUE, "instance_types"): [f"ml.c5.{n}xlarge" for n in SIX]},
     "instance_types has 6 entries; it takes 1 to 5; remove some", types("ml.c5.large")),
    ("pools-count", types("ml.c5.large", "ml.c5.large"),
     "instance_types has ml.c5.large twice; remove one of them",
     types("ml.c5.large", "ml.m5.large")),
    ("pools-alike",
     {(*BLUE, "instance_type"): None, (*BLUE, "instance_types"): ["ml.g5.xlarge", "ml.m5.large"]},
     "instance_types has ml.g5.xlarge and ml.m5.large, which do not run the same image",
     {(*BLUE, "instance_type"): None, (*BLUE, "instance_types"): ["ml.g5.xlarge", "ml.g6.xlarge"]}),
    ("pools-alike", types("ml.g5.xlarge", "ml.c5.xlarge", of=BATCH),
     "instance_types has ml.g5.xlarge and ml.c5.xlarge, which do not run the same image",
     types("ml.m5.xlarge", "ml.c5.xlarge", of=BATCH)),
    ("batch-instances", {BATCH: {"instance_count": 2}},
     "instance_type is missing; give the type that jobs run on, or instance_types in order",
     {BATCH: {"instance_types": ["ml.m5.large"]}}),
    ("pools-alone", {(*BATCH, "instance_types"): ["ml.g5.xlarge"]},
     "instance_types stands beside instance_type; remove instance_type",
     types("ml.g5.xlarge", of=BATCH)),
    ("transform-instance-type", types("ml.c5.xlarge", "ml.c7g.large", of=BATCH),
     "instance_types is 'ml.c7g.large'; transform jobs do not take it",
     types("ml.c5.xlarge", of=BATCH)),
    ("variant-complete", {(*BLUE, "instance_type"): None},
     "instance_type is missing and the variant is not serverless", types("ml.c5.large")),
    ("alarm-frequency", {(*DIGITS, "monitoring"): {}, (*DIGITS, "metrics_config"): EVERY_5_MINUTES},
     "metric_publish_frequency_in_seconds is 300 and the alarms' period_seconds is 60; most "
     "periods would have no value; publish every 60 seconds",
     {(*DIGITS, "monitoring"): {"thresholds": {"period_seconds": 300}}, (*DIGITS,
      "metrics_config"): EVERY_5_MINUTES}),
]  # fmt: skip

TEMPLATES: list[Case] = [
    ("scaling-policy-form", {"Policy.PolicyType": "StepScaling"},
     "TargetTrackingScalingPolicyConfiguration is given and PolicyType is StepScaling; remove", {}),
    ("scaling-policy-form", {f"{TRACKING}": {"TargetValue": 70}},
     "TargetTrackingScalingPolicyConfiguration has no metric; add PredefinedMetricSpecification",
     {}),
    ("scaling-metric", {f"{TRACKING}.PredefinedMetricSpecification.PredefinedMetricType": LAMBDAS},
     f"PredefinedMetricType follows {LAMBDAS}, which a real-time variant does not have; use", {}),
    ("aws-value", {f"{V0}.RoutingConfig": {"RoutingStrategy": "RANDM"}},
     "RoutingStrategy is 'RANDM'; it must be LEAST_OUTSTANDING_REQUESTS, RANDOM, PREFIX_AWARE",
     {f"{V0}.RoutingConfig": {"RoutingStrategy": "RANDOM"}}),
    ("aws-value", {"Policy.PolicyType": "TargetTracking"},
     "PolicyType is 'TargetTracking'; it must be StepScaling, TargetTrackingScaling,",
     {"Policy.PolicyType": "TargetTrackingScaling"}),
    ("aws-required", {f"{V0}.RoutingConfig": {}}, "RoutingConfig needs RoutingStrategy; add it",
     {f"{V0}.RoutingConfig": {"RoutingStrategy": "RANDOM"}}),
    ("aws-type", {f"{V0}.ModelName": {"Name": "mine"}},
     "ModelName is {'Name': 'mine'}; it must be text", {f"{V0}.ModelName": {"Ref": "Model"}}),
    ("variant-timeouts", {f"{V0}.VariantInstanceProvisionTimeoutInSeconds": "3601"},
     "VariantInstanceProvisionTimeoutInSeconds is 3601; it must be 300 to 3600; use 3600",
     {f"{V0}.VariantInstanceProvisionTimeoutInSeconds": "3600"}),
    ("variant-prefix-routing", {f"{V0}.RoutingConfig": {"RoutingStrategy": "PREFIX_AWARE"}},
     "RoutingStrategy is PREFIX_AWARE and PrefixAwareRoutingConfig is missing; add it",
     {f"{V0}.RoutingConfig": {"RoutingStrategy": "RANDOM"}}),
    ("ami-driver",
     {f"{V0}.InstanceType": "ml.g5.xlarge", f"{V0}.InferenceAmiVersion": AMI,
      "Model.PrimaryContainer.Image": CUDA_13},
     f"InferenceAmiVersion is {AMI} with NVIDIA driver 550; the image has CUDA 13.0",
     {f"{V0}.InstanceType": "ml.g5.xlarge", f"{V0}.InferenceAmiVersion": AMI,
      "Model.PrimaryContainer.Image": GPU_IMAGE}),
    ("pools-order",
     {f"{V0}.InstanceType": None, f"{V0}.InstancePools": [{"InstanceType": "ml.c5.large"}]},
     "an entry of InstancePools needs Priority; add it",
     {f"{V0}.InstanceType": None, f"{V0}.InstancePools": [{"InstanceType": "ml.c5.large",
      "Priority": 1}]}),
    ("pools-order",
     {f"{V0}.InstanceType": None, f"{V0}.InstancePools": [{"InstanceType": "ml.c5.large",
      "Priority": 1}, {"InstanceType": "ml.m5.large", "Priority": 1}]},
     "Priority 1 stands above, too; give each pool its own",
     {f"{V0}.InstanceType": None, f"{V0}.InstancePools": [{"InstanceType": "ml.c5.large",
      "Priority": 1}, {"InstanceType": "ml.m5.large", "Priority": 2}]}),
    ("pools-alike",
     {f"{V0}.InstanceType": None, f"{V0}.InstancePools": [{"InstanceType": "ml.c5.large",
      "Priority": 1}, {"InstanceType": "ml.c7g.large", "Priority": 2}]},
     "InstanceType has ml.c5.large and ml.c7g.large, which do not run the same image",
     {f"{V0}.InstanceType": None, f"{V0}.InstancePools": [{"InstanceType": "ml.c5.large",
      "Priority": 1}, {"InstanceType": "ml.c7g.large", "Priority": 2,
      "ModelNameOverride": "other"}]}),
    ("metrics-frequency", {"Config.MetricsConfig": {"MetricPublishFrequencyInSeconds": 5}},
     "MetricPublishFrequencyInSeconds is 5; it must be 10, 30, 60, 120, 180, 240 or 300; use 10",
     {"Config.MetricsConfig": {"MetricPublishFrequencyInSeconds": 10}}),
]  # fmt: skip
