"""What plugs SageMaker into a local AWS, where what it needs to run is installed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sagemaker_serving.extras import is_here

if TYPE_CHECKING:
    from local_aws.context import LocalContext
    from local_aws.service import Service

_log = logging.getLogger(__name__)


def services(context: LocalContext, changed: Callable[[str], None]) -> Iterable[Service]:
    """SageMaker and its runtime; none without the extra ``local``, which is logged.

    A project that only calls endpoints has this package without that extra, and tests its own app
    on a local AWS all the same. There SageMaker's types are only kept, as those of any service that
    is not here.
    """
    if not is_here("local"):
        _log.warning(
            "SageMaker is left out: sagemaker-serving is here without what serves models; "
            "pip install 'sagemaker-serving[local]'"
        )
        return ()
    from sagemaker_serving.local_sagemaker import service  # loading it takes long

    return service.services(context, changed)
