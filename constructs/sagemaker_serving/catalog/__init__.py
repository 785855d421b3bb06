"""What AWS offers: images, instance types, regions and limits, as data plus look-ups.

The data are snapshots of what others keep (see ``data/*.json``, whose first
lines name source, version, sha256 and licence; ``tools/refresh_catalog.py``
makes them anew). Nothing here touches the network.
"""

from sagemaker_serving.catalog.images import (
    EcrImage,
    UnknownImage,
    container_image,
    framework_versions,
    frameworks,
    image_for,
    image_regions,
    image_uri,
    parse_ecr_uri,
)
from sagemaker_serving.catalog.instances import (
    InstanceType,
    UnknownInstanceType,
    instance_type,
    instance_types,
    regions,
    regions_offering,
)

__all__ = [
    "EcrImage",
    "InstanceType",
    "UnknownImage",
    "UnknownInstanceType",
    "container_image",
    "framework_versions",
    "frameworks",
    "image_for",
    "image_regions",
    "image_uri",
    "instance_type",
    "instance_types",
    "parse_ecr_uri",
    "regions",
    "regions_offering",
]
