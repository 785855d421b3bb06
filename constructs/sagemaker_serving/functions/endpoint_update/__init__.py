"""The custom resource that moves an endpoint which another made to a config of the stack.

CloudFormation calls ``custom_resource.start``, which begins an execution of a state machine and
returns. The machine calls ``work`` step by step, and waits in between while SageMaker moves the
traffic. The endpoint itself is never made and never deleted. Its former config is recorded before
anything is asked for, as a tag of the new one, and is a part of the resource's physical id: a stack
that is taken back gives it back.

::

    start ──> begin ──> (wait ──> look)* ──> update ──> (wait ──> look)* ──> answer
"""
