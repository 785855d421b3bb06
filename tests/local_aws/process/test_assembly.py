"""What of an app cannot be deployed as it is: other accounts are named, images are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from local_aws.errors import DeployFailed, Mistake
from local_aws.process import docker
from local_aws.process.cdk import CdkCli
from tests.local_aws.aws import REGION, Aws, address_of
from tests.local_aws.cdk_cli import ROOT

REPOSITORY = f"cdk-hnb659fds-container-assets-123456789012-{REGION}"


def test_stacks_of_other_accounts_are_named_before_anything_is_made(
    aws: Aws, tmp_path: Path
) -> None:
    import aws_cdk as cdk

    app = cdk.App(outdir=str(tmp_path / "out"))
    for stage, account in {"Test": "111111111111", "Live": "222222222222"}.items():
        env = cdk.Environment(account=account, region=REGION)
        cdk.Stack(cdk.Stage(app, stage, env=env), "Shop")
    cdk.Stack(app, "Local", env=cdk.Environment(account="123456789012", region=REGION))
    cdk.Stack(app, "Agnostic")
    assembly = Path(app.synth().directory)

    with pytest.raises(Mistake) as raised:
        _cli(aws).deploy(assembly)

    assert str(raised.value) == (
        f"{assembly}: account 111111111111 is named by Test/Shop; account 222222222222 is named "
        "by Live/Shop; the local AWS has one account, 123456789012; leave `account` out of their "
        "env, read it from CDK_DEFAULT_ACCOUNT, or give it as the app asks for it: "
        "-c NAME=123456789012"
    )


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
