"""What a call would make, judged by the rules that `check` judges a template by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.store import Region, Resource

MODEL, CONFIG, ENDPOINT = (
    f"AWS::SageMaker::{kind}" for kind in ("Model", "EndpointConfig", "Endpoint")
)

POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"

IN_SAGEMAKERS_WORDS = {
    # hashicorp/terraform-provider-aws#45926
    "component-scaling": "ManagedInstanceScaling is only supported for inference component "
    "endpoints.",
    # stdapi-ai/stdapi.ai#43
    "component-start": "Inference components copy count an integer larger than 0",
    # botocore, ProductionVariant.AcceleratorType
    "elastic-inference-ended": "This parameter is no longer supported. Elastic Inference (EI) "
    "is no longer available.",
    # hashicorp/terraform-provider-aws#41179
    "scaling-metric-once": "Only one TargetTrackingScaling policy for a given metric specification "
    "is allowed.",
    # OElesin/sagemaker-autopilot-step-functions#10
    "model-multi-model": "More than one container in MultiModel mode is not supported with "
    "inference pipeline.",
}
"""Where somebody has reported them; of other rules the call is told what `check` says."""


def refuse(
    region: Region, action: str, parameters: Mapping[str, Any], *named: tuple[str, Resource]
) -> None:
    """Raise `AwsError`, a ValidationException, for all that a rule says SageMaker refuses.

    ``named`` are the resources that the parameters name, each after its type.
    """
    # The rules take a while to import, which the local AWS is not to wait for.
    from sagemaker_serving.errors import Where
    from sagemaker_serving.rules.engine import judge
    from sagemaker_serving.rules.facts import Fact
    from sagemaker_serving.rules.registry import RULES
    from sagemaker_serving.rules.template.facts import call_facts
    from sagemaker_serving.rules.template.reading import template_of
    from sagemaker_serving.rules.template.resources import Resources

    declared = {
        f"{kind} {number}": {"Type": kind, "Properties": properties}
        for number, (kind, properties) in enumerate(named)
    }
    resources = Resources(template_of(declared), region.name)
    facts = call_facts(action, Fact(parameters, Where()), resources)
    refused = [
        IN_SAGEMAKERS_WORDS.get(each.rule, f"{each.where.trail}: {each.message}".lstrip(": "))
        for each in judge(facts, [rule for rule in RULES if rule.refused])
    ]
    if refused:
        raise AwsError("ValidationException", "\n".join(dict.fromkeys(refused)))
