"""What an app is deployed as: which stacks go to which account, which images are only kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from local_aws.errors import DeployFailed, Mistake
from local_aws.process import docker
from local_aws.process.assembly import held, stacks_of
from local_aws.process.cdk import CdkCli
from tests.local_aws.aws import REGION, Aws, address_of
from tests.local_aws.cdk_cli import ROOT

REPOSITORY = f"cdk-hnb659fds-container-assets-123456789012-{REGION}"


def test_each_stack_has_its_account_and_one_for_any_account_the_first(tmp_path: Path) -> None:
    import aws_cdk as cdk

    app = cdk.App(outdir=str(tmp_path / "out"))
    for stage, account in {"Test": "111111111111", "Live": "222222222222"}.items():
        env = cdk.Environment(account=account, region=REGION)
        cdk.Stack(cdk.Stage(app, stage, env=env), "Shop")
    cdk.Stack(app, "Agnostic")
    assembly = Path(app.synth().directory)

    assert {stack.name: stack.account for stack in stacks_of(assembly)} == {
        "Test-Shop": "111111111111",
        "Live-Shop": "222222222222",
        "Agnostic": "123456789012",
    }


def test_stacks_are_meant_by_name_path_or_pattern(tmp_path: Path) -> None:
    import aws_cdk as cdk

    app = cdk.App(outdir=str(tmp_path / "out"))
    test = cdk.Stage(app, "Test")
    cdk.Stack(test, "Shop", env=cdk.Environment(region="us-west-2"))
    cdk.Stack(test, "Till")
    cdk.Stack(app, "Alone", stack_name="by-itself")
    assembly = Path(app.synth().directory)

    def names(*patterns: str) -> list[str]:
        return sorted(stack.name for stack in stacks_of(assembly, patterns))

    assert names() == ["Test-Shop", "Test-Till", "by-itself"]
    assert names("Test-Shop") == names("Test/Shop") == names("*/Shop") == ["Test-Shop"]
    assert names("Test/*", "by-itself") == names()
    assert {stack.region for stack in stacks_of(assembly)} == {None, "us-west-2"}
    with pytest.raises(Mistake, match=r"there is no stack Shop; there are .*Test/Shop"):
        names("Alone", "Shop")


def test_one_deploy_of_an_app_runs_at_a_time(tmp_path: Path) -> None:
    assembly, other = tmp_path / "state" / "cdk.out-dev", tmp_path / "state" / "cdk.out-prod"
    said = r"another deploy or destroy of dev runs; wait"
    with held(assembly), held(other), pytest.raises(Mistake, match=said):
        held(assembly).__enter__()
    with held(assembly):
        assert not assembly.exists()


@pytest.mark.long
@pytest.mark.slow
def test_image_assets_are_kept_in_ecr_and_told(aws: Aws, tmp_path: Path) -> None:
    assembly = _with_image(tmp_path, "FROM scratch")
    cli = _cli(aws)
    cli.bootstrap()

    assert cli.deploy(assembly) == ["Image"]
    assert cli.deploy(assembly) == ["Image"]

    (output,) = aws.client("cloudformation").describe_stacks(StackName="Images")["Stacks"][0][
        "Outputs"
    ]
    uri, _, tag = output["OutputValue"].partition(":")
    assert uri.endswith(f"amazonaws.com/{REPOSITORY}")
    images = aws.client("ecr").describe_images(repositoryName=REPOSITORY)["imageDetails"]
    assert [each["imageTags"] for each in images] == [[tag]]
    cli.destroy(assembly)


@pytest.mark.slow
@pytest.mark.long
def test_an_image_without_a_dockerfile_fails_the_deploy(aws: Aws, tmp_path: Path) -> None:
    assembly = _with_image(tmp_path, "FROM nothing")
    (dockerfile,) = assembly.glob("asset.*/Dockerfile")
    dockerfile.unlink()
    cli = _cli(aws)
    cli.bootstrap()

    with pytest.raises(DeployFailed):
        cli.deploy(assembly)


def test_a_container_is_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert docker.main(["--config", "folder", "run", "image"]) == 1
    assert capsys.readouterr().err == (
        "docker run is none of images, inspect, build, login, tag, push; the local AWS runs no "
        "containers\n"
    )


def _cli(aws: Aws) -> CdkCli:
    return CdkCli(ROOT, address_of(aws.gateway), REGION)


def _with_image(folder: Path, dockerfile: str) -> Path:
    import aws_cdk as cdk
    from aws_cdk import aws_ecr_assets as assets

    source = folder / "image"
    source.mkdir()
    (source / "Dockerfile").write_text(dockerfile)
    app = cdk.App(outdir=str(folder / "out"))
    stack = cdk.Stack(app, "Images", env=cdk.Environment(region=REGION))
    image = assets.DockerImageAsset(stack, "Image", directory=str(source))
    cdk.CfnResource(stack, "Topic", type="AWS::SNS::Topic")
    cdk.CfnOutput(stack, "Uri", value=image.image_uri)
    return Path(app.synth().directory)
