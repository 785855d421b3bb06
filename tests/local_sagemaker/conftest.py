"""The gateway of the local AWS's tests, for those of its SageMaker."""

from tests.local.conftest import aws as aws
from tests.local.conftest import settings as settings
