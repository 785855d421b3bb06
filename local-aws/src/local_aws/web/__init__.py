"""What APIs and function URLs have in common: requests without AWS's own protocols, whoever sends
them, that end in a function or elsewhere.

``door`` knows such a request by its address and keeps foreign pages out, ``request`` is what came,
``functions`` calls one for an API, ``payloads`` are a request and an answer as functions have
them, ``records`` keeps what an API's control plane is told.
"""
