"""Every change made to the emulator, each with its reason; nothing else reaches into it.

moto is pinned exactly, and each patch has a test of its own. ``access`` and
``memory`` are quick to load and applied at the start; the others are dear and
applied when their services are first asked for: ``step_functions`` takes a
second and 100 MB.
"""
