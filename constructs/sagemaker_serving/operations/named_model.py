"""A model of an environment file, by a name such as ``prod/digits`` or ``prod/digits/cpu``."""

from __future__ import annotations

from dataclasses import dataclass

from local_aws.suggest import instead
from sagemaker_serving.errors import NotFound, Where
from sagemaker_serving.spec import Environment, Model, Variant, read_environment
from sagemaker_serving.spec.container import Container
from sagemaker_serving.spec.reading import environment_path


@dataclass(frozen=True, kw_only=True)
class NamedModel:
    """A model, and the variant of it where one is named."""

    environment: Environment
    name: str
    spec: Model
    where: Where
    variant: Variant | None = None

    @property
    def container(self) -> Container:
        """What runs on the variant: the one that is named, else the first."""
        return self.spec.container(self.variant or next(iter(self.spec.variants), None))


def named_model(text: str) -> NamedModel | None:
    """The model that ``text`` names; None where it names no environment of environments/.

    Raises `NotFound` for a model or variant that the file has not, `ProblemsFound` for a file that
    is wrong.
    """
    name, _, rest = text.partition("/")
    model, _, variant = rest.partition("/")
    path = environment_path(name)
    if not model or not path.exists():
        return None
    file = read_environment(path)
    environment = file.sound
    if model not in environment.models:
        raise NotFound(f"{path} has no model {model!r}; {instead(model, environment.models)}")
    spec = environment.models[model]
    variants = {found.name: found for found in spec.variants}
    if variant and variant not in variants:
        raise NotFound(f"{path}: {model} has no variant {variant!r}; {instead(variant, variants)}")
    return NamedModel(
        environment=environment,
        name=model,
        spec=spec,
        where=file.where / "models" / model,
        variant=variants[variant] if variant else None,
    )
