"""The gateway of the local AWS's tests, for those of its SageMaker."""

from tests.local_aws.conftest import aws as aws
from tests.local_aws.conftest import settings as settings
