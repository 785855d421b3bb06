"""Templates with one thing wrong that people met: a model of a hub, its server, its image."""

from __future__ import annotations

from typing import Any

from tests.rules.template_cases import CAPTURE, CONTAINER, IMAGE, JOB, PYTORCH, V0, Case

_AWS = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"
DJL = f"{_AWS}/djl-inference:0.33.0-lmi15.0.0-cu128"
TGI = f"{_AWS}/huggingface-pytorch-tgi-inference:2.7.0-tgi3.3.6-gpu-py311-cu124-ubuntu22.04"
TOOLKIT = f"{_AWS}/huggingface-pytorch-inference:2.6.0-transformers4.51.3-cpu-py312-ubuntu22.04"


def hub(image: str, host: str = "ml.g5.2xlarge", **environment: str) -> dict[str, Any]:
    """A model that its container fetches by an id."""
    return {
        f"{CONTAINER}.Image": image,
        f"{CONTAINER}.ModelDataUrl": None,
        f"{CONTAINER}.Environment": {"HF_MODEL_ID": "a/b", **environment},
        f"{V0}.InstanceType": host,
    }


HUB: list[Case] = [
    ("model-dtype", hub(DJL, "ml.g4dn.12xlarge", OPTION_DTYPE="bf16"),
     "the T4 of ml.g4dn.12xlarge has no bfloat16; use fp16",
     hub(DJL, "ml.g4dn.12xlarge", OPTION_DTYPE="fp16")),
    ("model-gpus", hub(TGI, SM_NUM_GPUS="2"),
     "so that the model is shared by 2 GPUs, and ml.g5.2xlarge has 1", hub(TGI, SM_NUM_GPUS="1")),
    ("model-tokens", hub(TGI, MAX_TOTAL_TOKENS="8192", MAX_BATCH_TOTAL_TOKENS="4096"),
     "MAX_TOTAL_TOKENS is 8192 and MAX_BATCH_TOTAL_TOKENS 4096",
     hub(TGI, MAX_TOTAL_TOKENS="4096", MAX_BATCH_TOTAL_TOKENS="4096")),
    ("model-tokens", hub(TGI, MAX_INPUT_TOKENS="1024", MAX_INPUT_LENGTH="1024"),
     "the launcher takes one of them; remove it", hub(TGI, MAX_INPUT_TOKENS="1024")),
    ("model-quantize", hub(TGI, HF_MODEL_QUANTIZE="bitsandbyte"), "did you mean bitsandbytes?",
     hub(TGI.replace("tgi3.3.6", "tgi0.6.0"), HF_MODEL_QUANTIZE="true")),
    ("model-task", hub(TOOLKIT, "ml.m5.large", HF_TASK="text-clasification"),
     "use text-classification", hub(TOOLKIT, "ml.m5.large", HF_TASK="translation_en_to_de")),
    ("model-id-gated", hub(TGI, HF_MODEL_ID="meta-llama/Llama-3.1-8B"),
     "which Hugging Face gives only to whom its owner let in",
     hub(TGI, HF_MODEL_ID="meta-llama/Llama-3.1-8B", HF_TOKEN="hf_secret")),
    ("container-variable-quotes", hub(TGI, HF_MODEL_ID='"a/b"'), "with its quotes; write a/b",
     hub(TGI)),
    ("container-variable-unknown",
     {f"{CONTAINER}.Environment": {"SAGEMAKER_PROGRAM": "inference.py"}},
     "the image's container does not read SAGEMAKER_PROGRAM",
     {**PYTORCH, f"{CONTAINER}.Environment": {"SAGEMAKER_PROGRAM": "inference.py"}}),
    ("async-container",
     {**hub(DJL.replace("0.33.0-lmi15.0.0-cu128", "0.29.0-lmi11.0.0-cu124")),
      "Config.AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}}, "0.31.0",
     {**hub(DJL), "Config.AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}}),
    ("image-tag", {f"{CONTAINER}.Image": IMAGE.rpartition(":")[0] + ":latest"}, "latest",
     {f"{CONTAINER}.Image": IMAGE}),
    ("image-training", {f"{CONTAINER}.Image": f"{_AWS}/pytorch-training:2.6.0-cpu-py312"},
     "pytorch-training", PYTORCH),
    ("location-bucket",
     {"Config.DataCaptureConfig": {**CAPTURE, "DestinationS3Uri": "s3://Mine/captured"}}, "Mine",
     {"Config.DataCaptureConfig": {**CAPTURE, "DestinationS3Uri": "s3://mine/Captured"}}),
    ("transform-payload-server", {**PYTORCH, f"{JOB}.MaxPayloadInMB": 50},
     "TorchServe takes requests of 6,553,500 bytes", {**PYTORCH, f"{JOB}.MaxPayloadInMB": 6}),
]  # fmt: skip
