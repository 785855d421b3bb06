"""AWS's image of Triton, for models of its onnxruntime backend.

::

    python -m sagemaker_serving.model_server.triton    HTTP, v2 protocol, onnxruntime: one process

Triton is one process, too: a model that crashes it ends the container. Sources:
triton-inference-server/server e1db8a6, ``docker/sagemaker/serve``, ``src/sagemaker_server.cc`` and
``src/http_server.cc``; core 73aad7c, ``src/infer_request.cc``; the protocol is KServe's "Predict
Protocol, Version 2" with ``docs/protocol/extension_binary_data.md``. Nothing of NVIDIA's was run.
docs/container-contract.md says what is done otherwise here.
"""
