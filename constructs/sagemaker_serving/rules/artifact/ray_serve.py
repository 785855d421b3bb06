"""The rule on what Ray Serve's image runs: its application, and the modules that it names."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.archive import ArchiveContents
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ArtifactFacts

_ENTRY_POINT = "aws/deep-learning-containers e0ecede, Ray's sagemaker_entrypoint.sh"
_APP = "SM_RAYSERVE_APP"


@rule(source=_ENTRY_POINT, example="config.yaml without its deployment.py")
def artifact_ray_serve(facts: ArtifactFacts) -> Iterator[Finding]:
    """Ray Serve finds an application: ``config.yaml`` at the top, and the module that it names.

    Otherwise the container ends as it starts. Without config.yaml it runs what SM_RAYSERVE_APP
    names.
    """
    contents = facts.served_by("ray-serve")
    if contents is None:
        return
    paths, where = contents.applications, "config.yaml"
    if paths is None:
        app = facts.container.environment.get(_APP)
        if app is None or app.text is None:
            yield facts.says(
                "there is no config.yaml at its top, so Ray Serve has no application; add it and "
                f"deployment.py, or set environment: {{{_APP}: deployment:app}}{_made(contents)}"
            )
            return
        paths, where = tuple(app.text.split()[:1]), _APP
    if not paths:
        yield facts.says(
            f"{where} names no application; write applications: [{{name: model, route_prefix: /, "
            "import_path: deployment:app}]"
        )
    for path in paths:
        first = path.partition(":")[0].partition(".")[0]
        starts = tuple(f"{folder}{first}{end}" for folder in ("", "code/") for end in (".py", "/"))
        is_here = any(file.startswith(starts) for file in contents.files)
        if first != "ray" and not contents.requirements and not is_here:
            yield facts.says(
                f"{where} names {path!r}, and there is no {first}.py at its top or in code/; "
                "add it, or name the module that is there"
            )


def _made(contents: ArchiveContents) -> str:
    if contents.script is None and "pytorch" not in contents.frameworks:
        return ""
    return "; for a PyTorch model, `sagemaker-serving package FOLDER --for ray-serve` makes both"
