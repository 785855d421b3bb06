"""TorchServe and Multi Model Server, on which AWS's PyTorch and Neo images are built.

::

    python -m sagemaker_serving.model_server.mms      front: HTTP, queues, limits
    └── ….mms.worker                                  gunicorn, one for each model: one request at
                                                      a time, each worker with the model and the
                                                      user's code

The real ones are a front in Java and workers in Python that speak a protocol of
their own; a worker that dies or exceeds its time is started again. Statuses,
texts and limits are those of four TorchServes with AWS's toolkit of their time, which were run
and asked; `toolkit.contract` has what differs between them, docs/container-contract.md says
what is done otherwise here.

What a worker does with a request is a `toolkit.service`: `pytorch` and `neo` have one each.
"""
