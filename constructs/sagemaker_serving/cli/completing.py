"""Arguments that name an environment's file, or a model of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

FOLDER = Path("environments")


def path_or_named(given: Path) -> Path:
    """The path as it is, or that of the file in environments/ where it is only a name."""
    from sagemaker_serving.spec.reading import environment_path

    is_name = given.suffix in ("", ".yaml", ".yml") and len(given.parts) == 1
    is_meant = is_name and not given.exists() and FOLDER.is_dir()
    return environment_path(given.name) if is_meant else given


def environment_place(given: str) -> tuple[str, str | None]:
    """The name and the region of an environment that is named, or given by its file's path.

    One that is only named may have no file here; then its region is None. Raises `Mistake` for a
    path at which nothing is, `ProblemsFound` for a file that is wrong.
    """
    from sagemaker_serving.spec.reading import environment_path, read_environment

    path = environment_path(given)
    if path != Path(given) and not path.exists():
        return given, None
    found = read_environment(path).sound
    return found.name, found.region


def environment_names() -> list[str]:
    """Those of the files in environments/, but bases that others extend."""
    return [path.stem for path in environment_files()]


def environment_files() -> list[Path]:
    """The files in environments/, by name, but bases that others extend."""
    return sorted(FOLDER.glob("[!_]*.yaml"))


class EnvironmentName(click.ParamType):  # type: ignore[type-arg]
    """The name of a file in environments/, or a path."""

    name = "environment"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Names; paths once the text is one."""
        if "/" in incomplete or "." in incomplete:
            return [CompletionItem(incomplete, type="file")]
        names = sorted(environment_names())
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class EnvironmentPath(EnvironmentName):
    """The path of a file; the name of one in environments/, where no such path exists."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path."""
        return path_or_named(Path(value))


class EndpointOfFile(str):
    """The name of an endpoint that was named by its model in a file: with the file's region, and
    the variant where one was named."""

    region: str
    variant: str | None

    @classmethod
    def of(cls, text: str) -> EndpointOfFile | None:
        """That of ``<environment>/<model>[/<variant>]``; None where there is no such file."""
        from sagemaker_serving.operations.named_model import named_model

        found = named_model(text)
        if found is None:
            return None
        endpoint = cls(found.environment.endpoint_name(found.name))
        endpoint.region = found.environment.region
        endpoint.variant = None if found.variant is None else found.variant.name
        return endpoint


def split_model(text: str) -> tuple[str | None, str]:
    """The environment and the model of ``<environment>/<model>``; None beside a model alone."""
    environment, _, model = text.rpartition("/")
    return environment or None, model


class DeployedEndpoint(click.ParamType):  # type: ignore[type-arg]
    """The name of any endpoint, or ``<environment>/<model>`` of a file in environments/."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The endpoint's name."""
        text = str(value)
        if "/" not in text:
            return text
        found = EndpointOfFile.of(text)
        if found is None:
            self.fail(
                f"{text} is no model of {FOLDER}/*.yaml; give <environment>/<model>, or an "
                "endpoint's name"
            )
        return found


class EndpointOrModel(click.ParamType):  # type: ignore[type-arg]
    """What `DeployedEndpoint` takes, or the path of a model on this machine."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The endpoint's name; the text as it is where it is none of a file in environments/."""
        text = str(value)
        found = None if Path(text).exists() else EndpointOfFile.of(text)
        return text if found is None else found


def variant_named(variant: str | None, endpoint: str) -> str | None:
    """``variant`` itself, or the one of ``<environment>/<model>/<variant>``."""
    return getattr(endpoint, "variant", None) if variant is None else variant
