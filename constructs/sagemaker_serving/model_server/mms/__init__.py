"""TorchServe and Multi Model Server, on which AWS's PyTorch and Neo images are built.

::

    python -m sagemaker_serving.model_server.mms      front: HTTP, queue, limits
    └── ….mms.worker                                  gunicorn: one request at a time, each worker
                                                      with the model and the user's code

The real ones are a front in Java and workers in Python that speak a protocol of
their own; a worker that dies or exceeds its time is started again. Statuses,
texts and limits are those of TorchServe 0.12.0 with sagemaker-pytorch-inference
2.0.25, which were run on 2026-11-21 and asked; docs/container-contract.md says
what is done otherwise here.

What a worker does with a request is a `toolkit.service`: `pytorch` and `neo` have one each.
"""
