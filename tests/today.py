"""The day by which tests judge what is on a calendar, so that they say the same on any other."""

from __future__ import annotations

from sagemaker_serving.catalog.support import support_as_of

TODAY = support_as_of()
"""That of the catalog's support data: what ships is patched then."""
