"""Keys of volumes: who lets SageMaker use one has to be let make grants on it.

Sources: developer guide, "API Permissions: Actions, Permissions, and Resources Reference", which
names kms:CreateGrant for CreateEndpoint with a config that has a key, and for CreateTransformJob
where the job's role may not; for CreateEndpointConfig it names no action of KMS. For UpdateEndpoint
botocore alone says so, of CreateEndpointConfig's KmsKeyId: that it is the same action is inferred.
"""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.context import LocalContext
from local_aws.permissions.deployed import key_arn
from local_aws.permissions.need import Need
from local_aws.protocol.call import Call
from sagemaker_serving.local_sagemaker.common.store import Region

_GRANT = "kms:CreateGrant"


def needed_grants(context: LocalContext, region: Region, call: Call) -> Iterator[Need]:
    """What the caller of this call needs on the key of a volume, if there is one."""
    given, role = call.parameters, None
    if call.operation in ("CreateEndpoint", "UpdateEndpoint"):
        config = region.endpoint_configs.get(str(given.get("EndpointConfigName")))
        named = None if config is None else config.get("KmsKeyId")
    elif call.operation == "CreateTransformJob":
        named = given.get("TransformResources", {}).get("VolumeKmsKeyId")
        model = region.models.get(str(given.get("ModelName")))
        role = None if model is None else model.get("ExecutionRoleArn")
    else:
        return
    key = None if named is None else key_arn(named, call.account, call.region)
    if key is None:
        return
    known = {
        "kms:grantisforawsresource": "true",
        "kms:viaservice": f"sagemaker.{call.region}.amazonaws.com",
        "kms:calleraccount": call.account,
    }
    if role is None or not context.evaluator.allows(
        context.sessions.assume(role, "SageMaker"), _GRANT, key, known
    ):
        yield Need(_GRANT, key, known, quoted=False)
