"""Policy documents as values: what their statements say, and the decision that several make.

Standard library only: the local AWS judges calls by it, and the rules read roles of templates.
"""
