"""What ``sagemaker-serving compile`` is asked for: a model, a job, a place and a role."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sagemaker_serving.archive import (
    ArchiveContents,
    Source,
    build_archive,
    derived_input_config,
    neo_contents,
    parse_source,
    unpack,
)
from sagemaker_serving.catalog.neo import neo_support
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.objects import open_object
from sagemaker_serving.errors import Mistake, NotFound, ProblemsFound, Severity, Where
from sagemaker_serving.operations.compilation import Compiler
from sagemaker_serving.operations.named_model import named_model
from sagemaker_serving.operations.refusals import refused
from sagemaker_serving.progress import progress_bar
from sagemaker_serving.rules.compilation_check import check_compilation
from sagemaker_serving.s3_address import is_s3
from sagemaker_serving.spec import Environment, S3Artifact
from sagemaker_serving.spec.compilation import Compilation
from sagemaker_serving.spec.compilation_job import (
    CompilationJob,
    compilation_job,
    neo_framework_of,
)
from sagemaker_serving.spec.container import Container, in_s3, on_disk
from sagemaker_serving.spec.environment import parameter_name
from sagemaker_serving.spec.overlay import overlay
from sagemaker_serving.spec.reading import FOLDER

_ANY_TARGET = "ml_c5"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A job and its model, perhaps of an environment.

    ``asked`` is what the job was made of, ``container_version`` that of the framework's image.
    """

    job: CompilationJob
    sources: Sequence[Source] = ()
    archive: S3Artifact | None = None
    environment: Environment | None = None
    model: str = ""
    contents: ArchiveContents | None = field(default=None, repr=False)
    asked: Compilation = field(default_factory=Compilation)
    container_version: str | None = None

    @property
    def golden(self) -> Path | None:
        """The golden requests that its environment names for it."""
        accept = self.asked.accept
        named = None if accept is None else accept.golden
        return None if named is None else FOLDER / named

    def output(self, given: str | None, aws: Aws) -> str:
        """Where the result goes: as given, or the environment's bucket."""
        if given is not None:
            return given
        if self.environment is None:
            raise Mistake("say where the result goes: --output s3://<bucket>/<prefix>")
        name = parameter_name(self.environment.name, "storage", "bucket-name")
        return f"s3://{_parameter(aws, name, '--output s3://<bucket>/<prefix>')}"

    def role_arn(self, given: str | None, aws: Aws) -> str:
        """The job's role: as given, or that of the model's stack."""
        if given is not None:
            return given
        if self.environment is None:
            raise Mistake("say which role reads the model and writes the result: --role <arn>")
        name = parameter_name(self.environment.name, self.model, "compilation-role")
        return _parameter(aws, name, "--role <arn>")

    def unpacked(self, folder: Path, aws: Aws) -> Path:
        """The model as its container would see it, in a new folder below ``folder``."""
        model = folder / "model"
        if self.archive is not None:
            with open_object(aws, self.archive.s3) as stream:
                unpack(stream, model, self.archive.s3)
            return model
        built = build_archive(
            self.sources, lambda sha256: folder / f"{sha256}.tar.gz", convert=False
        )
        with built.path.open("rb") as stream:
            unpack(stream, model, str(built.path))
        return model

    def uploaded(self, compiler: Compiler) -> tuple[str, Any]:
        """The archive's URL, put there if need be, and what identifies its content."""
        if self.archive is not None:
            marks = self.archive.sha256, self.archive.version_id
            return self.archive.s3, [self.archive.s3, *marks]
        with (
            tempfile.TemporaryDirectory(prefix="sagemaker-serving-") as scratch,
            progress_bar(f"pack {self.sources[0].path.name}") as progress,
        ):
            built = build_archive(
                self.sources,
                lambda sha256: Path(scratch) / f"{sha256}.tar.gz",
                convert=False,
                progress=progress,
            )
            return compiler.upload(built.path, built.sha256), built.sha256


def wanted(
    model: str,
    given: Mapping[str, Any],
    aws: Aws,
    region: str | None,
    *,
    target_matters: bool = True,
) -> Wanted:
    """What MODEL and the options ask for; ``given`` are fields of `Compilation`.

    Unless the target matters, one is taken for a model that names none.

    Raises `ProblemsFound` for what the rules call an error, `NotFound` for a model that is not
    there.
    """
    if not target_matters and "target_device" not in given:
        below = {} if _is_of_environment(model) else {"target_device": _ANY_TARGET}
        given = {**below, **given}
    if is_s3(model):
        container = Container(artifact=S3Artifact(s3=model), framework=given.get("framework"))
        return _checked(container, given, region=region, where=Where())
    path = Path(model)
    if path.exists():
        return _checked(Container(artifact=model), given, region=region, where=Where())
    environment, name, container, where = _of_environment(model)
    return _checked(
        container,
        given,
        folder=FOLDER,
        region=environment.region,
        where=where,
        environment=environment,
        model=name,
    )


def _is_of_environment(model: str) -> bool:
    return not is_s3(model) and not Path(model).exists()


def _checked(
    container: Container,
    given: Mapping[str, Any],
    *,
    region: str | None,
    where: Where,
    folder: Path = Path(),
    environment: Environment | None = None,
    model: str = "",
) -> Wanted:
    below = {} if container.compile is None else container.compile.model_dump(exclude_unset=True)
    artifact = container.artifact
    archive = in_s3(artifact)
    sources = [parse_source(each, folder) for each in on_disk(artifact)]
    contents = neo_contents(sources) if sources else None
    asked = Compilation.model_validate(overlay(below, given))
    framework = container.framework or _likeliest(contents)
    version = container.framework_version
    if version is None and asked.target_device is not None:
        version = _newest(neo_framework_of(asked, framework), asked.target_device)
    problems = check_compilation(
        asked,
        str(artifact),
        framework=framework,
        framework_version=version,
        region=region,
        contents=contents,
        where=where,
    )
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        raise ProblemsFound(errors)
    name = neo_framework_of(asked, framework)
    derived = None if contents is None else derived_input_config(contents, name, asked.batch_size)
    return Wanted(
        job=compilation_job(
            asked,
            framework=framework,
            framework_version=version,
            data_input_config=derived,
        ),
        sources=sources,
        archive=archive,
        environment=environment,
        model=model,
        contents=contents,
        asked=asked,
        container_version=version,
    )


def _of_environment(text: str) -> tuple[Environment, str, Container, Where]:
    """The container that ``environment/model`` or ``environment/model/variant`` names."""
    found = named_model(text)
    if found is None:
        raise NotFound(
            f"there is nothing at {text}, and it is no model of {FOLDER}/*.yaml; give a path, "
            "s3://<bucket>/<key>.tar.gz, or <environment>/<model>"
        )
    environment, model, spec, where = found.environment, found.name, found.spec, found.where
    if found.variant is not None:
        return environment, model, spec.container(found.variant), where
    compiled = [found for found in spec.variants if spec.container(found).compile is not None]
    if len(compiled) > 1:
        names = ", ".join(f"{text}/{found.name}" for found in compiled)
        raise Mistake(f"{text} has {len(compiled)} compiled variants; say which: {names}")
    return environment, model, spec.container(compiled[0] if compiled else None), where


def _likeliest(contents: ArchiveContents | None) -> str | None:
    return contents.frameworks[0] if contents is not None and contents.frameworks else None


def _newest(framework: str, target_device: str) -> str | None:
    support = neo_support(framework, target_device)
    return support.versions[-1] if support is not None and support.versions else None


def _parameter(aws: Aws, name: str, option: str) -> str:
    absent = NotFound(
        f"there is no SSM parameter {name}; deploy the environment first, or give {option}"
    )
    with aws_failures(), refused("ParameterNotFound", means=absent):
        value: str = aws.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]
    return value
