"""Layers: zips beside a function's own, published version by version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from local_aws.arn import Arn, arn_in
from local_aws.context import LocalContext
from local_aws.services.lambda_.code import CodeStore
from local_aws.services.lambda_.limits import UNPACKED_BYTES, invalid
from local_aws.services.lambda_.names import absent
from local_aws.services.lambda_.store import Configuration, Store, now_text

Parameters = Mapping[str, Any]
Answer = dict[str, Any]

MOST_LAYERS = 5
"""Of one function ("Lambda quotas")."""


class Layers:
    """Each method but `attach` is an action of the API."""

    def __init__(self, context: LocalContext, store: Store, code: CodeStore) -> None:
        self._context = context
        self._store = store
        self._code = code

    def publish_layer_version(self, region: str, given: Parameters) -> Answer:
        """Keep a zip as the layer's next version."""
        content = given["Content"]
        code = self._code.add(
            {"ZipFile": content.get("ZipFile"), **content}, self._context.client("s3", region)
        )
        arn = self._arn(given["LayerName"], region)
        names = ("Description", "LicenseInfo", "CompatibleRuntimes", "CompatibleArchitectures")
        with self._store.lock:
            versions = self._store.layers.setdefault(arn, [])
            number = len(versions) + 1
            version = {
                "LayerArn": arn,
                "LayerVersionArn": f"{arn}:{number}",
                "Version": number,
                "Description": "",
                "CreatedDate": now_text(),
                "Content": {"CodeSha256": code.sha256, "CodeSize": code.size},
                **{name: given[name] for name in names if given.get(name) is not None},
            }
            versions.append({"version": version, "deleted": False})
        return self._with_location(version)

    def get_layer_version(self, region: str, given: Parameters) -> Answer:
        """A version, and where its zip can be read."""
        _check_number(given)
        found = self._find(f"{self._arn(given['LayerName'], region)}:{given['VersionNumber']}")
        if found is None:
            raise absent("The resource you requested does not exist.")
        return self._with_location(found["version"])

    def get_layer_version_by_arn(self, _: str, given: Parameters) -> Answer:
        """A version by its ARN."""
        found = self._find(given["Arn"])
        if found is None:
            raise absent("The resource you requested does not exist.")
        return self._with_location(found["version"])

    def delete_layer_version(self, region: str, given: Parameters) -> Answer:
        """Forget a version; functions that have it keep it."""
        _check_number(given)
        found = self._find(f"{self._arn(given['LayerName'], region)}:{given['VersionNumber']}")
        if found is not None:
            found["deleted"] = True
        return {}

    def attach(self, configuration: Configuration, arns: Sequence[str], region: str) -> None:
        """Give a function layers, none for no ``arns``.

        Raises `AwsError` (InvalidParameterValueException) for what is not there, is too much, or
        is another account's.
        """
        if len(arns) > MOST_LAYERS:
            raise invalid(f"Cannot reference more than {MOST_LAYERS} layers.")
        by_layer: dict[str, str] = {}
        layers: list[Answer] = []
        for arn in arns:
            parsed = Arn.parse(arn)
            if parsed.region != region:
                raise invalid(
                    "Layers are not in the same region as the function. Layers are expected to be "
                    f"in region {region}."
                )
            if parsed.account != self._store.account:
                raise invalid(
                    f"the local AWS has no layers of account {parsed.account}: {arn}; publish the "
                    "layer's zip to it, and name that"
                )
            found = self._find(arn)
            if found is None:
                raise invalid(f"Layer version {arn} does not exist.")
            other = by_layer.setdefault(found["version"]["LayerArn"], arn)
            if len(by_layer) <= len(layers):
                raise invalid(
                    "Two different versions of the same layer are not allowed to be referenced in "
                    f"the same function. {other} and {arn} are versions of the same layer."
                )
            layers.append({"Arn": arn, "CodeSize": found["version"]["Content"]["CodeSize"]})
        configuration["Layers"] = layers
        unpacked = sum(map(self._code.unpacked_bytes, zips_of(self._store, configuration)))
        if unpacked > UNPACKED_BYTES:
            raise invalid(
                "Function code combined with layers exceeds the maximum allowed size of "
                f"{UNPACKED_BYTES} bytes. The actual size is {unpacked} bytes."
            )
        if not layers:
            del configuration["Layers"]

    def _arn(self, name: str, region: str) -> str:
        """A layer's ARN by its name, or by itself."""
        layer = f"layer:{name}"
        return name if ":" in name else arn_in(region, "lambda", self._store.account, layer)

    def _find(self, arn: str) -> Answer | None:
        found = _kept(self._store, arn)
        return None if found is None or found["deleted"] else found

    def _with_location(self, version: Answer) -> Answer:
        location = self._code.location(self._context, version["Content"]["CodeSha256"])
        return {**version, "Content": {"Location": location, **version["Content"]}}


def zips_of(store: Store, configuration: Configuration) -> list[str]:
    """The hashes of the zips of a function's layers, the lowest first."""
    kept = [_kept(store, layer["Arn"]) for layer in configuration.get("Layers", ())]
    return [each["version"]["Content"]["CodeSha256"] for each in kept if each is not None]


def _kept(store: Store, arn: str) -> Answer | None:
    """A version, a deleted one too."""
    layer, _, number = arn.rpartition(":")
    versions = store.layers.get(layer, [])
    return versions[int(number) - 1] if 0 < int(number) <= len(versions) else None


def _check_number(given: Parameters) -> None:
    if given["VersionNumber"] < 1:
        raise invalid("Layer Version Cannot be less than 1")
