"""Where the data lies that cfn-lint ships: CloudFormation's schemas and AWS's own references."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def data_folder() -> Path:
    """The folder. Raises ModuleNotFoundError without cfn-lint."""
    spec = find_spec("cfnlint")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            "cfn-lint is not installed: CloudFormation's resource schemas are read from it; "
            "install the extra 'run' of local-aws, or 'check' of sagemaker-serving"
        )
    return Path(spec.submodule_search_locations[0]) / "data"
