"""Step Functions of the local AWS: executions, Distributed Maps, nested executions, the API.

States are evaluated by the emulator's interpreter, mended in
``moto_patches.step_functions``; everything around them is here. The interpreter
takes a second and 100 MB to load: only ``definition`` and what it needs do
without it, and ``moto_patches.step_functions.apply`` gives the `api.StepFunctions`
that answers when Step Functions is first asked for.

To keep what has run: ``StepFunctions.executions`` has ``export_state``, which gives
plain data for JSON, and ``restore_state``, which takes it back; what ran meanwhile is
then ABORTED. The machines themselves are in the emulator's backend.
"""
