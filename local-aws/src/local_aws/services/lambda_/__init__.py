"""Lambda on this machine: functions in Python and Node.js, run as processes from their zips.

``service`` is the door: ``rest`` reads requests as botocore's model has them, ``functions`` and
``settings`` write down, ``invocations`` and ``asynchronous`` run. ``pool`` keeps processes warm,
``sandbox`` is one of them, ``runtime.py`` or ``runtime.mjs`` is what runs inside it, after
``bootstrap``; ``logs`` carries what they say.
"""
