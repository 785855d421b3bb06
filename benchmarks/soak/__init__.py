"""Two hours of mixed load and faults on the local AWS: ``make soak``.

Predictions in every format all the time, single and multi-model with evictions; beside them, in
turn, an endpoint's update, a stack's create, update, rollback and delete, objects, a transform job
and a batch; and at random a kill -9 of every kind of process, a full disk and a clock that jumps.
"""
