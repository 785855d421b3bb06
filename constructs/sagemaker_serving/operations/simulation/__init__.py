"""What a fleet does under traffic: a discrete-event simulation, by simpy.

::

    curve       what one instance does, as `bench --curve` measured it
    measuring   measures one, of a model served here or of an endpoint
    traffic     when requests arrive: files, shapes
    instance    one instance: workers or batches, and who waits
    fleet       instances that come and go, and who gets a request
    scaling     the policies of an environment file
    limits      what its servers take at once, and refuse
    report      figures by the minute and the quarter-hour
    run         all of it, for a variant of an environment file
"""

from sagemaker_serving.operations.simulation.curve import BatchTime, Level, ServiceCurve
from sagemaker_serving.operations.simulation.fleet import FleetPlan
from sagemaker_serving.operations.simulation.instance import Batching, ServerLimits
from sagemaker_serving.operations.simulation.limits import limits_of_variables
from sagemaker_serving.operations.simulation.report import Minute, Quarter, SimulationReport
from sagemaker_serving.operations.simulation.run import Setup, setup_of, simulate
from sagemaker_serving.operations.simulation.traffic import Traffic, traffic_of

__all__ = [
    "BatchTime",
    "Batching",
    "FleetPlan",
    "Level",
    "Minute",
    "Quarter",
    "ServerLimits",
    "ServiceCurve",
    "Setup",
    "SimulationReport",
    "Traffic",
    "limits_of_variables",
    "setup_of",
    "simulate",
    "traffic_of",
]
