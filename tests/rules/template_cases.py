"""Templates with one thing wrong, what is said of it, and the nearest template that is right."""

from __future__ import annotations

from typing import Any

from sagemaker_serving.catalog.request_sizes import REAL_TIME

Resources = dict[str, Any]
Change = dict[str, Any]

IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.20-cpu-py312"
NO_JOB = {"Job.ModelName": "another"}
GPU_IMAGE = IMAGE.replace("-cpu", "-gpu")
TRITON = "007439368137.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-tritonserver:24.05-py3"
MULTI = {"Mode": "MultiModel", "ModelDataUrl": "s3://bucket/models/"}
PORTS = "SAGEMAKER_SAFE_PORT_RANGE"
SERVERLESS = {"MemorySizeInMB": 2048, "MaxConcurrency": 5}
CAPTURE = {
    "InitialSamplingPercentage": 10,
    "DestinationS3Uri": "s3://bucket/captured/",
    "CaptureOptions": [{"CaptureMode": "Input"}],
}
ON_SERVERLESS = {
    "Config.ProductionVariants.0.ServerlessConfig": SERVERLESS,
    "Config.ProductionVariants.0.InstanceType": None,
    "Config.ProductionVariants.0.InitialInstanceCount": None,
}
V0 = "Config.ProductionVariants.0"
CONTAINER = "Model.PrimaryContainer"
PYTORCH = {
    f"{CONTAINER}.Image": "763104351884.dkr.ecr.eu-west-1.amazonaws.com/"
    "pytorch-inference:2.6.0-cpu-py312-ubuntu22.04-sagemaker"
}
ROUTING = "Endpoint.DeploymentConfig.BlueGreenUpdatePolicy.TrafficRoutingConfiguration"
JOB = "Job"
NEO = "Neo"


def percent(value: int) -> dict[str, Any]:
    return {"Type": "CAPACITY_PERCENT", "Value": value}


def canary(**change: Any) -> dict[str, Any]:
    return {
        "Type": "CANARY",
        "CanarySize": percent(10),
        "WaitIntervalInSeconds": 300,
        **change,
    }


def linear(**change: Any) -> dict[str, Any]:
    return {
        "Type": "LINEAR",
        "LinearStepSize": percent(25),
        "WaitIntervalInSeconds": 600,
        **change,
    }


def rolling(**change: Any) -> dict[str, Any]:
    return {"MaximumBatchSize": percent(20), "WaitIntervalInSeconds": 60, **change}


def variant(name: str, **change: Any) -> dict[str, Any]:
    return {
        "VariantName": name,
        "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
        "InstanceType": "ml.c5.large",
        "InitialInstanceCount": 1,
        **change,
    }


def tags(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in pairs]


Case = tuple[str, Change, str, Change]

SERVING: list[Case] = [
    # rule, what is wrong, what is said, the nearest that passes
    ("endpoint-instance-type", {f"{V0}.InstanceType": "ml.m7g.large"},
     "InstanceType is 'ml.m7g.large'; endpoints do not take it; use ml.m7i.large",
     {f"{V0}.InstanceType": "ml.m7i.large"}),
    ("endpoint-instance-type",
     {f"{V0}.InstanceType": None, f"{V0}.InstancePools": [{"InstanceType": "ml.t3.large",
      "Priority": 1}]}, "InstanceType is 'ml.t3.large'; endpoints do not take it",
     {f"{V0}.InstanceType": None, f"{V0}.InstancePools": [{"InstanceType": "ml.m5.large",
      "Priority": 1}]}),
    ("endpoint-instance-region", {f"{V0}.InstanceType": "ml.trn1.2xlarge"},
     "the price list of eu-west-1 lacks it", {f"{V0}.InstanceType": "ml.inf2.xlarge"}),
    ("image-support", {f"{CONTAINER}.Image": IMAGE.replace("2.20-cpu-py312", "2.19-cpu")},
     "Image is tensorflow-inference:2.19-cpu, whose patches ended on 2026-03-11; use "
     "tensorflow-inference:2.20-cpu-py312, patched until 2027-08-20",
     {f"{CONTAINER}.Image": IMAGE}),
    ("instance-retired", {f"{V0}.InstanceType": "ml.p3.2xlarge"},
     "no region's price list does; use ml.g5 of a like size",
     {f"{V0}.InstanceType": "ml.g5.2xlarge"}),
    (
        "neuron-needs-compiled-model",
        {f"{V0}.InstanceType": "ml.inf2.xlarge"},
        "Image is tensorflow-inference:2.20-cpu-py312 on ml.inf2.xlarge, an Inferentia2 host",
        {
            f"{V0}.InstanceType": "ml.inf2.xlarge",
            f"{CONTAINER}.Image": "763104351884.dkr.ecr.eu-west-1.amazonaws.com/"
            "huggingface-pytorch-inference-neuronx:2.1.2-transformers4.43.2-neuronx-py310",
        },
    ),
    ("burstable-batching",
     {f"{V0}.InstanceType": "ml.t2.medium",
      f"{CONTAINER}.Environment": {"SAGEMAKER_TFS_ENABLE_BATCHING": "true"}},
     "whose CPU is throttled when its credits are spent, and batching is on",
     {f"{V0}.InstanceType": "ml.t2.medium",
      f"{CONTAINER}.Environment": {"SAGEMAKER_TFS_ENABLE_BATCHING": "false"}}),
    ("batching-queue",
     {f"{V0}.InstanceType": "ml.c5.large",
      f"{CONTAINER}.Environment": {"SAGEMAKER_TFS_ENABLE_BATCHING": "true"}},
     "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES is 2, one for each CPU, and 2 batches are worked on",
     {f"{V0}.InstanceType": "ml.c5.xlarge",
      f"{CONTAINER}.Environment": {"SAGEMAKER_TFS_ENABLE_BATCHING": "true"}}),
    ("elastic-inference-ended", {f"{V0}.AcceleratorType": "ml.eia2.medium"},
     "AcceleratorType is 'ml.eia2.medium'; AWS has ended Elastic Inference; use a small GPU",
     {f"{V0}.InstanceType": "ml.g4dn.xlarge"}),
    ("elastic-inference-type", {f"{V0}.AcceleratorType": "ml.eia3.medium"},
     "there were ml.eia1.medium", {f"{V0}.AcceleratorType": "ml.eia2.medium"}),
    ("elastic-inference-host",
     {f"{V0}.AcceleratorType": "ml.eia2.medium", f"{V0}.InstanceType": "ml.g4dn.xlarge"},
     "Elastic Inference went with x86 CPU instances only",
     {f"{V0}.AcceleratorType": "ml.eia2.medium"}),
    ("elastic-inference-multi-model",
     {f"{V0}.AcceleratorType": "ml.eia2.medium", f"{CONTAINER}.Mode": "MultiModel"},
     "Mode is 'MultiModel' on a variant with an Elastic Inference accelerator",
     {f"{V0}.AcceleratorType": "ml.eia2.medium"}),
    ("image-uri", {f"{CONTAINER}.Image": "docker.io/library/nginx:1"},
     "Image is 'docker.io/library/nginx:1'; endpoints pull only from ECR",
     {f"{CONTAINER}.Image": "registry.internal/nginx:1",
      f"{CONTAINER}.ImageConfig": {"RepositoryAccessMode": "Vpc"}}),
    ("image-uri", {f"{CONTAINER}.Image": IMAGE.replace("eu-west-1", "us-east-1")},
     "Image is in us-east-1; an endpoint in eu-west-1 pulls only from eu-west-1",
     {f"{CONTAINER}.Image": IMAGE}),
    ("image-account", {f"{CONTAINER}.Image": IMAGE.replace("763104351884", "626614931356")},
     "names the account 626614931356 for tensorflow-inference; in eu-west-1 it is 763104351884",
     {f"{CONTAINER}.Image": IMAGE.replace("763104351884", "111122223333")}),
    ("image-processor", {f"{V0}.InstanceType": "ml.g4dn.xlarge"},
     "Image is an image for CPUs and ml.g4dn.xlarge has 1 GPU",
     {f"{V0}.InstanceType": "ml.g4dn.xlarge", f"{CONTAINER}.Image": GPU_IMAGE, **NO_JOB}),
    ("image-processor", {"Job.TransformResources.InstanceType": "ml.g4dn.xlarge"},
     "Image is an image for CPUs and ml.g4dn.xlarge has 1 GPU",
     {"Job.TransformResources.InstanceType": "ml.m5.xlarge"}),
    ("image-processor", {f"{CONTAINER}.Image": GPU_IMAGE, **NO_JOB},
     "Image is an image for GPUs and ml.c5.large has no GPU", {f"{CONTAINER}.Image": IMAGE}),
    ("image-processor",
     {f"{V0}.InstanceType": "ml.c5.xlarge", f"{CONTAINER}.Image": GPU_IMAGE, **NO_JOB},
     "ml.c5.xlarge has no GPU",
     {f"{V0}.InstanceType": "ml.p3.2xlarge", f"{CONTAINER}.Image": GPU_IMAGE, **NO_JOB}),
    (
        "image-architecture",
        {f"{V0}.InstanceType": "ml.c7g.large"},
        "Image is an x86_64 image and ml.c7g.large is arm64",
        {
            f"{V0}.InstanceType": "ml.c7g.large",
            f"{CONTAINER}.Image": "763104351884.dkr.ecr.eu-west-1.amazonaws.com/"
            "tensorflow-inference-graviton:2.16.1-cpu-py310-ubuntu20.04-sagemaker",
            **NO_JOB,
        },
    ),
    ("variant-name", {f"{V0}.VariantName": "blue_1"}, "VariantName is 'blue_1'; it must be 1 to 63",
     {f"{V0}.VariantName": "blue-1"}),
    ("variant-count", {"Config.ProductionVariants": []},
     "ProductionVariants has 0 entries; it takes 1 to 10; add one",
     {"Config.ProductionVariants": [variant("a")]}),
    ("variant-count", {"Config.ProductionVariants": [variant(f"v{n}") for n in range(11)]},
     "ariants has 11 entries; it takes 1 to 10",
     {"Config.ProductionVariants": [variant(f"v{n}") for n in range(10)]}),
    ("variant-instances", {f"{V0}.InitialInstanceCount": "0"},
     "InitialInstanceCount is 0; it must be at least 1", {f"{V0}.InitialInstanceCount": "1"}),
    ("variant-complete", {f"{V0}.InstanceType": None},
     "InstanceType is missing and the variant is not serverless",
     {f"{V0}.InstanceType": {"Ref": "TypeParameter"}}),
    ("variant-complete", {f"{V0}.InitialInstanceCount": None}, "InitialInstanceCount is missing",
     {f"{V0}.InitialInstanceCount": None, f"{V0}.ManagedInstanceScaling": {"MinInstanceCount": 0,
      "MaxInstanceCount": 2}}),
    ("variant-mixed", {f"{V0}.ServerlessConfig": SERVERLESS},
     "InstanceType is given on a serverless variant", ON_SERVERLESS),
    ("shadow-variants",
     {"Config.ProductionVariants": [variant("a"), variant("b")],
      "Config.ShadowProductionVariants": [variant("s")]},
     "ProductionVariants has 2 variants; with a shadow there is exactly one production",
     {"Config.ShadowProductionVariants": [variant("s")]}),
    ("shadow-variants", {"Config.ShadowProductionVariants": [variant("s"), variant("t")]},
     "ShadowProductionVariants has 2 variants",
     {"Config.ShadowProductionVariants": [variant("s")]}),
    ("variant-names-unique", {"Config.ShadowProductionVariants": [variant("blue")]},
     "a variant named 'blue' stands above",
     {"Config.ShadowProductionVariants": [variant("shadow")]}),
    ("variant-volume", {f"{V0}.VolumeSizeInGB": 513},
     "VolumeSizeInGB is 513; it must be 1 to 512; use 512", {f"{V0}.VolumeSizeInGB": 512}),
    ("variant-volume-local", {f"{V0}.VolumeSizeInGB": 100, f"{V0}.InstanceType": "ml.g4dn.xlarge"},
     "which has 125 GB of local storage instead of a volume",
     {f"{V0}.VolumeSizeInGB": 100, f"{V0}.InstanceType": "ml.m5.xlarge"}),
    ("variant-timeouts", {f"{V0}.ContainerStartupHealthCheckTimeoutInSeconds": 30},
     "ContainerStartupHealthCheckTimeoutInSeconds is 30; it must be 60 to 3600; use 60",
     {f"{V0}.ContainerStartupHealthCheckTimeoutInSeconds": 60}),
    ("managed-scaling-bounds",
     {f"{V0}.ManagedInstanceScaling": {"MinInstanceCount": 3, "MaxInstanceCount": 2}},
     "MaxInstanceCount is 2 and MinInstanceCount is 3",
     {f"{V0}.ManagedInstanceScaling": {"MinInstanceCount": 2, "MaxInstanceCount": 2}}),
    ("serverless-memory",
     {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "MemorySizeInMB": 1500}},
     "MemorySizeInMB is 1500; serverless endpoints accept 1024, 2048, 3072, 4096, 5120 or 6144; "
     "use 2048, the next size up", ON_SERVERLESS),
    ("serverless-memory",
     {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "MemorySizeInMB": 8192}},
     "use 6144, the largest",
     {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "MemorySizeInMB": 6144}}),
    ("serverless-memory", {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {"MaxConcurrency": 5}},
     "ServerlessConfig needs MemorySizeInMB; add it", ON_SERVERLESS),
    ("serverless-concurrency",
     {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "ProvisionedConcurrency": 6}},
     "ProvisionedConcurrency is 6 and MaxConcurrency is 5",
     {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "ProvisionedConcurrency": 5}}),
    ("serverless-concurrency",
     {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "MaxConcurrency": 201}},
     "MaxConcurrency is 201; it must be 1 to 200; use 200",
     {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "MaxConcurrency": 200}}),
    ("serverless-alone",
     {"Config.ProductionVariants": [variant("a", ServerlessConfig=SERVERLESS, InstanceType=None,
      InitialInstanceCount=None), variant("b")]},
     "the variant is serverless and the endpoint has others", ON_SERVERLESS),
    ("serverless-excludes", {**ON_SERVERLESS, "Config.DataCaptureConfig": CAPTURE},
     "DataCaptureConfig is given, but no serverless endpoint captures data",
     {**ON_SERVERLESS, "Config.DataCaptureConfig": {**CAPTURE, "EnableCapture": False}}),
    ("serverless-excludes", {**ON_SERVERLESS, "Config.EnableNetworkIsolation": "true"},
     "no serverless endpoint isolates its network",
     {**ON_SERVERLESS, "Config.EnableNetworkIsolation": "false"}),
    ("serverless-model", {**ON_SERVERLESS, f"{CONTAINER}.Image": GPU_IMAGE},
     "Image is an image for GPUs and the variant is serverless", ON_SERVERLESS),
    ("serverless-model", {**ON_SERVERLESS, f"{CONTAINER}.Mode": "MultiModel"},
     "Mode is 'MultiModel' on a serverless variant, which serves one model",
     {**ON_SERVERLESS, f"{CONTAINER}.Mode": "SingleModel"}),
    ("serverless-model",
     {**ON_SERVERLESS, CONTAINER: None, "Model.Containers": [{"Image": IMAGE}, {"Image": IMAGE}]},
     "the variant is serverless and its model has 2 containers",
     {**ON_SERVERLESS, CONTAINER: None, "Model.Containers": [{"Image": IMAGE}]}),
    ("serverless-network",
     {**ON_SERVERLESS, "Model.VpcConfig": {"Subnets": ["s-1"], "SecurityGroupIds": ["g-1"]}},
     "VpcConfig is given on the model of a serverless variant",
     {"Model.VpcConfig": {"Subnets": ["s-1"], "SecurityGroupIds": ["g-1"]}}),
    ("capture-ranges", {"Config.DataCaptureConfig": {**CAPTURE, "InitialSamplingPercentage": 101}},
     "InitialSamplingPercentage is 101; it must be 0 to 100; use 100",
     {"Config.DataCaptureConfig": {**CAPTURE, "InitialSamplingPercentage": 0}}),
    ("capture-ranges",
     {"Config.DataCaptureConfig": {**CAPTURE, "CaptureOptions": [{"CaptureMode": "Both"}]}},
     "CaptureMode is 'Both'; it must be Input, Output, InputAndOutput",
     {"Config.DataCaptureConfig": {**CAPTURE,
      "CaptureOptions": [{"CaptureMode": "InputAndOutput"}]}}),
    ("capture-complete", {"Config.DataCaptureConfig": {"EnableCapture": True}},
     "DataCaptureConfig needs DestinationS3Uri; add it", {"Config.DataCaptureConfig": CAPTURE}),
    (
        "async-ranges",
        {
            "Config.AsyncInferenceConfig": {
                "ClientConfig": {"MaxConcurrentInvocationsPerInstance": 1001},
                "OutputConfig": {"S3OutputPath": "s3://b/o/"},
            }
        },
        "MaxConcurrentInvocationsPerInstance is 1001; it must be 1 to 1000; use 1000",
        {
            "Config.AsyncInferenceConfig": {
                "ClientConfig": {"MaxConcurrentInvocationsPerInstance": 1000},
                "OutputConfig": {"S3OutputPath": "s3://b/o/"},
            }
        },
    ),
    ("async-output", {"Config.AsyncInferenceConfig": {"ClientConfig": {}}},
     "AsyncInferenceConfig needs OutputConfig; add it",
     {"Config.AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}}),
    ("shadow-excludes",
     {"Config.AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://b/o/"}},
      "Config.ShadowProductionVariants": [variant("s")]}, "shadow tests are of real-time endpoints",
     {"Config.ShadowProductionVariants": [variant("s")]}),
    ("endpoint-key-local",
     {"Config.KmsKeyId": "alias/mine", f"{V0}.InstanceType": "ml.g4dn.xlarge"},
     "KmsKeyId is given, but ml.g4dn.xlarge has local storage", {"Config.KmsKeyId": "alias/mine"}),
    ("payload-size", {**PYTORCH, f"{CONTAINER}.Environment": {"MMS_MAX_REQUEST_SIZE": "10000000"}},
     REAL_TIME.documented, {f"{CONTAINER}.Environment": {"MMS_MAX_REQUEST_SIZE": "10000000"}}),
    ("payload-size", {**PYTORCH, f"{CONTAINER}.Environment": {"TS_MAX_REQUEST_SIZE": 100000000}},
     REAL_TIME.documented,
     {**PYTORCH, f"{CONTAINER}.Environment": {"TS_MAX_REQUEST_SIZE": 100000000},
      "Config.AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}}),
    ("payload-size",
     {**ON_SERVERLESS, **PYTORCH, f"{CONTAINER}.Environment": {"MMS_MAX_REQUEST_SIZE": "6000000"}},
     "a serverless variant gets at most 4 MB",
     {**ON_SERVERLESS, **PYTORCH, f"{CONTAINER}.Environment": {"MMS_MAX_REQUEST_SIZE": "4000000"}}),
    ("answer-time",
     {f"{CONTAINER}.Environment": {"SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": "300"}},
     "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS is 300; InvokeEndpoint waits 60 seconds",
     {**PYTORCH, f"{CONTAINER}.Environment": {"SAGEMAKER_MODEL_SERVER_TIMEOUT": "300"}}),
    (
        "explainer-payload",
        {
            "Config.ExplainerConfig": {
                "ClarifyExplainerConfig": {"InferenceConfig": {"MaxPayloadInMB": 26}}
            }
        },
        "MaxPayloadInMB is 26; it must be 1 to 25",
        {
            "Config.ExplainerConfig": {
                "ClarifyExplainerConfig": {"InferenceConfig": {"MaxPayloadInMB": 25}}
            }
        },
    ),
]  # fmt: skip
