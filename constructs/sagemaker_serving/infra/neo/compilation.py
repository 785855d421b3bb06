"""A model compiled by SageMaker Neo as part of the deploy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.archive import neo_inputs, shown_inputs
from sagemaker_serving.catalog.neo import neo_image_uri, neo_serving_variables
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.model.image import ContainerImage, Host, grant_pull_from
from sagemaker_serving.infra.model.model_data import BoundModelData, ModelData, contents_of
from sagemaker_serving.infra.neo.compiler import NeoCompiler
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.content_identity import identify_by_content
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import is_token, partition, region_of, stack_of
from sagemaker_serving.spec.compilation_job import CompilationJob
from sagemaker_serving.spec.places import COMPILED

if TYPE_CHECKING:
    from aws_cdk import aws_s3 as s3

MOST_RUNTIME_SECONDS = 3600
"""CloudFormation waits an hour for a custom resource, and no longer (CloudFormation user guide,
custom resources, ServiceTimeout)."""


class NeoCompilation(Construct):
    """A model, compiled before anything that serves it is made.

    The job's name and the result's place follow from the model's content, the framework, the
    target, the shapes and the options. So what was compiled once is found and not compiled again:
    by any environment of the account in this region, or before a rollback. Only a job that failed
    or was stopped is tried again. Deleting it, as a rollback does, stops a job that runs; what was
    compiled stays in the bucket.

    ::

        compiled = NeoCompilation(
            self,
            "Compiled",
            compiler=NeoCompiler(self, "NeoCompiler", bucket=bucket),
            model_data=ModelData.from_path("model"),
            job=CompilationJob(
                framework="TENSORFLOW",
                framework_version="2.9",
                data_input_config='{"input": [1, 224, 224, 3]}',
                target_device="ml_c5",
            ),
        )
        Model(
            self,
            "Model",
            image=compiled.image,
            model_data=compiled.model_data,
            instance_type="ml.c5.xlarge",
            environment=compiled.environment,
        )

    :param compiler: what compiles in this stack; it has the role, the bucket and the network.
    :param model_data: the archive to be compiled; both the job and the compiler's function may
        read it.
    :param job: what is compiled to what.
    :param brings_code: whether the archive has a ``code/`` folder, which then lies in the
        compiled archive too. Absent, the archive tells; True of one in S3, which nobody reads.
    :param model_inputs: the inputs of the model's signature, for the sentence that a deploy
        fails with when ``job.data_input_config`` does not fit. Absent, the archive tells.

    Raises `Mistake` when the job may take longer than CloudFormation waits.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        compiler: NeoCompiler,
        model_data: ModelData,
        job: CompilationJob,
        brings_code: bool | None = None,
        model_inputs: str | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        if job.max_runtime_in_seconds > MOST_RUNTIME_SECONDS:
            raise Mistake(
                f"{self.node.path}: max_runtime_in_seconds is {job.max_runtime_in_seconds}; a "
                f"deploy waits at most {MOST_RUNTIME_SECONDS} seconds; compile it before, with "
                "`sagemaker-serving compile`, and the deploy finds the result"
            )
        contents = contents_of(model_data)
        if brings_code is None:
            files = () if contents is None else contents.files
            brings_code = contents is None or any(name.startswith("code/") for name in files)
        inputs = None if contents is None else neo_inputs(contents)
        if model_inputs is None and inputs is not None:
            model_inputs = shown_inputs(inputs)
        self._job = job
        self._region = region_of(self)
        source = model_data.bind(self, compiler.role)
        if source.object_arn is not None:
            _let_look(compiler.role, source.object_arn)
        reading = model_data.bind(self, compiler.work.role)
        self.job_name = job.name(source.identity)
        """The name of the compilation job's first attempt."""
        prefix = f"{COMPILED}{self.job_name}/"
        known_image = _known_image(job, self._region)
        resource = cdk.CustomResource(
            self,
            "Resource",
            resource_type="Custom::NeoCompilation",
            service_token=compiler.service_token,
            properties={
                "CompilationJobName": self.job_name,
                "RoleArn": compiler.role.role_arn,
                **job.arguments(
                    model_url=source.url,
                    output_url=f"s3://{compiler.bucket.bucket_name}/{prefix}",
                    key_arn=_key_of(compiler.bucket),
                ),
                **_vpc_config(compiler),
                "BringsCode": str(brings_code).lower(),
                **({} if model_inputs is None else {"ModelInputs": model_inputs}),
                **({} if known_image is None else {"InferenceImage": known_image}),
            },
        )
        inner = resource.node.default_child
        assert isinstance(inner, cdk.CfnResource)
        self.identity = identify_by_content(stack_of(self), inner, self.job_name)
        """The resource's logical id, which carries what is compiled."""
        for given in (source.grant, reading.grant):
            given.apply_before(inner)
        inner.node.add_dependency(compiler.given_up)
        self.model_data: ModelData = _CompiledModel(
            url=resource.get_att_string("ModelDataUrl"), job_name=self.job_name, compiler=compiler
        )
        """The compiled model, for a `Model`."""
        self.image: ContainerImage = (
            ContainerImage.from_uri(known_image)
            if known_image is not None
            else _ReportedImage(resource.get_att_string("InferenceImage"))
        )
        """What serves it: the catalog's image, or else the one that the job names."""

    @property
    def environment(self) -> dict[str, str]:
        """The container's variables that serving a compiled model needs."""
        return neo_serving_variables(self._job.framework, self._region)


class _CompiledModel(ModelData):
    def __init__(self, *, url: str, job_name: str, compiler: NeoCompiler) -> None:
        self._url = url
        self._job_name = job_name
        self._compiler = compiler

    def bind(self, scope: Construct, role: iam.IGrantable) -> BoundModelData:
        bucket = self._compiler.bucket
        objects = bucket.arn_for_objects(f"{COMPILED}{self._job_name}/*")
        given = grant(role, ["s3:GetObject"], objects)
        if bucket.encryption_key is not None:
            given = given.combine(grant(role, ["kms:Decrypt"], bucket.encryption_key.key_arn))
        acknowledge_wildcard(
            role, objects, "Neo names the archive itself; nothing else lies below this prefix"
        )
        return BoundModelData(url=self._url, identity=self._job_name, grant=given)


class _ReportedImage(ContainerImage):
    """An image that only the finished job names: any of AWS's repositories in the region."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def bind(self, scope: Construct, host: Host) -> str:
        repositories = f"arn:{partition()}:ecr:{region_of(scope)}:*:repository/*"
        grant_pull_from(host.role, repositories)
        acknowledge_wildcard(
            host.role, repositories, "Which image serves the model is known when it is compiled"
        )
        return self._uri


def _known_image(job: CompilationJob, region: str) -> str | None:
    if is_token(region) or job.target_device is None:
        return None
    try:
        return neo_image_uri(
            framework=job.framework,
            version=job.framework_version if job.framework_version is not None else "latest",
            region=region,
            target_device=job.target_device,
        )
    except Mistake:
        return None


def _let_look(role: iam.IRole, object_arn: str) -> None:
    """Lets a job ask where the archive's bucket is, and for the archive in a list.

    Whether it does is unverified: botocore's CreateCompilationJob.RoleArn names reads and writes.
    SageMaker's transform jobs ask for a list; to allow both shows nothing but this one name.
    """
    bucket_arn, _, key = object_arn.partition("/")
    grant(role, ["s3:GetBucketLocation"], bucket_arn)
    grant(role, ["s3:ListBucket"], bucket_arn, conditions={"StringEquals": {"s3:prefix": key}})


def _key_of(bucket: s3.IBucket) -> str | None:
    return None if bucket.encryption_key is None else bucket.encryption_key.key_arn


def _vpc_config(compiler: NeoCompiler) -> Mapping[str, Any]:
    return {} if compiler.network is None else {"VpcConfig": compiler.network.members}
