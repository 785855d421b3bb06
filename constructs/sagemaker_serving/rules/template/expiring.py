"""What a template deletes when it is old: objects of a bucket, images of a repository."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.rules.facts import ContainerFacts, Fact
from sagemaker_serving.rules.facts.resources import ExpiringFacts
from sagemaker_serving.rules.template.marks import MARK, text_with_marks
from sagemaker_serving.rules.template.resources import Resource, Resources

_BUCKET, _REPOSITORY = "AWS::S3::Bucket", "AWS::ECR::Repository"
_OBJECT = re.compile(rf"s3://(?:{MARK}([^{MARK}]+){MARK}|([^/{MARK}]+))/(.*)", re.DOTALL)
_IMAGE = re.compile(rf"{MARK}([^{MARK}]+){MARK}[:@].*", re.DOTALL)
_SOME = ("TagFilters", "ObjectSizeGreaterThan", "ObjectSizeLessThan")
"""Members of a bucket's rule by which it is not for every object."""


def expiring_parts(container: ContainerFacts, resources: Resources) -> Iterator[ExpiringFacts]:
    """What a container is started from, and a store of the template deletes after a time."""
    for uri in (container.artifact, container.data_source.get("S3Uri")):
        found = _OBJECT.fullmatch(text_with_marks(uri.value) or "")
        if found is not None:
            for bucket in resources.of_types(_BUCKET):
                named = (bucket.logical_id, bucket.properties.get("BucketName").text)
                if (found[1] or found[2]) in named:
                    yield from _expiring(uri, bucket, _days_of_objects(bucket, found[3]))
    image = container.image_uri
    found = _IMAGE.fullmatch(text_with_marks(image.value) or "")
    repository = None if found is None else resources.find(found[1])
    if repository is not None and repository.type == _REPOSITORY:
        yield from _expiring(image, repository, _days_of_images(repository))


def _expiring(part: Fact, store: Resource, days: Iterator[Fact]) -> Iterator[ExpiringFacts]:
    for one in days:
        yield ExpiringFacts(part=part, store=store.logical_id, days=one)


def _days_of_objects(bucket: Resource, key: str) -> Iterator[Fact]:
    for one in bucket.properties.get("LifecycleConfiguration").get("Rules").items():
        prefix = one.get("Prefix")
        covers = not prefix.given or (prefix.text is not None and key.startswith(prefix.text))
        some = any(one.get(name).given for name in _SOME)
        if covers and not some and one.get("Status").text == "Enabled":
            yield one.get("ExpirationInDays")


def _days_of_images(repository: Resource) -> Iterator[Fact]:
    text = repository.properties.get("LifecyclePolicy").get("LifecyclePolicyText")
    for one in Fact(text.document, text.where).get("rules").items():
        chosen = one.get("selection")
        kinds = (chosen.get("tagStatus").text, chosen.get("countType").text)
        if kinds == ("any", "sinceImagePushed"):
            yield Fact(chosen.get("countNumber").value, text.where)
