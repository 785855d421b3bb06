"""CloudFormation's resource schemas, as cfn-lint ships them, and a judge of values by them.

Rules read templates with it, and the local AWS deploys them. It needs the standard library alone,
but for patterns: `regex` reads them, which cfn-lint brings.
"""

from __future__ import annotations

from local_aws.schemas.fault import Fault, settled
from local_aws.schemas.formats import format_in_words
from local_aws.schemas.judge import Judge
from local_aws.schemas.scalars import fits_text
from local_aws.schemas.schema import (
    Place,
    Schema,
    data_folder,
    is_custom,
    regions_of,
    schema_of,
    type_names,
)

__all__ = [
    "Fault",
    "Judge",
    "Place",
    "Schema",
    "data_folder",
    "fits_text",
    "format_in_words",
    "is_custom",
    "regions_of",
    "schema_of",
    "settled",
    "type_names",
]
