"""The containers of a local AWS as forks of one process that has TensorFlow imported.

A container's front and engine are each a process of their own, and import for a second and a half
before they look at a model. Here one process has done so once. It becomes no container itself and
runs no graph, so that it never has a thread but its first. Each container is a fork of it, with
its own environment, log and session, and the container's engine is a fork of that (`children`).

`fork_client` starts it with the first container, and again when it has died: those that it began
live on. It ends with the process that started it. What TensorFlow reads of the environment while it
is imported is the same for all; a container that wants it otherwise is a process of its own.
"""
