"""Rules on containers: their environment variables and their number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from sagemaker_serving.catalog.names import is_name
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts.resources import ModelDefinitionFacts, NameFacts, NetworkFacts

_MODEL = "botocore CreateModel"
_LICENSED = "s3://jumpstart-private-cache-prod-"
_LISTED = re.compile(r"model-package/[^/]*-[0-9a-f]{32}\Z")
_TOTAL_BYTES = 32 * 1024
_ID = re.compile(r"[-0-9a-zA-Z]{1,32}")
_PRIVATE = tuple(
    IPv4Network(block)
    for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
_OF_SAGEMAKER = IPv4Network("172.17.0.0/16")


@rule(
    refused=True,
    source="botocore ContainerDefinition.Environment",
    example="33 variables of 1000 characters each",
)
def model_environment_total(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """The variables of all containers of a model fit into 32 KB.

    Each container may be within its own limits and the model over this one.
    """
    sizes = [
        len(f"{key}{fact.scalar or ''}".encode(errors="replace"))
        for container in model.containers
        for key, fact in container.environment.items()
    ]
    if sum(sizes) > _TOTAL_BYTES:
        yield model.finding(
            f"the containers' variables have {sum(sizes)} bytes; a model takes {_TOTAL_BYTES} over "
            "all its containers; move some into the archive"
        )


@rule(
    refused=True,
    source=_MODEL,
    example="PrimaryContainer beside Containers",
    shapes=("ContainerDefinitionList",),
    silent={"environment files": "there is a list, containers, or one"},
)
def model_containers(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """A model has a primary container, or several containers in line, not both.

    CloudFormation's schema demands neither and allows both; CreateModel takes exactly one.
    """
    if model.primary.certain and model.containers_fact.certain:
        yield model.containers_fact.says(
            f"and {model.primary.name} are both given; a model takes one of them; remove the other"
        )
    elif not model.primary.given and not model.containers_fact.given:
        yield model.finding(
            f"the model has no container; give {model.primary.name}, or "
            f"{model.containers_fact.name}"
        )
    elif model.containers_fact.size == 0:
        yield model.containers_fact.says("is empty; add one")


@rule(
    refused=True,
    source="OElesin/sagemaker-autopilot-step-functions#10",
    example="Containers: [{Mode: MultiModel, …}, {Mode: MultiModel, …}]",
)
def model_multi_model(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """At most one container of a pipeline is multi-model.

    A request names one model of many. CreateModel refuses a second such container.
    """
    for container in [one for one in model.containers if one.is_multi_model][1:]:
        yield container.mode.says(
            "is 'MultiModel' here and above; a model has one such container; let the others be "
            "SingleModel"
        )


@rule(
    refused=True,
    source=_MODEL,
    example="PrimaryContainer: {ModelDataUrl: s3://b/k.tar.gz}",
    silent={"environment files": "image-known says it"},
)
def container_source(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """A container says which image it runs, or which model package it comes from.

    The schema asks for neither.
    """
    for fact in (model.primary, *model.containers_fact.items()):
        if not isinstance(fact.value, dict):
            continue
        if not fact.get("Image").given and not fact.get("ModelPackageName").given:
            yield fact.finding(
                "the container has neither Image nor ModelPackageName, so there is nothing to run; "
                "give one of them"
            )


@rule(
    source="hashicorp/terraform-provider-aws#34795",
    example="S3Uri: s3://jumpstart-private-cache-prod-eu-west-1/…   # without AcceptEula",
)
def model_licence(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """A model of JumpStart's that has a licence agreement says that it is accepted.

    Those lie in JumpStart's private buckets. CreateModel refuses them without.
    """
    for container in (model.primary, *model.containers_fact.items()):
        source = container.get("ModelDataSource").get("S3DataSource")
        accepted = source.get("ModelAccessConfig").get("AcceptEula")
        licensed = (source.get("S3Uri").text or "").startswith(_LICENSED)
        if licensed and accepted.flag is not True and not accepted.unknown:
            yield source.finding(
                "the model has a licence agreement; read it, and accept it by ModelAccessConfig: "
                "{AcceptEula: true}"
            )


@warning(
    source="aws/aws-cdk issue 16779; AWS SageMaker developer guide, mkt-algo-model-internet-free",
    example="ModelPackageName: arn:…:model-package/llama-<32 digits>   # no EnableNetworkIsolation",
)
def model_marketplace(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """A model of the Marketplace runs without a network.

    SageMaker refuses it otherwise. Its package has no version, and a hash at the end of its name,
    as those have that sellers list.
    """
    isolation = model.network_isolation
    for container in (model.primary, *model.containers_fact.items()):
        package = container.get("ModelPackageName")
        listed = _LISTED.search(package.pieces[-1] or "") if package.pieces else None
        if listed and isolation.flag is not True and not isolation.unknown:
            yield package.says(
                "is of the AWS Marketplace, whose models run without a network; add "
                "EnableNetworkIsolation: true to the model"
            )


@rule(
    source="botocore ContainerHostname; AWS SageMaker developer guide of 2023, "
    "multi-container-endpoints",
    example="container_hostname: pre_process",
    shapes=("ContainerHostname",),
)
def container_hostname(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """A container's hostname is its own.

    Logs and metrics of a pipeline are told apart by it. Either every container of a pipeline has
    one, or none. Where a request names its container, each has one.
    """
    without = [fact for fact in model.hostnames if not fact.given]
    asked = model.execution.text == "Direct"
    if asked or len(without) < len(model.hostnames):
        why = "requests name the container by it; give each one"
        if not asked:
            why = "others have one; give each one, or none"
        for fact in without:
            yield fact.says(f"is missing, and {why}")
    seen: set[str] = set()
    for fact in model.hostnames:
        name = fact.text
        if name is None:
            continue
        if name in seen:
            yield fact.finding(f"a container named {name!r} stands above; rename one of them")
        seen.add(name)


@rule(
    source="AWS SageMaker developer guide, use a private Docker registry",
    example="ImageConfig: {RepositoryAccessMode: Vpc}   # and no VpcConfig",
)
def image_registry_network(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """A model whose image comes from a registry in a VPC stands in that VPC.

    SageMaker pulls by the model's own network.
    """
    for container in (model.primary, *model.containers_fact.items()):
        mode = container.get("ImageConfig").get("RepositoryAccessMode")
        if mode.text == "Vpc" and not model.vpc.given:
            yield mode.says(
                "is Vpc and the model has no VpcConfig, so there is no way to the registry; add "
                "VpcConfig, or push the image to ECR"
            )


@rule(
    source="botocore VpcConfig, SubnetId, SecurityGroupId",
    example="subnet_ids: [sg-0123456789abcdef0]",
)
def network_ids(facts: NetworkFacts) -> Iterator[Finding]:
    """Subnets are named by ids that begin with ``subnet-``, security groups by ``sg-``.

    CreateModel takes neither names nor ARNs, and of an id at most 32 letters, digits and hyphens.
    """
    for fact, start in ((facts.subnets, "subnet-"), (facts.security_groups, "sg-")):
        for each in fact.items():
            text = each.text
            if text is None or text.startswith("${"):
                continue
            if not text.startswith(start) or not _ID.fullmatch(text):
                yield each.finding(
                    f"{fact.name} has {text!r}; it must be an id such as {start}0123456789abcdef0; "
                    "write that"
                )


@warning(
    source="aws-solutions-library-samples/guidance-for-text-generation-using-embeddings-from-"
    "enterprise-data-on-aws#3, aws/amazon-sagemaker-operator-for-k8s#22; AWS SageMaker developer "
    "guide, host-vpc",
    example="VpcConfig of subnets without a NAT gateway or an AWS::EC2::VPCEndpoint for S3",
)
def network_s3(facts: NetworkFacts) -> Iterator[Finding]:
    """From a model's subnets there is a way to S3: by an endpoint of the VPC, or a NAT gateway.

    The model's files are fetched through the VPC. An internet gateway is no way, as the instances
    have no public address. The endpoint fails after many minutes: "Please ensure that an S3 VPC
    endpoint exists in route table or NAT gateway". So does one whose security groups let nothing
    out.
    """
    if facts.closed:
        yield facts.security_groups.says(
            f"has {', '.join(facts.closed)}, which lets nothing out, so that the model's files are "
            "not fetched; let it send to port 443, to S3's prefix list or any address"
        )
    if facts.cut_off:
        yield facts.subnets.says(
            f"has {', '.join(facts.cut_off)}, from which nothing leads to S3; add an "
            "AWS::EC2::VPCEndpoint of type Gateway for S3 to its route table, or a route to a NAT "
            "gateway"
        )


@rule(source="VPC user guide, VPC CIDR blocks", example="network: {cidr: 10.0.0.0/24}")
def network_cidr(facts: NetworkFacts) -> Iterator[Finding]:
    """A VPC that is made has a private IPv4 block of /16 to /19.

    A VPC takes none larger than /16, and two subnets of 4096 addresses fit into none smaller
    than /19. Loopback, link-local and other reserved addresses are none of a VPC's; SageMaker uses
    172.17.0.0/16 itself.
    """
    text = facts.cidr.text
    if text is None:
        return
    try:
        block = IPv4Network(text)
    except ValueError as error:
        yield facts.cidr.says(f"is {text!r}: {error}; use 10.0.0.0/16")
        return
    if "/" not in text or not 16 <= block.prefixlen <= 19:
        yield facts.cidr.says(f"is {text!r}; it must be a /16 to /19; use 10.0.0.0/16")
    elif not any(block.subnet_of(private) for private in _PRIVATE):
        ranges = ", ".join(map(str, _PRIVATE))
        yield facts.cidr.says(
            f"is {text!r}, which is not private; a VPC's are within {ranges}; use 10.0.0.0/16"
        )
    elif block.overlaps(_OF_SAGEMAKER):
        yield facts.cidr.says(
            f"is {text!r}; SageMaker's own containers use {_OF_SAGEMAKER}; use 10.0.0.0/16"
        )


@rule(
    source="botocore EndpointName, EndpointConfigName, ModelName, EntityName",
    example="EndpointName: my_endpoint",
    shapes=("ModelName", "EndpointConfigName", "EndpointName", "InferenceComponentName"),
)
def resource_name(facts: NameFacts) -> Iterator[Finding]:
    """Endpoints, their configurations, models and jobs have names that SageMaker takes.

    Of a name of which a deploy knows a part, the rest is looked at.
    """
    known = "".join(piece for piece in facts.name.pieces if piece is not None)
    if facts.name.text is None and known and not is_name(f"a{known[:61]}a"):
        yield facts.name.says(
            f"is {facts.name.shown!r}; it must be 1 to 63 letters, digits and hyphens between "
            "them, no underscore; rename it"
        )


@note(
    source="CloudFormation user guide, AWS::SageMaker::Model, AWS::SageMaker::EndpointConfig; "
    "awslabs/spot-tagging-bot-for-digital-assets#2",
    example="EndpointConfigName: my-config",
)
def resource_name_fixed(facts: NameFacts) -> Iterator[Finding]:
    """Models and endpoint configurations have no name that stays the same.

    Each change makes another beside the old one, which SageMaker refuses under the same name:
    "Cannot create already existing endpoint configuration". A parameter that is called a version
    changes with what it is the version of.
    """
    versioned = any(_VERSION & _words(parameter) for parameter in facts.parameters)
    replaced = facts.kind in ("model", "endpoint configuration")
    if replaced and facts.name.text is not None and not versioned:
        yield facts.name.says(
            f"is {facts.name.text!r}; a change makes another {facts.kind}, which may not have the "
            "same name; leave it out, or let a version be part of it"
        )


_VERSION = {
    *("version", "revision", "release", "build", "commit", "sha", "hash", "digest", "tag"),
    *("date", "time", "timestamp", "suffix", "run"),
}


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", name)}


@rule(
    source="ministryofjustice/modernisation-platform-environments#9383",
    example="create_before_destroy of an aws_sagemaker_endpoint with a name",
)
def resource_name_taken(facts: NameFacts) -> Iterator[Finding]:
    """What is made before the one that it replaces is deleted has a name of its own.

    "Cannot create already existing endpoint".
    """
    if facts.taken:
        yield facts.name.says(
            f"is {facts.name.text!r}, which the {facts.kind} that is replaced still has while the "
            "new one is made; leave create_before_destroy out, or let a part of the name change "
            "with what replaces it"
        )
