"""A compilation job in CreateCompilationJob's words, named after its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.compilation import Compilation, TargetPlatform

JOB_PREFIX = "neo-"
"""What the name of every compilation job of this project begins with."""

DEFAULT_RUNTIME_SECONDS = 900
"""MaxRuntimeInSeconds that AWS recommends to begin with (API reference, StoppingCondition)."""

_VERSIONED = ("MXNET", "PYTORCH", "TENSORFLOW", "TFLITE")
_WITH_QUOTED_OPTIONS = ("ml_inf1", "ml_inf2", "ml_trn1")


@dataclass(frozen=True, kw_only=True)
class CompilationJob:
    """What a job is asked for, but for the model itself and where the result goes.

    ``framework`` is Neo's name ("TENSORFLOW"), ``framework_version`` None where Neo takes none;
    ``data_input_config`` and ``compiler_options`` are the texts that Neo takes.
    """

    framework: str
    framework_version: str | None = None
    data_input_config: str | None = None
    target_device: str | None = None
    target_platform: Mapping[str, str] | None = None
    compiler_options: str | None = None
    max_runtime_in_seconds: int = DEFAULT_RUNTIME_SECONDS
    max_pending_time_in_seconds: int | None = None

    @property
    def target(self) -> str:
        """The device, or the platform's parts, as one word."""
        if self.target_device is not None:
            return self.target_device
        return "_".join((self.target_platform or {}).values())

    def name(self, model: Any) -> str:
        """The name that this job has for ``model``, plain data that identifies its content.

        The same content gives the same name, whoever compiles it and wherever the result goes.
        Further attempts at one content append ``-2``, ``-3`` and so on. At most 60 characters.
        """
        content = {
            "model": model,
            "framework": [self.framework, self.framework_version],
            "inputs": self.data_input_config,
            "target": [self.target_device, self.target_platform],
            "options": self.compiler_options,
        }
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        target = self.target.replace("_", "-").lower()[:32].strip("-")
        return f"{JOB_PREFIX}{target}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"

    def arguments(
        self, *, model_url: str, output_url: str, key_arn: str | None = None
    ) -> dict[str, Any]:
        """CreateCompilationJob's arguments about the model, the result and the time it may take."""
        made = aws_values(Compilation, vars(self))
        key = {} if key_arn is None else {"KmsKeyId": key_arn}
        made["InputConfig"] = {"S3Uri": model_url, **made["InputConfig"]}
        made["OutputConfig"] = {
            "S3OutputLocation": output_url,
            **made.get("OutputConfig", {}),
            **key,
        }
        return made


def compilation_job(
    asked: Compilation,
    *,
    framework: str | None,
    framework_version: str | None,
    data_input_config: str | None = None,
) -> CompilationJob:
    """The job that ``asked`` describes.

    ``framework`` and its version are the container's, for what ``asked`` leaves out, and
    ``data_input_config`` is what its model's signature says.
    """
    name = neo_framework_of(asked, framework)
    version = asked.framework_version
    if version is None:
        version = framework_version
    config = data_input_text(asked.data_input_config)
    runtime, platform = asked.max_runtime_in_seconds, asked.target_platform
    return CompilationJob(
        framework=name,
        framework_version=version if name in _VERSIONED else None,
        data_input_config=config if config is not None else data_input_config,
        target_device=asked.target_device,
        target_platform=(None if platform is None else aws_values(TargetPlatform, vars(platform))),
        compiler_options=_options(asked.compiler_options, asked.target_device),
        max_runtime_in_seconds=runtime if runtime is not None else DEFAULT_RUNTIME_SECONDS,
        max_pending_time_in_seconds=asked.max_pending_time_in_seconds,
    )


def neo_framework_of(asked: Compilation, framework: str | None) -> str:
    """The framework that Neo reads, in its spelling; ``framework`` is the container's."""
    return (asked.framework or framework or "").upper()


def data_input_text(config: Any) -> str | None:
    """DataInputConfig as the text that Neo takes: text stays as it is."""
    if config is None or isinstance(config, str):
        return config
    return json.dumps(config, separators=(",", ":"))


def _options(options: Mapping[str, Any] | str | None, device: str | None) -> str | None:
    """Neo's text: JSON; for Inferentia and Trainium a JSON string of the compiler's flags.

    Source: API reference, OutputConfig.CompilerOptions.
    """
    if isinstance(options, Mapping):
        return json.dumps(options, sort_keys=True, separators=(",", ":"))
    if options is not None and device in _WITH_QUOTED_OPTIONS and not options.startswith('"'):
        return json.dumps(options)
    return options
