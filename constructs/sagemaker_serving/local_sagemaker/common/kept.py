"""What is kept by its name: found, listed and described alike, whatever kind it is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.store import ByName, Region, Resource

Parameters = Mapping[str, Any]


class Kept:
    """One kind of resource, in the words that SageMaker has for it.

    ``kind`` is how its actions call it (``EndpointConfig``), ``arn_kind`` what stands in its ARNs,
    ``places`` where a `Region` keeps it, and ``words`` what messages say.
    """

    kind: str
    arn_kind: str
    places: str
    words: str

    @classmethod
    def find(cls, region: Region, name: str) -> Resource:
        """The one of that name; raises AWS's "Could not find"."""
        with region.lock:
            found = cls._all(region).get(name)
        if found is None:
            arn = region.arn(cls.arn_kind, name)
            raise AwsError("ValidationException", f'Could not find {cls.words} "{arn}".')
        return found

    @classmethod
    def refuse_existing(cls, region: Region, name: str) -> None:
        """Raise AWS's "Cannot create already existing" where there is one of that name."""
        if name in cls._all(region):
            arn = region.arn(cls.arn_kind, name)
            raise AwsError(
                "ValidationException", f'Cannot create already existing {cls.words} "{arn}".'
            )

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The resource as it was created."""
        return self.find(region, parameters[f"{self.kind}Name"])

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """Those of the region, page by page."""
        with region.lock:
            return Listing(self.kind).page(self._all(region).values(), parameters)

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Forget one, in use or not, as on AWS; what serves it goes on."""
        with region.lock:
            found = self.find(region, parameters[f"{self.kind}Name"])
            del self._all(region)[found[f"{self.kind}Name"]]
            region.tags.pop(found[f"{self.kind}Arn"], None)
        return {}

    @classmethod
    def _all(cls, region: Region) -> ByName:
        found: ByName = getattr(region, cls.places)
        return found
