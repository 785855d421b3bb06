"""The models of a stack that SageMaker Neo compiles before they are served."""

from __future__ import annotations

import json
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from sagemaker_serving.archive import derived_input_config, neo_contents, parse_source
from sagemaker_serving.infra import NeoCompilation, NeoCompiler, Network
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.compilation_job import compilation_job, neo_framework_of
from sagemaker_serving.spec.container import Container, on_disk
from sagemaker_serving.spec.environment import parameter_name
from stacks.artifacts import model_data
from stacks.storage import data_bucket, data_key


class CompiledModels:
    """Compiles containers' models, each content once; the compiler is made when one needs it.

    Its jobs' role leaves as the SSM parameter ``compilation-role`` of the model, for
    ``sagemaker-serving compile``.

    :param model: the model's name in the environment.
    :param folder: where the environment file's relative paths start.
    """

    def __init__(
        self,
        stack: cdk.Stack,
        *,
        environment: Environment,
        model: str,
        folder: Path,
        network: Network | None = None,
    ) -> None:
        self._scope = Construct(stack, "Neo")
        self._environment = environment
        self._model = model
        self._folder = folder
        self._network = network
        self._compiler: NeoCompiler | None = None
        self._made: dict[str, NeoCompilation] = {}

    def compiled(self, container: Container) -> NeoCompilation:
        """The compilation that ``container`` asks for; the same for the same content."""
        asked, artifact = container.compile, container.artifact
        assert asked is not None
        assert artifact is not None
        # Of a model in S3 nothing is known.
        sources = [parse_source(each, self._folder) for each in on_disk(artifact)]
        contents = neo_contents(sources) if sources else None
        framework = neo_framework_of(asked, container.framework)
        job = compilation_job(
            asked,
            framework=container.framework,
            framework_version=container.framework_version,
            data_input_config=(
                None
                if contents is None
                else derived_input_config(contents, framework, asked.batch_size)
            ),
        )
        key = json.dumps([str(artifact), repr(job)])
        if key not in self._made:
            self._made[key] = NeoCompilation(
                self._scope,
                f"Compilation{len(self._made) or ''}",
                compiler=self._shared(),
                model_data=model_data(self._scope, artifact, self._folder, convert=False),
                job=job,
            )
        return self._made[key]

    def _shared(self) -> NeoCompiler:
        if self._compiler is None:
            self._compiler = NeoCompiler(
                self._scope,
                "Compiler",
                bucket=data_bucket(self._scope, self._environment),
                network=self._network,
                retain_logs=self._environment.production,
                encryption_key=data_key(self._scope, self._environment),
            )
            ssm.StringParameter(
                self._scope,
                "RoleParameter",
                parameter_name=parameter_name(
                    self._environment.name, self._model, "compilation-role"
                ),
                string_value=self._compiler.role.role_arn,
            )
        return self._compiler
