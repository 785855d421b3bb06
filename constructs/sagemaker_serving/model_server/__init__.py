"""SageMaker's inference containers, on this machine, without Docker.

::

    python -m sagemaker_serving.model_server      front: HTTP, starts and watches the others
    ├── ….model_server.engine                     TensorFlow behind TF Serving's REST API
    └── ….model_server.handler                    gunicorn and falcon, only when there is code

The front is nginx of the real image and its ``serve`` script in one, the
engine is ``tensorflow_model_server``, the handler worker is the same gunicorn,
gevent and falcon that the image runs. Handlers call the engine's REST port
themselves, as they do on SageMaker; the front reaches the engine over a unix
socket (`link`). Each process ends with its parent, however that ends
(`parent_watch`).

That is TensorFlow's. The images of PyTorch and Neo are built on another server:
`mms`, a program of its own, with what they do with a request in `pytorch` and `neo`. Ray
Serve's is `ray_serve`. `programs` names all, `entry` is how each is started. `command` runs a
program of the user's instead, and `stub` nothing.

In a local AWS front and engine are forks of one process that has TensorFlow imported
(`fork_server`); alone each is a program.

In multi-model mode there is `engine_forks` instead of engines, of which every model
gets its own, and the worker is always there: it answers /models.

A framework version is of a generation (`generations`), and what generations do
differently is one table (`contract`): data, and small functions that the front
and the worker are given. All else is the same for every version.
"""
