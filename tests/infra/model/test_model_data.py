"""An archive reaches the cloud assembly without being copied, and its key ends in .tar.gz."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk.assertions import Template

from sagemaker_serving.infra import Container, ContainerImage, ExecutionRole, Model, ModelData
from sagemaker_serving.infra.model.model_data import assets_bucket
from tests.models import archive, saved_model


def file_assets(bench: Any) -> list[dict[str, Any]]:
    """What the CDK CLI would upload beside the template."""
    bench.app.synth()
    manifest = json.loads(Path(bench.app.outdir, "Stack.assets.json").read_text())
    assets = [*manifest["files"].values()]
    return [asset for asset in assets if not asset["source"]["path"].endswith(".template.json")]


def test_a_ready_archive_is_linked_and_never_copied(bench: Any, tmp_path: Path) -> None:
    ready = tmp_path / "model.tar.gz"
    ready.write_bytes(archive({"m/1/saved_model.pb": saved_model()}))
    ModelData.from_path(ready).bind(bench.stack, bench.role)
    (asset,) = file_assets(bench)
    (destination,) = asset["destinations"].values()
    assert Path(bench.app.outdir, asset["source"]["path"]).samefile(ready)
    assert asset["source"]["packaging"] == "file"
    assert destination["objectKey"].endswith(".tar.gz")


def test_a_synthesizer_without_a_qualifier_tells_the_bucket_once_a_model_is_sent(
    bench: Any,
) -> None:
    stack = cdk.Stack(bench.app, "Legacy", synthesizer=cdk.LegacyStackSynthesizer())
    assert assets_bucket(stack) is None
    role = ExecutionRole(stack, "Role")
    ModelData.from_path(bench.model_folder).bind(stack, role)
    assert assets_bucket(stack) is not None
    assert "cdk-None" not in json.dumps(Template.from_stack(stack).to_json())


def test_binding_twice_packs_once(bench: Any) -> None:
    first = ModelData.from_path(bench.model_folder).bind(bench.stack, bench.role)
    second = ModelData.from_path(bench.model_folder).bind(bench.stack, bench.role)
    assert first.identity == second.identity
    assert len(file_assets(bench)) == 1


def test_a_folder_sent_as_it_is_keeps_its_prefix_until_a_byte_of_it_changes(
    bench: Any, new_bench: Any
) -> None:
    def bound(folder: Path) -> Any:
        found = ModelData.from_folder(folder).bind(bench.stack, bench.role)
        return bench.stack.resolve([found.url, found.identity])

    other, before = new_bench(), bound(bench.model_folder)
    assert bound(bench.model_folder) == bound(other.model_folder) == before
    other.write("digits/1/saved_model.pb", "grapH")
    changed = bound(other.model_folder)
    assert all(after != told for after, told in zip(changed, before, strict=True))
    assert len(file_assets(bench)) == 2


def test_files_below_a_prefix_are_named_as_a_source_and_their_role_reads_that_prefix_alone(
    bench: Any,
) -> None:
    image = ContainerImage.from_uri("111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1")
    files = [ModelData.from_s3_prefix(f"s3://models/{name}/") for name in ("one", "two")]
    parts = [Container(image=image, model_data=each) for each in files]
    model = Model(
        bench.stack, "Model", role=bench.role, instance_type="ml.m5.large", containers=parts
    )
    template = Template.from_stack(bench.stack)
    (rendered,) = template.find_resources("AWS::SageMaker::Model").values()
    assert [part["ModelDataSource"] for part in rendered["Properties"]["Containers"]] == [
        {
            "S3DataSource": {
                "S3Uri": f"s3://models/{name}/",
                "S3DataType": "S3Prefix",
                "CompressionType": "None",
            }
        }
        for name in ("one", "two")
    ]
    (policy,) = template.find_resources("AWS::IAM::Policy").values()
    read = json.dumps(policy["Properties"]["PolicyDocument"]["Statement"])
    for name in ("one", "two"):
        assert f":s3:::models/{name}/*" in read
        assert f'{{"s3:prefix": "{name}/*"}}' in read
    assert model.identity


def test_a_role_reads_one_archive_and_decrypts_by_the_key_of_its_bucket(bench: Any) -> None:
    arn = "arn:aws:kms:eu-west-1:111122223333:key/models"
    sealed = s3.Bucket.from_bucket_attributes(
        bench.stack,
        "Sealed",
        bucket_name="sealed",
        encryption_key=kms.Key.from_key_arn(bench.stack, "Key", arn),
    )
    for data in (
        ModelData.from_s3("s3://open/a.tar.gz"),
        ModelData.from_bucket(sealed, "b.tar.gz"),
    ):
        data.bind(bench.stack, bench.role)
    (policy,) = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy").values()
    *reading, decrypting = policy["Properties"]["PolicyDocument"]["Statement"]
    assert [each["Action"] for each in reading] == ["s3:GetObject"] * 2
    assert [each["Resource"]["Fn::Join"][1][-1] for each in reading] == [
        ":s3:::open/a.tar.gz",
        ":s3:::sealed/b.tar.gz",
    ]
    assert (decrypting["Action"], decrypting["Resource"]) == ("kms:Decrypt", arn)


def test_a_prefix_with_another_sha256_is_another_model(bench: Any) -> None:
    identities = [
        ModelData.from_s3_prefix("s3://models/m/", sha256=sha256).bind(bench.stack, bench.role)
        for sha256 in (None, "1", "2")
    ]
    assert len({str(bound.identity) for bound in identities}) == 3
