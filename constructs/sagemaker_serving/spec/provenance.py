"""Where what is deployed came from: the tags that say so."""

from __future__ import annotations

COMMIT_TAG = "sagemaker-serving:commit"
"""The commit that was synthesized; it ends in ``-dirty`` where the working tree had changes."""

VERSION_TAG = "sagemaker-serving:version"
"""The version of this package that synthesized it."""
