"""The batch pipeline's function: it plans, reconciles what jobs leave, bisects objects, reports.

One function with one step for each state of the machine in ``infra/batch/definition.py``. All
that grows with the data lies in S3; a state carries names and numbers only. Every step reads
what the step before has written and writes under a name of its own, so a step that is called
again does the same again.
"""
