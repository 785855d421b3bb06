"""What the emulator holds on to, for requests that come at once."""

from __future__ import annotations

from botocore.model import ServiceModel as BotocoreServiceModel
from moto.core.utils import get_service_model

from local_aws.emulator import memory


def test_an_operation_that_another_thread_asks_for_is_the_emulators_from_the_first_moment() -> None:
    memory.apply()
    model = get_service_model("apigateway")
    BotocoreServiceModel.operation_model(model, "CreateRestApi")  # what the emulator's begins with
    assert model.operation_model("CreateRestApi").http_trait.path == "/restapis"
