"""Container images that AWS publishes: which URI for framework, version, region, processor."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

from local_aws.suggest import nearest
from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.snapshot import snapshot
from sagemaker_serving.errors import Mistake

Processor = Literal["cpu", "gpu", "inf", "inf2", "neuronx"]
Scope = Literal["inference", "inference_graviton", "eia"]

_BESIDE = 3
"""How many releases below and above a wrong one are named."""

_SCOPE_NAMES = {"inference_graviton": "arm64 (Graviton)", "eia": "Elastic Inference"}


class UnknownImage(Mistake):
    """AWS publishes no such image; the message names what it does publish."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(message)
        self.parameter = parameter


def container_image(
    *,
    framework: str,
    version: str,
    region: str,
    processor: Processor = "cpu",
    scope: Scope = "inference",
    python: str | None = None,
    base: str | None = None,
) -> EcrImage:
    """The image that serves ``framework`` ``version`` in ``region``, in parts.

    ``version`` is a release ("2.20") or a patch release ("2.20.0"); the tag
    carries it as it was given, as the SageMaker SDK does, or what
    `image_version` makes of it. ``processor`` is the
    kind of instance it runs on; ``scope`` picks the Graviton (arm64) or Elastic
    Inference images, which exist for some versions only. ``python`` ("py3")
    picks one of several builds, the newest by default; ``base`` is what Hugging
    Face's images build on ("pytorch2.6"), needed where there are several.

    Raises `UnknownImage` when there is none, naming what there is.
    Source: sagemaker-core's image tables, version in ``data/images.json``; that each tag exists
    in ECR was not tried.
    """
    version, builds = _builds(framework, version, scope)
    if not builds:
        raise UnknownImage("framework_version", _no_such_version(framework, version, scope))
    what = f"{framework} {scope}"
    build = _pick(_pick(builds, what, "base", base), what, "python", python)[0]
    tags: dict[str, str] = build["tags"]
    if processor not in tags and "any" not in tags:
        raise UnknownImage(
            "processor",
            f"there is no {what} image for {processor}; there is one for {', '.join(tags)}",
        )
    accounts = _registries(build)
    if region not in accounts:
        there = [
            one
            for one in framework_versions(framework, scope)
            if region in image_regions(framework, one, scope)
        ]
        raise UnknownImage(
            "region",
            f"AWS publishes no {framework} {version} image in region {region!r}; "
            + (f"the newest there is {there[-1]}; " if there else "")
            + f"it does in {', '.join(sorted(accounts))}",
        )
    shown = base if base is not None else build.get("base", [""])[0]
    return EcrImage(
        account=accounts[region],
        region=region,
        repository=build["repository"],
        tag=tags.get(processor, tags.get("any", "")).format(
            version=version, base=re.sub(r"^[a-z]+", "", shown)
        ),
    )


def image_version(framework: str, version: str, scope: Scope = "inference") -> str:
    """The version whose image ``version`` gets: itself, where AWS's tables have it.

    Of a release that has images it is the nearest patch release that is not older, or else the
    newest: "1.13.0" for "1.13.1", and "0.38.0" for "0.38". What nothing is near to comes back.
    """
    return _builds(framework, version, scope)[0]


def _builds(framework: str, version: str, scope: Scope) -> tuple[str, list[Any]]:
    """The version whose images are taken for ``version``, and these; none for an unknown one."""
    images = _scope(framework, scope)
    known, aliases = images["versions"], images["aliases"]
    if aliases.get(version, version) in known:
        return version, known[aliases.get(version, version)]
    asked = _number(version)
    alike = sorted((full for full in known if _number(full)[:2] == asked[:2]), key=_number)
    if len(asked) < 2 or not re.fullmatch(r"[0-9.-]+", version) or not alike:
        return version, []
    newer = [full for full in alike if len(asked) > 2 and _number(full) >= asked]
    taken = newer[0] if newer else alike[-1]
    return taken, known[taken]


def frameworks() -> tuple[str, ...]:
    """The frameworks that the catalog has serving images for, by the SDK's names."""
    return tuple(snapshot("images")["frameworks"])


def framework_versions(framework: str, scope: Scope = "inference") -> tuple[str, ...]:
    """The releases ("2.20") of ``framework`` that have an image, oldest first.

    Patch releases of a listed release ("2.20.0") are left out; `container_image`
    takes them too. Raises `UnknownImage` for an unknown framework or scope.
    """
    return tuple(_releases(_scope(framework, scope)))


@cache
def repository_versions(repository: str) -> dict[str, tuple[str, ...]]:
    """The frameworks whose images lie in ``repository``, each with the versions that tags name.

    Releases ("2.20") and patch releases ("2.20.0"), or what stands for one ("latest"). Empty for
    a repository that is none of AWS's. Source: as of `container_image`.
    """
    found: dict[str, list[str]] = {}
    for framework, scope in scopes_of(repository):
        images = _scope(framework, scope)
        versions = [
            version
            for version, builds in images["versions"].items()
            if any(build["repository"] == repository for build in builds)
        ]
        aliases = [alias for alias, full in images["aliases"].items() if full in versions]
        found.setdefault(framework, []).extend([*versions, *aliases])
    return {framework: tuple(versions) for framework, versions in found.items()}


@cache
def release_tags(repository: str) -> dict[str, frozenset[str]]:
    """What tags of ``repository`` have after the version, by the release ("2.20").

    Each is as a tag has it: "cpu-py312". Empty for a repository that is none of AWS's, and where
    tags do not begin with a release and a processor.
    """
    found: dict[str, set[str]] = {}
    for framework, scope in scopes_of(repository):
        for version, builds in _scope(framework, scope)["versions"].items():
            release = ".".join(version.split(".")[:2])
            for build in builds:
                if build["repository"] == repository:
                    found.setdefault(release, set()).update(
                        tag.partition("{version}")[2].lstrip("-") for tag in build["tags"].values()
                    )
    plain = all(re.fullmatch(r"[0-9]+[.][0-9]+", release) for release in found)
    if not plain or any(not re.match("cpu|gpu", tag) for tags in found.values() for tag in tags):
        return {}
    return {release: frozenset(tags) for release, tags in found.items()}


def scopes_of(repository: str) -> tuple[tuple[str, Scope], ...]:
    """The frameworks that have images in ``repository``, each with what these images are for."""
    return _scopes_by_repository().get(repository, ())


@cache
def _scopes_by_repository() -> dict[str, tuple[tuple[str, Scope], ...]]:
    found: dict[str, dict[tuple[str, Scope], None]] = {}
    for framework, scopes in snapshot("images")["frameworks"].items():
        for scope, images in scopes.items():
            for builds in images["versions"].values():
                for build in builds:
                    found.setdefault(build["repository"], {})[framework, scope] = None
    return {repository: tuple(each) for repository, each in found.items()}


def framework_scopes(framework: str) -> tuple[Scope, ...]:
    """What ``framework`` has images for: x86 and GPU ("inference"), arm64, Elastic Inference."""
    return tuple(_framework(framework))


def image_processors(
    framework: str, version: str, scope: Scope = "inference"
) -> tuple[Processor, ...]:
    """The processors that ``version`` has an image for; empty when one image runs on any."""
    _, builds = _builds(framework, version, scope)
    found = dict.fromkeys(name for build in builds for name in build["tags"])
    return tuple(name for name in found if name != "any")


def image_regions(framework: str, version: str, scope: Scope = "inference") -> tuple[str, ...]:
    """The regions in which ``framework`` ``version`` has an image; empty when unknown."""
    _, builds = _builds(framework, version, scope)
    return tuple(sorted({region for build in builds for region in _registries(build)}))


def _framework(framework: str) -> dict[Scope, Any]:
    known = snapshot("images")["frameworks"]
    if framework not in known:
        close = nearest(framework, known)
        hint = f"did you mean {close!r}" if close is not None else f"known: {', '.join(known)}"
        raise UnknownImage(
            "framework",
            f"framework is {framework!r}; AWS publishes no image under this name; {hint}; "
            "for any other give image_uri",
        )
    scopes: dict[Scope, Any] = known[framework]
    return scopes


def _scope(framework: str, scope: Scope) -> dict[str, Any]:
    scopes = _framework(framework)
    if scope not in scopes:
        raise UnknownImage(
            "scope",
            f"there is no {framework} image for {_SCOPE_NAMES.get(scope, scope)}; "
            f"there is one for {', '.join(_SCOPE_NAMES.get(name, 'x86') for name in scopes)}",
        )
    facts: dict[str, Any] = scopes[scope]
    return facts


def _pick(builds: list[Any], what: str, key: str, wanted: str | None) -> list[Any]:
    """The builds of one base framework or one Python; the base must be said where it matters."""
    if wanted is not None:
        found = [build for build in builds if wanted in _values(build.get(key))]
        if not found:
            raise UnknownImage(key, f"there is no {what} image with {key} {wanted!r}")
        return found
    choices = dict.fromkeys(build["base"][0] for build in builds if "base" in build)
    if key == "base" and len(choices) > 1:
        raise UnknownImage(
            key, f"there are several {what} images of this version; base is {', '.join(choices)}"
        )
    return builds


def _values(fact: list[str] | str | None) -> list[str]:
    return fact if isinstance(fact, list) else [fact] if fact is not None else []


def _registries(build: dict[str, Any]) -> dict[str, str]:
    accounts: dict[str, str] = snapshot("images")["registries"][build["registries"]]
    return accounts


def _releases(images: dict[str, Any]) -> list[str]:
    aliases = [alias for alias, full in images["aliases"].items() if full.startswith(alias)]
    others = [
        version
        for version in images["versions"]
        if not any(version == alias or version.startswith(f"{alias}.") for alias in aliases)
    ]
    return sorted({*aliases, *others}, key=_number)


def _no_such_version(framework: str, version: str, scope: Scope) -> str:
    releases = _releases(_scope(framework, scope))
    use = _nearest_newer(version, releases)
    what = f" for {_SCOPE_NAMES[scope]}" if scope in _SCOPE_NAMES else ""
    return (
        f"framework_version is {version!r}; {framework} images{what} exist for "
        f"{_around(version, releases, use)}; use {use}"
    )


def _around(version: str, releases: list[str], use: str) -> str:
    """The releases; of many, those beside ``version``, and the one to ``use``."""
    if len(releases) <= 2 * _BESIDE:
        return ", ".join(releases)
    place = bisect_right([_number(release) for release in releases], _number(version))
    beside = releases[max(place - _BESIDE, 0) : place + _BESIDE]
    named = beside if use in beside else [*beside, use]
    return f"{len(releases)} versions, among them {', '.join(named)}"


def _nearest_newer(version: str, releases: Iterable[str]) -> str:
    """The oldest release that is not older than ``version``, or else the newest of all.

    "2" alone means the newest whose first number it is.
    """
    *_, newest = releases
    asked = _number(version)
    alike = [release for release in releases if len(asked) == 1 and _number(release)[:1] == asked]
    newer = [release for release in releases if _number(release) >= asked]
    return alike[-1] if alike else newer[0] if newer and asked else newest


def _number(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", text))
