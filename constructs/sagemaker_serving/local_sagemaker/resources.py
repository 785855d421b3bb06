"""SageMaker: models, the registry's packages, endpoints, their configurations and components."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError
from typing_extensions import override

from local_aws.context import LocalContext
from local_aws.resources.api import ApiProvider, is_absent
from local_aws.resources.base import Attributes, Request, ResourceFailed
from local_aws.schemas import Place
from sagemaker_serving.local_sagemaker.offered import follows

ENDPOINT_LIMIT_SECONDS = 10 * 3600.0
"""How long an endpoint may take to reach a final state: a guarded deployment may take 8 hours
(botocore: MaximumExecutionTimeoutInSeconds)."""


class _Named(ApiProvider):
    """A SageMaker resource: named in the template or by its logical id, referred to by ARN."""

    service = "sagemaker"
    tag_operations = ("AddTags", "DeleteTags")
    name_property: str
    kind: str
    """What the API's operations call it."""

    @override
    def supports(self, context: LocalContext, region: str, place: Place) -> bool:
        """Whether the create operation takes the property, and the local SageMaker follows it."""
        return super().supports(context, region, place) and follows(self.create_operation, place)

    @override
    def create(self, request: Request) -> str:
        name = request.properties.get(self.name_property) or request.name(63, stack=False)
        answer = self.call(
            request, self.create_operation, request.properties, **{self.name_property: name}
        )
        return str(answer[f"{self.kind}Arn"])

    @override
    def complete(self, request: Request) -> Attributes:
        described = self.describe(request)
        return {name: described[name] for name in (f"{self.kind}Arn", self.name_property)}

    @override
    def read(self, request: Request) -> dict[str, Any]:
        return self.describe(request)

    @override
    def update(self, request: Request) -> Attributes:
        self.retag(request, ResourceArn=request.physical_id)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, f"Delete{self.kind}", **self._named(request))

    def describe(self, request: Request) -> dict[str, Any]:
        """The resource as the service has it now."""
        return self.call(request, f"Describe{self.kind}", **self._named(request))

    def _named(self, request: Request) -> dict[str, str]:
        return {self.name_property: request.physical_id.rsplit("/", 1)[-1]}


class Model(_Named):
    """``AWS::SageMaker::Model``; Ref is the ARN, GetAtt ModelName the name."""

    type_name = "AWS::SageMaker::Model"
    name_property = "ModelName"
    kind = "Model"
    create_operation = "CreateModel"


class ModelPackageGroup(_Named):
    """``AWS::SageMaker::ModelPackageGroup``; Ref is the ARN."""

    type_name = "AWS::SageMaker::ModelPackageGroup"
    name_property = "ModelPackageGroupName"
    kind = "ModelPackageGroup"
    create_operation = "CreateModelPackageGroup"


class ModelPackage(_Named):
    """``AWS::SageMaker::ModelPackage``: the next version of a group, or one of its own name.

    Ref is the ARN.
    """

    type_name = "AWS::SageMaker::ModelPackage"
    name_property = "ModelPackageName"
    kind = "ModelPackage"
    create_operation = "CreateModelPackage"

    @override
    def create(self, request: Request) -> str:
        if "ModelPackageGroupName" not in request.properties:
            return super().create(request)
        answer = self.call(request, self.create_operation, request.properties)
        return str(answer[f"{self.kind}Arn"])

    @override
    def update(self, request: Request) -> Attributes:
        if request.changed("ModelApprovalStatus"):
            self.call(
                request,
                "UpdateModelPackage",
                ModelPackageArn=request.physical_id,
                ModelApprovalStatus=request.properties["ModelApprovalStatus"],
            )
        return super().update(request)

    @override
    def _named(self, request: Request) -> dict[str, str]:
        return {self.name_property: request.physical_id}


class EndpointConfig(_Named):
    """``AWS::SageMaker::EndpointConfig``; Ref is the ARN, GetAtt EndpointConfigName the name."""

    type_name = "AWS::SageMaker::EndpointConfig"
    name_property = "EndpointConfigName"
    kind = "EndpointConfig"
    create_operation = "CreateEndpointConfig"


class _Settling(_Named):
    """A resource that takes time: ``status_member`` of its description says how it is."""

    settles = True
    status_member: str
    final: frozenset[str]
    what: str

    @override
    def delete(self, request: Request) -> None:
        """Delete it and wait until it is gone; in transition it is waited for first."""
        try:
            self._settled(request)
            super().delete(request)
            request.wait(
                lambda: None if self.describe(request) else True,
                limit_seconds=ENDPOINT_LIMIT_SECONDS,
                what=f"deleting {self.what}",
            )
        except ClientError as error:
            if not is_absent(error):
                raise

    def _ended(self, request: Request) -> dict[str, Any]:
        """Its description, once what was begun has ended; in Express mode at once."""
        return self.describe(request) if request.express else self._settled(request)

    def _settled(self, request: Request) -> dict[str, Any]:
        """Its description, once it is in a state that it does not leave by itself."""

        def look() -> dict[str, Any] | None:
            described = self.describe(request)
            return described if described[self.status_member] in self.final else None

        return request.wait(
            look, limit_seconds=ENDPOINT_LIMIT_SECONDS, what=f"{self.what}'s start or update"
        )


class Endpoint(_Settling):
    """``AWS::SageMaker::Endpoint``: done when it is InService with the configuration it names.

    SageMaker returns a failed update to the old fleet and to InService by itself. Here an
    update with a FailureReason has failed, and one without is done, whatever serves. What
    CloudFormation does on AWS is unverified: nothing tells. Terraform took both for done
    (hashicorp/terraform-provider-aws#46663 and #48997).
    """

    type_name = "AWS::SageMaker::Endpoint"
    name_property = "EndpointName"
    kind = "Endpoint"
    create_operation = "CreateEndpoint"
    status_member = "EndpointStatus"
    final = frozenset({"InService", "OutOfService", "Failed", "UpdateRollbackFailed"})
    what = "the endpoint"
    also_supported = frozenset(
        {
            "ExcludeRetainedVariantProperties",
            "RetainAllVariantProperties",
            "RetainDeploymentConfig",
        }
    )

    @override
    def complete(self, request: Request) -> Attributes:
        self._refuse_failed(self._ended(request))
        return super().complete(request)

    @override
    def update(self, request: Request) -> Attributes:
        wanted = request.properties["EndpointConfigName"]
        settled = self._settled(request)
        if settled["EndpointStatus"] == "Failed":
            # One that served can't be Failed on AWS; here its servers may not have come again.
            self.delete(request)
            self.call(request, self.create_operation, request.properties, **self._named(request))
            self.complete(request)
        elif settled["EndpointConfigName"] != wanted:
            self.call(request, "UpdateEndpoint", request.properties, **self._named(request))
            endpoint = self._ended(request)
            self._refuse_failed(endpoint)
            undone = endpoint["EndpointStatus"] in self.final and "FailureReason" in endpoint
            if endpoint["EndpointConfigName"] != wanted and undone:
                raise ResourceFailed(endpoint["FailureReason"], code="NotStabilized")
        return super().update(request)

    def _refuse_failed(self, endpoint: dict[str, Any]) -> None:
        status = endpoint["EndpointStatus"]
        if status in self.final - {"InService"}:
            reason = endpoint.get("FailureReason") or f"the endpoint is {status}"
            raise ResourceFailed(reason, code="NotStabilized")


class InferenceComponent(_Settling):
    """``AWS::SageMaker::InferenceComponent``: done when it is InService; Ref is the ARN."""

    type_name = "AWS::SageMaker::InferenceComponent"
    name_property = "InferenceComponentName"
    kind = "InferenceComponent"
    create_operation = "CreateInferenceComponent"
    status_member = "InferenceComponentStatus"
    final = frozenset({"InService", "Failed"})
    what = "the inference component"
    also_supported = frozenset({"DeploymentConfig"})
    unchangeable = frozenset({"EndpointName", "VariantName"})

    @override
    def complete(self, request: Request) -> Attributes:
        component = self._ended(request)
        if component["InferenceComponentStatus"] == "Failed":
            raise ResourceFailed(
                component.get("FailureReason") or "the component is Failed", code="NotStabilized"
            )
        return super().complete(request)

    @override
    def update(self, request: Request) -> Attributes:
        """An update that SageMaker undoes ends InService, with a FailureReason."""
        if request.changed("Specification", "RuntimeConfig"):
            self._settled(request)
            self.call(
                request, "UpdateInferenceComponent", request.properties, **self._named(request)
            )
            component = self._ended(request)
            if component["InferenceComponentStatus"] in self.final and "FailureReason" in component:
                raise ResourceFailed(component["FailureReason"], code="NotStabilized")
        return super().update(request)
