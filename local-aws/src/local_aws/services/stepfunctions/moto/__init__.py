"""Changes to the emulator's Step Functions, so that state machines run as on AWS.

The emulator's interpreter of the Amazon States Language evaluates most states
well; what is amiss is changed here, one concern a file. Executions, Map Runs
and the API around them are in the folder above.
"""

from __future__ import annotations

import logging

from moto.core.config import default_user_config
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

from local_aws.context import LocalContext
from local_aws.services.stepfunctions.engine.api import Api
from local_aws.services.stepfunctions.engine.distributed_map import DistributedMap
from local_aws.services.stepfunctions.engine.roles import Roles
from local_aws.services.stepfunctions.moto import flow, languages, maps, tasks


def apply(context: LocalContext) -> Api:
    """Apply every patch; a second time adds an account, or leads to another gateway.

    Returns what answers for the account's executions from now on.
    """
    api, roles = Api(context), Roles(context)
    execute_state_machines()
    leave_definitions_to_the_service()
    be_quiet()
    languages.apply()
    flow.apply()
    maps.apply(context.account_id, DistributedMap(api.executions, roles))
    tasks.apply(context, roles)
    return api


def execute_state_machines() -> None:
    """State machines made otherwise land in a backend without an interpreter."""
    default_user_config["stepfunctions"] = {"execute_state_machine": True}


def leave_definitions_to_the_service() -> None:
    """The service has judged a definition before the emulator sees it, and better.

    The emulator's own judgement refuses what its grammar lacks of Distributed Maps.
    """
    StepFunctionsParserBackend._validate_definition = staticmethod(lambda definition: None)


def be_quiet() -> None:
    """Every failing state logs its whole definition; the execution's history has it too."""
    logging.getLogger("moto.stepfunctions").setLevel(logging.CRITICAL)
