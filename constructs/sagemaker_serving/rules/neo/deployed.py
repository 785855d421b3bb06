"""Rules on compilation jobs that a deploy runs, and their instances."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.neo import neo_target_devices
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts.kinds import KindFacts
from sagemaker_serving.rules.facts.resources import CompilationFacts

_CLOUD = "AWS SageMaker developer guide, 'Deploy a compiled model using SageMaker SDK'"
_CUSTOM_RESOURCES = "CloudFormation user guide, custom resources, ServiceTimeout"
_NEURON = "AWS Neuron documentation 2.31, archive"
_ARCHIVED = {
    "TENSORFLOW": (
        "AWS ended Neuron for TensorFlow with Neuron 2.31, and archived it on 2026-04-30"
    ),
    "MXNET": (
        "AWS keeps Neuron for MXNet for security only since Neuron 2.19, and archived it on "
        "2026-03-11"
    ),
}


@rule(source=_CUSTOM_RESOURCES, example="max_runtime_in_seconds: 7200")
def neo_hour(job: CompilationFacts) -> Iterator[Finding]:
    """A job of a deploy may take an hour: CloudFormation waits no longer for it.

    After that it rolls the stack back, whatever has become of the job.
    """
    seconds = job.max_runtime.number
    if job.within_deploy and seconds is not None and seconds > 3600:
        yield job.max_runtime.says(
            f"is {job.max_runtime.value}; a deploy waits at most 3600 seconds; compile it before, "
            "with `sagemaker-serving compile`, and the deploy finds the result"
        )


@rule(source=_CLOUD, example="target_device: ml_c5   # on ml.g4dn.xlarge")
def neo_instance(job: CompilationFacts) -> Iterator[Finding]:
    """A model is served on the family of instances that it was compiled for.

    The code that Neo makes uses that family's processor; elsewhere the container ends at once,
    or each request fails.
    """
    device, instance = job.target_device.text, job.instance_type.text
    if device not in neo_target_devices() or instance is None:
        return
    family = instance.removeprefix("ml.").partition(".")[0]
    if device != f"ml_{family}":
        fitting = f"ml_{family}"
        advice = (
            f"compile for {fitting}"
            if fitting in neo_target_devices()
            else "Neo compiles for no such type; serve it without compile"
        )
        yield job.target_device.says(
            f"is {device!r} and the instances are {instance}; {advice}, or take an instance type "
            f"of {device.replace('_', '.', 1)}"
        )


@rule(source="this project", example="compile: {…}   # beside multi_model")
def neo_kind(kind: KindFacts) -> Iterator[Finding]:
    """A deploy compiles its own models, not those of a registry or a prefix.

    Their archives change without a deploy, so there would be nothing to compile.
    """
    asked = [it.get("compile") for it in (kind.model, *kind.model.get("variants").items())]
    for name in ("multi_model", "model_package"):
        for fact in asked:
            if kind.model.get(name).given and fact.given:
                yield fact.finding(
                    f"compile stands beside {name}, whose archives the deploy does not bring; "
                    "compile them before, with `sagemaker-serving compile`, and remove it here"
                )


@warning(source=_NEURON, example="framework: mxnet, target_device: ml_inf1")
def neo_archived(job: CompilationFacts) -> Iterator[Finding]:
    """A model is compiled by a compiler that AWS still keeps.

    Neuron for TensorFlow and for MXNet is archived. Its documentation no longer covers the way from
    Neo to an endpoint. Jobs may still run, but faults in their results are no longer fixed.
    """
    history = _ARCHIVED.get(job.framework.text or "")
    if job.target_device.text == "ml_inf1" and history is not None:
        yield job.target_device.says(
            f"is 'ml_inf1' with {job.framework.text}; {history}; serve it on a CPU or GPU type, or "
            "move the model to PyTorch on Inferentia2"
        )
