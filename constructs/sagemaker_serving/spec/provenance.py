"""Where what is deployed came from, and what it is for: the tags that say so."""

from __future__ import annotations

COMMIT_TAG = "sagemaker-serving:commit"
"""The commit that was synthesized; it ends in ``-dirty`` where the working tree had changes."""

VERSION_TAG = "sagemaker-serving:version"
"""The version of this package that synthesized it."""

ENDPOINT_TAG = "sagemaker-serving:endpoint"
"""The endpoint that a kept config was made for; `operations.rollback` looks for it."""
