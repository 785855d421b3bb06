"""The custom resource that compiles a model with SageMaker Neo within a deploy.

CloudFormation calls ``custom_resource.start``, which begins an execution of a state machine and
returns. The machine calls ``work`` step by step, waits in between for as long as the job takes, and
answers at CloudFormation's address. What one step knows goes to the next as plain data, so that any
of them may be killed and run again: names follow from content, and what exists is looked up first.

::

    start ──> begin ──> (wait ──> look)* ──> finish ──> answer
"""
