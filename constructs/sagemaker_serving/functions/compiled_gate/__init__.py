"""The custom resource that lets a compiled model have no traffic before its answers are right.

CloudFormation calls ``custom_resource.start``, which begins an execution of a state machine and
returns. The machine calls ``work`` step by step. It starts an endpoint of one instance with the
stack's own Model, asks it the golden requests, and removes it: after a good answer and a bad one,
after an error of any step, after a time-out, and when the deploy is cancelled. What a former try
left is removed first. Endpoint and config have one name, which follows from what is judged.

::

    start ──> begin ──> (wait ──> look)* ──> judge ──> (wait ──> look)* ──> answer
                 any error ──> remove ──> (wait ──> look)* ──> answer
"""
