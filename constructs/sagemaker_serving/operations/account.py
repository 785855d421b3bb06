"""What an account may have in a region, and what it has: quotas, what runs, what files name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Mistake
from sagemaker_serving.operations.leftovers import Deployed, deployed_stacks
from sagemaker_serving.operations.named import Found, Named, find
from sagemaker_serving.whole_files import write_whole


@dataclass(frozen=True, kw_only=True)
class Account:
    """One account in one region, as it was at ``read``.

    ``quotas`` are SageMaker's by the name that Service Quotas gives them, such
    as ``ml.c5.xlarge for endpoint usage``. ``endpoints`` has the instances of
    every endpoint by type, ``transform`` those of the transform jobs that ran.
    ``serverless`` are the endpoints without instances, each with its variants'
    concurrency, ``hosts`` those whose instances are for inference components. ``found`` is what
    there is of that which environments name, ``deployed`` what `deployed_stacks` found, in every
    region.
    """

    account: str
    region: str
    read: str
    quotas: Mapping[str, float]
    endpoints: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    transform: Mapping[str, int] = field(default_factory=dict)
    serverless: Mapping[str, int] = field(default_factory=dict)
    hosts: Sequence[str] = field(default_factory=list)
    found: Found = field(default_factory=Found)
    deployed: Deployed = field(default_factory=Deployed)

    def save(self, path: Path) -> None:
        """Writes it as JSON, for runs without credentials."""
        write_whole(path, json.dumps(asdict(self), indent=1, sort_keys=True) + "\n")

    @classmethod
    def load(cls, path: Path, region: str) -> Account:
        """Reads what `save` wrote; raises `Mistake` for anything else, or another region."""
        try:
            kept = json.loads(path.read_text("utf-8"))
            found = Found(**kept.get("found", {}))
            deployed = Deployed(**kept.get("deployed", {}))
            account = cls(**{**kept, "found": found, "deployed": deployed})
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise Mistake(
                f"{path}: this is not what check --account wrote: {error}; remove it, and ask AWS"
            ) from None
        if account.region != region:
            raise Mistake(
                f"{path}: this is for {account.region}, and the environment is in {region}; "
                "keep a file for each region"
            )
        return account


def read_account(
    aws: Aws, things: Iterable[Named] = (), deployed: Deployed | None = None
) -> Account:
    """Asks Service Quotas and SageMaker, and for ``things``; some seconds, and read-only.

    Needs ``servicequotas:ListServiceQuotas``, ``servicequotas:ListAWSDefaultServiceQuotas``,
    ``sts:GetCallerIdentity`` and SageMaker's List and Describe of endpoints,
    endpoint configs and transform jobs; `find` says what ``things`` need, and
    `deployed_stacks` what it does without, which is not asked where ``deployed`` is given. A quota
    that was never changed has AWS's default. Source: Service Quotas API reference.
    """
    with aws_failures():
        identity = aws.client("sts").get_caller_identity()
        sagemaker = aws.client("sagemaker")
        endpoints, serverless, hosts = _endpoints(sagemaker)
        return Account(
            account=identity["Account"],
            region=sagemaker.meta.region_name,
            read=datetime.now(UTC).isoformat(timespec="seconds"),
            quotas=_quotas(aws.client("service-quotas")),
            endpoints=endpoints,
            transform=_transform(sagemaker),
            serverless=serverless,
            hosts=hosts,
            found=find(aws, things),
            deployed=deployed if deployed is not None else deployed_stacks(aws),
        )


def _quotas(client: Any) -> dict[str, float]:
    """AWS's defaults with what was raised for the account laid over them."""
    return {
        quota["QuotaName"]: float(quota["Value"])
        for operation in ("list_aws_default_service_quotas", "list_service_quotas")
        for page in client.get_paginator(operation).paginate(ServiceCode="sagemaker")
        for quota in page["Quotas"]
        if "Value" in quota
    }


def _endpoints(client: Any) -> tuple[dict[str, dict[str, int]], dict[str, int], list[str]]:
    instances: dict[str, dict[str, int]] = {}
    serverless: dict[str, int] = {}
    hosts: list[str] = []
    for page in client.get_paginator("list_endpoints").paginate():
        for listed in page["Endpoints"]:
            name = listed["EndpointName"]
            described = client.describe_endpoint(EndpointName=name)
            config = client.describe_endpoint_config(
                EndpointConfigName=described["EndpointConfigName"]
            )
            if are_hosts(config["ProductionVariants"]):
                hosts.append(name)
            counts: Counter[str] = Counter()
            for variant, running, pools in _paired(config, described):
                if "ServerlessConfig" in variant:
                    concurrency = variant["ServerlessConfig"]["MaxConcurrency"]
                    serverless[name] = serverless.get(name, 0) + concurrency
                elif pools:
                    for pool in pools:
                        counts[pool["InstanceType"]] += pool["CurrentInstanceCount"]
                elif "InstanceType" in variant:
                    counts[variant["InstanceType"]] += running
            if counts:
                instances[name] = dict(counts)
    return instances, serverless, hosts


def are_hosts(variants: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the variants of a configuration are for inference components: none has a model."""
    return not any("ModelName" in variant for variant in variants)


def _paired(
    config: Mapping[str, Any], described: Mapping[str, Any]
) -> Iterator[tuple[Mapping[str, Any], int, Sequence[Mapping[str, Any]]]]:
    """Each variant of the config with the instances that it has, or is to get, now, and of which
    types where it may be on several."""
    for kind in ("ProductionVariants", "ShadowProductionVariants"):
        running = {variant["VariantName"]: variant for variant in described.get(kind, ())}
        for variant in config.get(kind, ()):
            now = running.get(variant["VariantName"], {})
            counts = (now.get("CurrentInstanceCount"), now.get("DesiredInstanceCount"))
            most = max(count for count in (*counts, 0) if count is not None)
            yield variant, most, now.get("InstancePools", ())


def _transform(client: Any) -> dict[str, int]:
    counts: Counter[str] = Counter()
    pages = client.get_paginator("list_transform_jobs").paginate(StatusEquals="InProgress")
    for page in pages:
        for listed in page["TransformJobSummaries"]:
            job = client.describe_transform_job(TransformJobName=listed["TransformJobName"])
            resources = job["TransformResources"]
            counts[resources["InstanceType"]] += resources["InstanceCount"]
    return dict(counts)
