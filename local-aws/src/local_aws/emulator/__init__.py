"""Every change made to the emulator, each with its reason; nothing else reaches into it.

moto is pinned exactly, and each patch has a test of its own. Those here are quick to load and
applied at the start; a service's own are in its ``moto``, applied when it is first asked for.
"""
