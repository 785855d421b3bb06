"""What the wheel carries beside the package: the app that `init` lays, and the documentation."""

from __future__ import annotations

from pathlib import Path

import sagemaker_serving


def carried(part: str) -> Path:
    """``app.py``, ``stacks`` or ``docs``: in the wheel's package; in a clone at its top."""
    package = Path(sagemaker_serving.__file__).parent
    inside = package / "project" / part
    return inside if inside.exists() else package.parents[1] / part
