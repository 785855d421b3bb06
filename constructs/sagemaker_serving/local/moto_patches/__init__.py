"""Every change made to the emulator, each with its reason; nothing else reaches into it.

moto is pinned exactly, and each patch has a test of its own. ``access`` is
quick to load and applied at the start; ``step_functions`` takes a second and
100 MB, so it is applied when state machines are first asked for.
"""
