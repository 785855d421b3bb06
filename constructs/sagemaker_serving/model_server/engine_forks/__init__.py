"""Multi-model mode's engines: one process has TensorFlow, and each loaded model is a fork of it.

The container starts a ``tensorflow_model_server`` per model, which costs
nothing there. Here an engine is seconds of importing and hundreds of MB, and a
fork of one that has imported is a tenth of a second and what the model itself
takes. A model is still a process of its own: unloading it ends the process,
which gives all its memory back, and a model that dies takes none with it.

In a local AWS this process is itself a fork of one that has imported (`fork_server`).

`engines` keeps the engines, `__main__` is the process that does it, and
`client` asks it from the handler worker, as many of those as there are.
"""
