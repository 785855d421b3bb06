"""What Neo says of a failed job, and the sentence that the deploy fails with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sagemaker_serving.functions.neo_compilation.request import Request
from sagemaker_serving.functions.neo_compilation.sentences import went_wrong, why_failed
from tests.functions.neo_compilation.driving import Listener, event, properties
from tests.local_aws.aws import Aws, archive

CLIENT = "ClientError: InputConfiguration: "
ARCHIVES = {
    "two.tar.gz": {"a.pb": b"", "b.pb": b"", "code/c.pb": b""},
    "nine.tar.gz": {f"{number}.pth": b"" for number in range(9)},
    "readme.tar.gz": {"readme.md": b""},
    "empty.tar.gz": {},
}
SAID = [
    # what SageMaker says, the archive, Neo's framework, the sentence
    (f"{CLIENT}Exactly one .pb file is allowed for TensorFlow models.", "two.tar.gz", "TENSORFLOW",
     "Neo compiles TENSORFLOW from exactly one .pb or .pbtxt file, and the archive holds 2: "
     "a.pb, b.pb; leave the others out (SageMaker: ClientError: "),
    (f"{CLIENT}SavedModel is expected to have one variables folder.", "readme.tar.gz", "TENSORFLOW",
     "a SavedModel is compiled together with its variables/ folder, and the archive holds "
     "readme.md; put the folder in"),
    (f"{CLIENT}No h5 file provided in the model archive", "readme.tar.gz", "KERAS",
     "exactly one .h5 file, and the archive holds 0: readme.md; put it in"),
    (f"{CLIENT}No h5 file provided in the model archive", "empty.tar.gz", "KERAS",
     "the archive holds 0: nothing; put it in"),
    (f"{CLIENT}Only one pth file is allowed for PyTorch model.", "nine.tar.gz", "PYTORCH",
     "exactly one .pth or .pt file, and the archive holds 9: 0.pth, 1.pth, 2.pth, 3.pth, 4.pth, "
     "5.pth and 3 more; leave the others out"),
    (f"{CLIENT}Only one onnx file is allowed for ONNX model.", "readme.tar.gz", "ONNX",
     "exactly one .onnx file"),
    (f"{CLIENT}No valid Mxnet model file -symbol.json found", "readme.tar.gz", "MXNET",
     "exactly one .json file"),
    (f"{CLIENT}Only one parameter file is allowed for MXNet model.", "readme.tar.gz", "MXNET",
     "exactly one .params file"),
    (f"{CLIENT}Only one model file is allowed for XGBoost model.", "readme.tar.gz", "XGBOOST",
     "exactly one .model file"),
    (f"{CLIENT}No h5 file provided in the model archive", "gone.tar.gz", "KERAS",
     "what it holds cannot be read here: An error occurred (NoSuchKey)"),
    (f"{CLIENT}Input x has wrong shape in Input Shape dictionary.", "two.tar.gz", "TENSORFLOW",
     'data_input_config is {"x":[1]}, and the model\'s signature takes {x: [?, 2]}; use that'),
    (f"{CLIENT}TVM cannot convert the PyTorch model. Invalid model or input-shape mismatch.",
     "two.tar.gz", "PYTORCH", "data_input_config is"),
    (f"{CLIENT}Unable to untar input model. Please confirm the model is a tar.gz file",
     "two.tar.gz", "KERAS", "s3://models/two.tar.gz is not a .tar.gz archive; pack it with"),
    (f"{CLIENT}S3 object does not exist. Bucket: models, Key: two.tar.gz", "two.tar.gz", "KERAS",
     "there is no archive at s3://models/two.tar.gz"),
    (f"{CLIENT}Bucket b is in region r which is different from AWS Sagemaker service region s",
     "two.tar.gz", "KERAS", "lies in another region than the deploy"),
    ("ClientError: An error occurred (AccessDenied) when calling the GetObject operation",
     "two.tar.gz", "KERAS",
     "the compilation's role arn:aws:iam::123456789012:role/model may not read the archive"),
    ("CapacityError: Unable to provision", "two.tar.gz", "KERAS", "has no capacity to compile"),
    ("TimeOut: the job did not complete", "two.tar.gz", "KERAS",
     "took longer than max_runtime_in_seconds, 900"),
    ("OperatorNotImplemented: The following operators are not implemented: {'RNN'}", "two.tar.gz",
     "ONNX", "Neo cannot compile an operation of this model"),
    ("There was an unexpected error during compilation, check your inputs", "two.tar.gz", "KERAS",
     "SageMaker itself failed while it compiled"),
    ("something that nobody has met yet", "two.tar.gz", "KERAS",
     "compilation job neo-x failed: something that nobody has met yet; its log is in"),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _archives(aws: Aws) -> None:
    for name, files in ARCHIVES.items():
        aws.s3.put_object(Bucket="models", Key=name, Body=archive(files))


def asked(listener: Listener, model: str, framework: str, **more: Any) -> Mapping[str, Any]:
    given = properties(model, ModelInputs="{x: [?, 2]}")
    given["InputConfig"] |= {"Framework": framework, "DataInputConfig": '{"x":[1]}', **more}
    return event(listener, given)


@pytest.mark.parametrize(("reason", "model", "framework", "said"), SAID)
def test_the_sentence_says_what_is_wrong_and_what_to_do(
    listener: Listener, reason: str, model: str, framework: str, said: str
) -> None:
    request = Request.of(asked(listener, model, framework))
    sentence = why_failed({"CompilationJobName": "neo-x", "FailureReason": reason}, request)
    assert said in sentence
    assert reason[:40] in sentence, "SageMaker's own words are told too"


def test_shapes_are_told_without_a_signature(listener: Listener) -> None:
    request = Request.of(event(listener, properties("two.tar.gz")))
    job = {"CompilationJobName": "neo-x", "FailureReason": "wrong shape"}
    assert "does not fit the model's inputs; compare" in why_failed(job, request)


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("ResourceLimitExceeded: 10 jobs", "as many compilation jobs as it may at once"),
        ('{"errorMessage": "it broke"}', "compiling could not be begun or followed: it broke"),
        (
            '{"errorMessage": "Could not assume role arn:x. Please ensure that the role exists"}',
            "compiling could not be begun or followed: Could not assume role arn:x. Please ensure",
        ),
        ("[]", "compiling could not be begun or followed: []"),
    ],
)
def test_the_functions_own_errors_are_told(cause: str, said: str) -> None:
    assert said in went_wrong({"Error": "X", "Cause": cause})
