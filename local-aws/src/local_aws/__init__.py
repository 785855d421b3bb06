"""AWS on this machine; ``service`` is the page to read first.

Nothing is here, and yet it must be: without it pytest takes each file for a module of the top, and
looks at users' own ``settings`` and ``errors`` for the plugin's.
"""
