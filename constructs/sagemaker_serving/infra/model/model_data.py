"""Where a model comes from; binding it grants the role this one object, or this prefix."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from local_aws.s3_location import S3Location
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import (
    TOKEN_BEGINS,
    is_token,
    partition,
    region_of,
    stack_of,
    synthesizer_of,
)
from sagemaker_serving.progress import progress_bar
from sagemaker_serving.s3_address import split_s3

if TYPE_CHECKING:
    from sagemaker_serving.archive import ArchiveContents, Source


class ModelData(ABC):
    """The model's archive: packed at synth, or in S3 already; or its files as they are."""

    @staticmethod
    def from_path(
        path: str | Path, *, convert: bool = True, kept_below: str | None = None
    ) -> ModelData:
        """A folder to pack, or a ready ``.tar.gz``, on this machine.

        A Keras model or a frozen graph becomes a SavedModel, but with ``convert`` false,
        as SageMaker Neo wants it.

        It is packed into the cloud assembly and travels as a file asset whose
        key is its content's sha256 and ends in ``.tar.gz``. With ``kept_below`` that key begins
        with ``cdk.kept/<kept_below>/``, and ``cdk gc`` never deletes it: `grant_read_kept`. Raises
        `sagemaker_serving.archive.UnreadableArtifact` when bound, if it cannot be packed.
        """
        return _LocalModelData([Path(path)], convert=convert, kept_below=kept_below)

    @staticmethod
    def from_sources(
        sources: Sequence[Source],
        *,
        convert: bool = True,
        versions_on_top: bool = False,
        kept_below: str | None = None,
    ) -> ModelData:
        """One archive of several models, or of a model and its code, packed as `from_path` does.

        Each source may have a name and a version. With ``versions_on_top`` no folder is around the
        versions of the only SavedModel, as a multi-model endpoint wants it of TensorFlow.
        """
        return _LocalModelData(
            sources, convert=convert, versions_on_top=versions_on_top, kept_below=kept_below
        )

    @staticmethod
    def from_folder(path: str | Path, *, kept_below: str | None = None) -> ModelData:
        """Every file of a folder on this machine, not packed: what suits a large model.

        The files travel as file assets below a prefix that is the sha256 of their names and
        contents, and then ``.files/``. Each is uploaded by itself, in parts, unless it is there
        already. ``kept_below`` is that of `from_path`. As for
        `from_s3_prefix`, only endpoints on instances take it. Raises
        `sagemaker_serving.archive.UnreadableArtifact` when bound, for what is no folder.
        """
        return _LocalFiles(Path(path), kept_below=kept_below)

    @staticmethod
    def from_s3(uri: str, *, sha256: str | None = None, version_id: str | None = None) -> ModelData:
        """An archive at ``s3://bucket/key.tar.gz`` in the stack's region, or at S3's own
        ``https://`` address of it, whose host holds no token. One that begins with a token is an
        ``s3://`` address. Raises `sagemaker_serving.errors.Mistake` for what is no address in S3.

        ``sha256`` or ``version_id`` tell its content: when either changes, the
        Model is replaced. Without both, changed content is not deployed. SageMaker reads the
        object's newest version all the same: neither CreateModel nor CreateCompilationJob takes
        one (botocore).
        """
        return _S3ModelData(uri, (sha256, version_id))

    @staticmethod
    def from_bucket(
        bucket: s3.IBucket, key: str, *, sha256: str | None = None, version_id: str | None = None
    ) -> ModelData:
        """An archive in a bucket of the app's, or every object below a ``key`` that ends with a
        slash, not packed.

        The role may use the bucket's key, too. ``sha256`` and ``version_id`` are those of
        `from_s3`, and where files are not packed, `from_s3_prefix` says what takes them.
        """
        return _BucketModelData(bucket, key, sha256, version_id)

    @staticmethod
    def from_s3_prefix(uri: str, *, sha256: str | None = None) -> ModelData:
        """Every object below ``s3://bucket/prefix/``, not packed, in the stack's region.

        The URI ends with a slash; raises `sagemaker_serving.errors.Mistake` for what is no address
        in S3. ``sha256`` tells the content: without it, changed objects are not deployed.
        Endpoints on instances take it; batch transform, serverless and multi-model endpoints take
        archives alone. Source: botocore ContainerDefinition.ModelDataSource.
        """
        return _S3ModelData(uri, (sha256,), is_prefix=True)

    @staticmethod
    def grant_read_kept(role: iam.IRole, kept_below: str, *, folders: bool = False) -> None:
        """Lets ``role`` read every archive that was deployed with this ``kept_below``, to go back
        to and for batches that run; with ``folders`` what `from_folder` sent, too.

        It goes by what is there before a synthesizer without a qualifier knows its bucket: call it
        after the models are bound.
        """
        bucket = assets_bucket(stack_of(role))
        if bucket is None:
            return
        # Versions up to 0.2.0 lie where the second says, and may serve while this one is deployed.
        places = (f"{KEPT}/{kept_below}/", f"{kept_below}/")
        for ending in ("*.tar.gz", *(["*/*"] if folders else [])):
            objects = [_object_arn(bucket, f"{place}{ending}") for place in places]
            grant(role, ["s3:GetObject"], *objects)
            for each in objects:
                acknowledge_wildcard(
                    role,
                    each,
                    "Every version of this model that was deployed: to go back to, and for batches",
                )
        if folders:
            listed = {"StringLike": {"s3:prefix": [f"{place}*/*" for place in places]}}
            grant(role, ["s3:ListBucket"], f"arn:{partition()}:s3:::{bucket}", conditions=listed)

    @property
    def has_script(self) -> bool | None:
        """Whether an ``inference.py`` lies in it; None of what is in S3, which nobody reads."""
        contents = contents_of(self)
        return None if contents is None else contents.script is not None

    @abstractmethod
    def bind(self, scope: Construct, role: iam.IGrantable) -> BoundModelData:
        """Resolves the archive for ``scope`` and lets ``role`` read it, and nothing else."""


@dataclass(frozen=True, kw_only=True)
class BoundModelData:
    """An archive's URL (``s3://…``, perhaps a token) and what identifies its content.

    With ``is_prefix`` it is that of unpacked files, and ends with a slash. ``grant`` is the role's
    leave to read it: what needs the model waits for that. ``object_arn`` is the archive's ARN,
    where it is told.
    """

    url: str
    identity: Any
    grant: iam.Grant
    is_prefix: bool = False
    object_arn: str | None = None


KEPT = "cdk.kept"
"""What the keys of models begin with that ``cdk gc`` never deletes.

It deletes an asset when what its key has before the first dot stands in no template that is
deployed (aws-cdk 2.1148, ``ObjectAsset.fileName`` and ``ActiveAssetCache``). "cdk" does, in the
bootstrap stack's own. For the same reason a folder's prefix has a dot after its sha256: each of its
files is then looked for by that, which stands in the Model.
"""


def assets_bucket(stack: cdk.Stack) -> str | None:
    """The bucket that models of ``stack`` are uploaded to; None where nobody knows before one is:
    a synthesizer may have no qualifier (`aws_cdk.IStackSynthesizer`)."""
    bucket: str | None = vars(stack).get("_assets_bucket")
    qualifier = synthesizer_of(stack).bootstrap_qualifier
    if bucket is None and qualifier is not None:
        return f"cdk-{qualifier}-assets-{stack.account}-{stack.region}"
    return bucket


def contents_of(data: ModelData) -> ArchiveContents | None:
    """What is in a model; None of what is in S3, which nobody reads."""
    if not isinstance(data, _LocalModelData):
        return None
    from sagemaker_serving.archive import known_contents

    return known_contents(data.sources, convert=data.convert, versions_on_top=data.versions_on_top)


def _add_asset(scope: Construct, source_hash: str, file_name: str) -> cdk.FileAssetLocation:
    """Where CDK uploads a file to."""
    location: cdk.FileAssetLocation = synthesizer_of(scope).add_file_asset(
        source_hash=source_hash, file_name=file_name, packaging=cdk.FileAssetPackaging.FILE
    )
    vars(stack_of(scope))["_assets_bucket"] = location.bucket_name
    return location


class _LocalModelData(ModelData):
    def __init__(
        self,
        sources: Sequence[Path | Source],
        *,
        convert: bool,
        versions_on_top: bool = False,
        kept_below: str | None,
    ) -> None:
        self.sources = sources
        self.convert = convert
        self.versions_on_top = versions_on_top
        self._below = "" if kept_below is None else f"{KEPT}/{kept_below}/"

    def bind(self, scope: Construct, role: iam.IGrantable) -> BoundModelData:
        from sagemaker_serving.archive import build_archive, plan

        stage = cdk.Stage.of(scope)
        assert stage is not None
        assets = Path(stage.asset_outdir)
        planned = plan(self.sources, convert=self.convert, versions_on_top=self.versions_on_top)
        with progress_bar(f"pack {_path_of(self.sources[0]).name}") as progress:
            archive = build_archive(
                planned, lambda sha256: assets / f"asset.{sha256}.tar.gz", progress=progress
            )
        location = _add_asset(
            scope,
            f"{self._below}{archive.sha256}.tar",
            os.path.relpath(archive.path, stage.outdir),
        )
        arn = _object_arn(location.bucket_name, location.object_key)
        return BoundModelData(
            url=location.s3_object_url,
            identity=f"{self._below}{archive.sha256}",
            grant=grant(role, ["s3:GetObject"], arn),
            object_arn=arn,
        )


class _LocalFiles(_LocalModelData):
    def __init__(self, path: Path, *, kept_below: str | None) -> None:
        super().__init__([path], convert=False, kept_below=kept_below)
        self._path = path

    def bind(self, scope: Construct, role: iam.IGrantable) -> BoundModelData:
        from sagemaker_serving.archive import folder_files

        stage = cdk.Stage.of(scope)
        assert stage is not None
        with progress_bar(f"read {self._path.name}") as progress:
            files = folder_files(self._path, progress=progress)
        identity = f"{self._below}{files.sha256}.files"
        for name, path in files.put_into(Path(stage.asset_outdir, f"asset.{files.sha256}")):
            location = _add_asset(scope, f"{identity}/{name}", os.path.relpath(path, stage.outdir))
        prefix = location.object_key.removesuffix(name)
        return _bind_prefix(scope, role, location.bucket_name, prefix, identity)


class _S3ModelData(ModelData):
    def __init__(self, uri: str, marks: tuple[str | None, ...], *, is_prefix: bool = False) -> None:
        self._uri = uri
        if uri.startswith(TOKEN_BEGINS) and not is_prefix:
            self._place = cdk.Fn.select(1, cdk.Fn.split("s3://", uri))
        else:
            self._place = "/".join(split_s3(uri))
        self._marks = marks
        self._is_prefix = is_prefix

    def bind(self, scope: Construct, role: iam.IGrantable) -> BoundModelData:
        _must_be_in_region(scope, self._uri)
        url = f"s3://{self._place}"
        identity = [url, *self._marks]
        if self._is_prefix:
            bucket, _, prefix = self._place.partition("/")
            return _bind_prefix(scope, role, bucket, prefix, identity)
        arn = f"arn:{partition()}:s3:::{self._place}"
        given = grant(role, ["s3:GetObject"], arn)
        return BoundModelData(url=url, identity=identity, grant=given, object_arn=arn)


def _must_be_in_region(scope: Construct, uri: str) -> None:
    """An address in https may tell a region; s3://, which SageMaker is told, does not."""
    found, region = S3Location.find(uri), region_of(scope)
    if found is not None and found.region not in (None, region) and not is_token(region):
        raise Mistake(
            f"{scope.node.path}: {uri!r} is in {found.region}; a model in {region} reads only from "
            f"{region}; copy it there"
        )


class _BucketModelData(ModelData):
    def __init__(
        self, bucket: s3.IBucket, key: str, sha256: str | None, version_id: str | None
    ) -> None:
        self._place = S3Prefix(bucket=bucket, prefix=key)
        self._is_prefix = key.endswith("/")
        self._marks = (sha256, version_id)

    def bind(self, scope: Construct, role: iam.IGrantable) -> BoundModelData:
        place, arn = self._place, None
        if self._is_prefix:
            given = place.grant_read(role, of="The model's files")
        else:
            arn = place.bucket.arn_for_objects(place.prefix)
            given = grant(role, ["s3:GetObject"], arn)
            if place.key_arn is not None:
                given = given.combine(grant(role, ["kms:Decrypt"], place.key_arn))
        url = f"{place.uri}/" if self._is_prefix else place.uri
        return BoundModelData(
            url=url,
            identity=[url, *self._marks],
            grant=given,
            is_prefix=self._is_prefix,
            object_arn=arn,
        )


def _path_of(source: Path | Source) -> Path:
    return source if isinstance(source, Path) else source.path


def _bind_prefix(
    scope: Construct, role: iam.IGrantable, bucket_name: str, prefix: str, identity: Any
) -> BoundModelData:
    number = len(scope.node.children)
    bucket = s3.Bucket.from_bucket_name(scope, f"ModelDataBucket{number}", bucket_name)
    given = S3Prefix(bucket=bucket, prefix=prefix).grant_read(role, of="The model's files")
    url = f"s3://{bucket_name}/{prefix}"
    return BoundModelData(url=url, identity=identity, grant=given, is_prefix=True)


def _object_arn(bucket: str, key: str) -> str:
    return f"arn:{partition()}:s3:::{bucket}/{key}"
