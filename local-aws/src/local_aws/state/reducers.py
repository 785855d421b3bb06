"""What cannot be written down as it is, and how it is made anew from what was written."""

from __future__ import annotations

import io
import pickle
import threading
import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

RUNNING: Mapping[type, Callable[[], Any]]
"""Types that belong to a running process, and what takes their place in the next one."""


def nothing() -> None:
    """In place of a thread: it has ended."""


def condition() -> threading.Condition:
    """A new condition."""
    return threading.Condition()


def event() -> threading.Event:
    """A new event, not set."""
    return threading.Event()


def lock() -> Any:
    """A new lock, free."""
    return threading.Lock()


def r_lock() -> Any:
    """A new reentrant lock, free."""
    return threading.RLock()


RUNNING = {
    type(threading.Lock()): lock,
    type(threading.RLock()): r_lock,
    threading.Condition: condition,
    threading.Event: event,
}


def method(owner: Any, name: str) -> Any:
    """A bound method of an object that was kept."""
    found = getattr(owner, name)
    if name.startswith("__") or not isinstance(found, types.MethodType):
        raise pickle.UnpicklingError(f"{name} is nothing that is kept here")
    return found


def local_function(module: str, qualname: str) -> Any:
    """A function without a name of its own (a default's lambda), found again in its module."""
    if not module.startswith("moto."):
        raise pickle.UnpicklingError(f"{module}.{qualname} is nothing that is kept here")
    source = import_module(module)
    assert source.__spec__ is not None
    code = source.__spec__.loader.get_code(module)  # type: ignore[union-attr]
    for inner in _codes(code):
        if inner.co_qualname == qualname and not inner.co_freevars:
            return types.FunctionType(inner, vars(source))
    raise pickle.UnpicklingError(f"{module} has no {qualname}")


def private_key(pem: bytes) -> Any:
    """A KMS key's private half."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    return load_pem_private_key(pem, None)


def pem_of(key: Any) -> bytes:
    """A private key as `private_key` reads it."""
    from cryptography.hazmat.primitives import serialization as form

    pem: bytes = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    return pem


def mapping(kind: type[dict[Any, Any]], factory: Any) -> Any:
    """An empty mapping of a class of the emulator's, without its ``__init__``; see `fill`."""
    made = kind.__new__(kind)
    if isinstance(made, defaultdict):
        made.default_factory = factory
    return made


def fill(made: dict[Any, Any], state: tuple[dict[str, Any], list[tuple[Any, Any]]]) -> None:
    """Give a mapping its attributes and items, past any ``__setitem__`` of its own."""
    attributes, items = state
    vars(made).update(attributes)
    for key, value in items:
        dict.__setitem__(made, key, value)


def emptied(obj: dict[Any, Any]) -> tuple[Any, ...]:
    """A mapping's reduction, for `mapping` and `fill`."""
    factory = obj.default_factory if isinstance(obj, defaultdict) else None
    state = (dict(vars(obj)), list(dict.items(obj)))
    return mapping, (type(obj), factory), state, None, None, fill


def s3_object() -> Any:
    """An S3 object that is nothing yet; see `fill_s3_object`."""
    from moto.s3.models import FakeKey

    key = FakeKey.__new__(FakeKey)
    key.disposed = True  # there is nothing to dispose of until it is filled
    return key


def fill_s3_object(key: Any, state: tuple[dict[str, Any], Any]) -> None:
    """Give an S3 object its attributes and its content: a file, or None when it was deleted.

    A delete marker knows the object that it was made for even after that is gone.
    """
    attributes, content = state
    if content is None:
        content = io.BytesIO()
        content.close()
    vars(key).update(attributes, lock=threading.Lock(), _value_buffer=content)


def without_content(key: Any) -> dict[str, Any]:
    """What an S3 object is besides its content."""
    state = dict(vars(key))
    state.pop("_value_buffer", None)
    state.pop("lock", None)
    return state


def bare(kind: type) -> Any:
    """An object of a class of the emulator's, without its ``__init__``."""
    return object.__new__(kind)


def history(environment: Any) -> dict[str, Any]:
    """What is told of an execution once nothing of it runs any more."""
    kept = ("event_manager", "map_run_record_pool_manager")
    return {name: getattr(environment, name) for name in kept}


def iam(account: str, partition: str) -> Any:
    """IAM of an account, with AWS's own policies as the emulator brings them; see `iam_state`."""
    from moto.iam.models import IAMBackend

    return IAMBackend(partition, account_id=account)


def iam_state(backend: Any) -> dict[str, Any]:
    """What IAM has besides AWS's own policies; of those, the ids and counts of the attached.

    The emulator gives AWS's own policies ids by chance, so that they change with every start.
    """
    from moto.iam.models import AWSManagedPolicy

    state = dict(vars(backend))
    del state["aws_managed_policies"]
    own, attachments = {}, {}
    for arn, policy in list(state.pop("managed_policies").items()):
        if not isinstance(policy, AWSManagedPolicy):
            own[arn] = policy
        elif policy.attachment_count:
            attachments[arn] = (policy.attachment_count, policy.id)
    return {**state, "own policies": own, "attachments": attachments}


def fill_iam(backend: Any, state: dict[str, Any]) -> None:
    """Give IAM back what `iam_state` took."""
    backend.managed_policies.update(state.pop("own policies"))
    for arn, (count, policy_id) in state.pop("attachments").items():
        policy = backend.managed_policies[arn]
        policy.attachment_count, policy.id = count, policy_id
    vars(backend).update(state)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


MAKERS: Mapping[str, Any] = {
    made.__name__: made
    for made in (
        bare,
        condition,
        event,
        fill,
        fill_iam,
        fill_s3_object,
        iam,
        local_function,
        lock,
        mapping,
        method,
        nothing,
        private_key,
        r_lock,
        s3_object,
    )
}
"""What a kept file may call, by name."""
