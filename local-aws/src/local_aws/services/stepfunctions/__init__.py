"""Step Functions of the local AWS: executions, Distributed Maps, nested executions, the API.

States are evaluated by the emulator's interpreter, mended in ``moto``; everything around them is
here. ``moto.apply`` gives the `engine.api.Api` that answers once Step Functions is first asked for.

To keep what has run: ``StepFunctions.executions`` has ``export_state``, which gives
plain data for JSON, and ``restore_state``, which takes it back; what ran meanwhile is
then ABORTED. The machines themselves are in the emulator's backend.
"""
