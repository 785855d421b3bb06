from __future__ import annotations

import json
import re
from importlib.resources import files

from local_aws.template import region_names


def test_every_region_has_the_partition_and_suffix_that_botocore_knows() -> None:
    partitions = json.loads(files("botocore").joinpath("data/partitions.json").read_text())
    for partition in partitions["partitions"]:
        for region in partition["regions"]:
            if re.match(partition["regionRegex"], region):
                assert region_names(region) == {
                    "AWS::Region": region,
                    "AWS::Partition": partition["id"],
                    "AWS::URLSuffix": partition["outputs"]["dnsSuffix"],
                }
