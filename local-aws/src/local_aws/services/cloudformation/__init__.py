"""CloudFormation on this machine: an engine that waits, fails and rolls back as AWS's does.

``api`` speaks the protocol; ``submissions`` judges and plans what is asked for
(``template``, ``names``, ``parameters``, ``checks``, ``changes``); ``deployment``
carries it out, one resource after another (``steps``) by what each type's provider in
``providers`` knows; ``stacks`` is all that is kept.
"""
