"""What AWS offers: images, instance types, regions and limits, as data plus look-ups.

The data are snapshots of what others keep (see ``data/*.json``, whose first
lines name source, version, sha256 and licence; ``tools/refresh_catalog.py``
makes them anew). Nothing here touches the network.
"""

from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.catalog.actions import (
    action_input,
    action_parameters,
    sdk_actions,
    sdk_services,
)
from sagemaker_serving.catalog.ecr import EcrImage, domain_suffix, parse_ecr_uri
from sagemaker_serving.catalog.host_images import image_for, image_reason
from sagemaker_serving.catalog.images import (
    UnknownImage,
    container_image,
    framework_scopes,
    framework_versions,
    frameworks,
    image_processors,
    image_regions,
    image_version,
    repository_versions,
    scopes_of,
)
from sagemaker_serving.catalog.instances import (
    InstanceType,
    UnknownInstanceType,
    instance_type,
    instance_types,
    priced_regions,
    regions,
    regions_offering,
    variant_types,
)
from sagemaker_serving.catalog.neo import (
    NeoSupport,
    neo_frameworks,
    neo_image_uri,
    neo_regions,
    neo_serving_variables,
    neo_support,
    neo_target_devices,
)
from sagemaker_serving.catalog.properties import (
    resource_attributes,
    resource_properties,
    sagemaker_resource_types,
)
from sagemaker_serving.catalog.published import PublishedImage, published_image
from sagemaker_serving.catalog.servers import ImageServer, image_server
from sagemaker_serving.catalog.support import (
    ImageSupport,
    Replacement,
    image_support,
    listed_releases,
    newest_patched,
    support_as_of,
)

__all__ = [
    "Accelerator",
    "EcrImage",
    "ImageServer",
    "ImageSupport",
    "InstanceType",
    "NeoSupport",
    "PublishedImage",
    "Replacement",
    "UnknownImage",
    "UnknownInstanceType",
    "action_input",
    "action_parameters",
    "container_image",
    "domain_suffix",
    "framework_scopes",
    "framework_versions",
    "frameworks",
    "image_for",
    "image_processors",
    "image_reason",
    "image_regions",
    "image_server",
    "image_support",
    "image_version",
    "instance_type",
    "instance_types",
    "listed_releases",
    "neo_frameworks",
    "neo_image_uri",
    "neo_regions",
    "neo_serving_variables",
    "neo_support",
    "neo_target_devices",
    "newest_patched",
    "parse_ecr_uri",
    "priced_regions",
    "published_image",
    "regions",
    "regions_offering",
    "repository_versions",
    "resource_attributes",
    "resource_properties",
    "sagemaker_resource_types",
    "scopes_of",
    "sdk_actions",
    "sdk_services",
    "support_as_of",
    "variant_types",
]
