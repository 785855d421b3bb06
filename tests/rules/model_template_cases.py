"""Templates with one thing wrong in a model, in a name, or in tags."""

from __future__ import annotations

from typing import Any

from tests.rules.template_cases import (
    CONTAINER,
    GPU_IMAGE,
    IMAGE,
    MULTI,
    PORTS,
    TRITON,
    V0,
    Case,
    tags,
)

PYTORCH = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-inference:{}-cpu-py312"


GZIP = {"CompressionType": "Gzip"}
LICENSED = "s3://jumpstart-private-cache-prod-eu-west-1/meta/llama/artifacts/"


def unpacked(uri: str, **more: Any) -> dict[str, Any]:
    source = {"S3Uri": uri, "S3DataType": "S3Prefix", "CompressionType": "None", **more}
    return {"S3DataSource": source}


MODELS: list[Case] = [
    (
        "container-environment",
        {f"{CONTAINER}.Environment": {"KEY": "x" * 2000}},
        "KEY has 2000 characters; it takes at most 1024",
        {f"{CONTAINER}.Environment": {"KEY": "x" * 1024}},
    ),
    (
        "container-environment",
        {f"{CONTAINER}.Environment": {f"K{n}": n for n in range(101)}},
        "nvironment has 101 entries; it takes at most 100",
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
        "ontainers has 16 entries; it takes at most 15",
        {"Model.Containers": [{"Image": IMAGE}] * 15, CONTAINER: None},
    ),
    (
        "container-source",
        {f"{CONTAINER}.Image": None},
        "the container has neither Image nor ModelPackageName",
        {f"{CONTAINER}.Image": None, f"{CONTAINER}.ModelPackageName": "package"},
    ),
    (
        "model-licence",
        {CONTAINER: {"Image": IMAGE, "ModelDataSource": unpacked(LICENSED)}},
        "the model has a licence agreement; read it, and accept it by ModelAccessConfig",
        {
            CONTAINER: {
                "Image": IMAGE,
                "ModelDataSource": unpacked(LICENSED, ModelAccessConfig={"AcceptEula": True}),
            }
        },
    ),
    (
        "network",
        {"Model.VpcConfig": {"Subnets": ["s"] * 17, "SecurityGroupIds": ["g"]}},
        "Subnets has 17 entries; it takes 1 to 16",
        {"Model.VpcConfig": {"Subnets": ["s"] * 16, "SecurityGroupIds": ["g"]}},
    ),
    (
        "network",
        {"Model.VpcConfig": {"Subnets": ["s"], "SecurityGroupIds": []}},
        "SecurityGroupIds has 0 entries; it takes 1 to 5; add one",
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
        "SageMaker loads one archive: s3://<bucket>/<key>",
        {f"{CONTAINER}.ModelDataUrl": {"Fn::Sub": "s3://${Bucket}/model.tar.gz"}},
    ),
    (
        "model-data-form",
        {f"{CONTAINER}.ModelDataUrl": "https://example.com/bucket/model.tar.gz"},
        "SageMaker loads one archive: s3://<bucket>/<key>",
        {f"{CONTAINER}.ModelDataUrl": "https://s3.eu-west-1.amazonaws.com/bucket/model.tar.gz"},
    ),
    (
        "model-data-form",
        {f"{CONTAINER}.Mode": "MultiModel"},
        "the container is multi-model; it loads the archives below a prefix",
        {f"{CONTAINER}.Mode": "MultiModel", f"{CONTAINER}.ModelDataUrl": "s3://bucket/models/"},
    ),
    (
        "model-data-source",
        {CONTAINER: {"Image": IMAGE, "ModelDataSource": unpacked("s3://b/m/", **GZIP)}},
        "CompressionType is Gzip and S3DataType is S3Prefix, below which the files are not packed",
        {
            CONTAINER: {
                "Image": IMAGE,
                "ModelDataSource": unpacked("s3://b/m.tar.gz", **GZIP, S3DataType="S3Object"),
            }
        },
    ),
    (
        "model-data-source",
        {f"{CONTAINER}.ModelDataUrl": None, f"{CONTAINER}.ModelDataSource": unpacked("s3://b/m")},
        "S3Uri is 's3://b/m' and S3DataType is S3Prefix; an S3Prefix ends with a slash",
        {f"{CONTAINER}.ModelDataUrl": None, f"{CONTAINER}.ModelDataSource": unpacked("s3://b/m/")},
    ),
    (
        "model-data-source",
        {f"{CONTAINER}.ModelDataSource": unpacked("s3://b/m/")},
        "ModelDataUrl stands beside ModelDataSource; a container takes one of them",
        {f"{CONTAINER}.ModelDataSource": None},
    ),
    (
        "location-region",
        {f"{CONTAINER}.ModelDataSource": unpacked("s3://sagemaker-us-east-1-111122223333/m/")},
        "S3Uri is 's3://sagemaker-us-east-1-111122223333/m/', whose bucket seems to lie in",
        {f"{CONTAINER}.ModelDataSource": unpacked("s3://sagemaker-eu-west-1-111122223333/m/")},
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
        "container-variable",
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
        "multi-model-pytorch",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Image": PYTORCH.format("2.4.0"),
            f"{CONTAINER}.Environment": {"TS_ENABLE_MODEL_API": "1"},
        },
        "its TorchServe refuses to load models, since its settings lack a line break; add "
        "TS_ENABLE_MODEL_API: 'true' to the environment, or use an image up to 2.3",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Image": PYTORCH.format("2.4.0"),
            f"{CONTAINER}.Environment": {"TS_ENABLE_MODEL_API": "true"},
        },
    ),
    (
        "multi-model-pytorch",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Image": PYTORCH.format("2.6.0"),
        },
        "Mode is 'MultiModel' and the image has PyTorch 2.6; its TorchServe refuses",
        {
            **{f"{CONTAINER}.{k}": v for k, v in MULTI.items()},
            f"{CONTAINER}.Image": PYTORCH.format("2.3.0"),
        },
    ),
    (
        "resource-name",
        {"Endpoint.EndpointName": "my_endpoint"},
        "EndpointName is 'my_endpoint'; it must be 1 to 63 letters",
        {"Endpoint.EndpointName": "my-endpoint"},
    ),
    (
        "resource-name",
        {"Model.ModelName": "m" * 64},
        "ModelName has 64 characters; it takes at most 63",
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
        "the tag key 'a' is given twice",
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
