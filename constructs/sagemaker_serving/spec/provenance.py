"""Where what is deployed came from: the tags that say so."""

from __future__ import annotations

COMMIT_TAG = "sagemaker-serving:commit"
"""The commit of the working tree that was synthesized; ends in ``-dirty`` with changes beside it."""

VERSION_TAG = "sagemaker-serving:version"
"""The version of this package that synthesized it."""
