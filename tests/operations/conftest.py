"""The AWS of the client's tests, for those of what is done with it."""

from tests.client.conftest import gateway as gateway
from tests.client.conftest import transport as transport
