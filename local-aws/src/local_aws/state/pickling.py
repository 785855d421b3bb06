"""The emulator's objects as bytes, and back: what each service holds, and nothing that runs.

Locks, conditions and threads are left out and made anew; private keys travel as PEM; the bytes
of S3 objects stay in files of their own (`ObjectStore`). Reading makes plain values and objects
of the emulator's classes only. That is a second guard: the first is that files which anybody
else could have written are not read at all (`refuse_foreign`).
"""

from __future__ import annotations

import enum
import io
import pickle
import threading
import types
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import Any

from moto.core.base_backend import AccountSpecificBackend, BackendDict, BaseBackend
from typing_extensions import override

from local_aws.state import reducers as remade
from local_aws.state.objects import ObjectStore


def dump(content: Any, own: type, objects: ObjectStore) -> tuple[bytes, frozenset[str]]:
    """``content`` of the service whose backend class is ``own``, as bytes; the objects of it.

    Backends of other services are named, not copied. Raises TypeError, AttributeError or
    pickle.PicklingError for something that cannot be kept, and RuntimeError when a container
    changed meanwhile.
    """
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, own, objects)
    pickler.dump(content)
    return buffer.getvalue(), frozenset(pickler.used)


def load(data: bytes, objects: ObjectStore) -> tuple[Any, frozenset[str]]:
    """What `dump` was given, and the objects of it.

    Raises pickle.UnpicklingError for anything that `dump` would not write, and what
    `ObjectStore.open` raises.
    """
    unpickler = _Unpickler(io.BytesIO(data), objects)
    return unpickler.load(), frozenset(unpickler.used)


def find_backends(module: str, name: str) -> Any:
    """The emulator's store of a service, by its backend class's module and name."""
    if not module.startswith("moto."):
        raise pickle.UnpicklingError(f"{module} is no module of the emulator")
    for value in vars(import_module(module)).values():
        if isinstance(value, BackendDict) and value.backend.__name__ == name:
            return value
    raise pickle.UnpicklingError(f"the emulator has no store for {module}.{name}")


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, own: type, objects: ObjectStore) -> None:
        super().__init__(file, protocol=5)
        self._own = own
        self._objects = objects
        self.used: set[str] = set()

    @override
    def persistent_id(self, obj: Any) -> Any:
        if type(obj) in _VALUES:
            return None
        if isinstance(obj, BackendDict):
            return ("service", obj.backend.__module__, obj.backend.__name__)
        if isinstance(obj, AccountSpecificBackend):
            return ("account", obj.backend.__module__, obj.backend.__name__, obj.account_id)
        if isinstance(obj, BaseBackend) and type(obj) is not self._own:
            kind = type(obj)
            return ("backend", kind.__module__, kind.__name__, obj.account_id, obj.region_name)
        if type(obj).__name__ == "AWSManagedPolicy":
            return ("managed policy", obj.account_id, obj.partition, obj.arn)
        if isinstance(obj, _Content):
            name = self._objects.keep(obj.key)
            self.used.add(name)
            return ("content", name)
        return None

    @override
    def reducer_override(self, obj: Any) -> Any:
        kind = type(obj)
        if kind in remade.RUNNING:
            return remade.RUNNING[kind], ()
        if isinstance(obj, threading.Thread) or kind.__module__ == "botocore.client":
            return remade.nothing, ()
        if isinstance(obj, enum.Enum):
            return kind, (obj.value,)  # early releases of Python 3.11 write it as a getattr
        if kind is types.MethodType:
            return remade.method, (obj.__self__, obj.__name__)
        if kind is types.FunctionType and "<" in obj.__qualname__:
            return remade.local_function, (obj.__module__, obj.__qualname__)
        if kind.__module__.startswith("cryptography.") and hasattr(obj, "private_bytes"):
            return remade.private_key, (remade.pem_of(obj),)
        if isinstance(obj, dict) and kind.__module__.startswith("moto."):
            return remade.emptied(obj)
        if kind.__module__ == "moto.s3.models" and kind.__name__ == "FakeKey":
            deleted = obj._value_buffer.closed
            state = (remade.without_content(obj), None if deleted else _Content(obj))
            return remade.s3_object, (), state, None, None, remade.fill_s3_object
        if kind.__module__ == "moto.iam.models" and kind.__name__ == "IAMBackend":
            made = (obj.account_id, obj.region_name)
            return remade.iam, made, remade.iam_state(obj), None, None, remade.fill_iam
        if kind.__module__ == _EXECUTIONS and kind.__name__ == "Environment":
            return remade.bare, (kind,), remade.history(obj)
        return NotImplemented


_VALUES = frozenset({bool, bytes, datetime, dict, float, int, list, str, tuple, types.NoneType})
"""What most of all that is written is, and never a service or an object's bytes."""

_EXECUTIONS = "moto.stepfunctions.parser.asl.eval.environment"


@dataclass(frozen=True)
class _Content:
    """Stands for the bytes of an S3 object."""

    key: Any


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, objects: ObjectStore) -> None:
        super().__init__(file)
        self._objects = objects
        self.used: set[str] = set()
        self._iam: dict[tuple[str, str], Any] = {}

    @override
    def persistent_load(self, pid: Any) -> Any:
        match pid:
            case ("service", module, name):
                return find_backends(module, name)
            case ("account", module, name, account):
                return find_backends(module, name)[account]
            case ("backend", module, name, account, region):
                return find_backends(module, name)[account][region]
            case ("managed policy", account, partition, arn):
                return self._iam[account, partition].managed_policies[arn]
            case ("content", name):
                self.used.add(name)
                return self._objects.open(name)
        raise pickle.UnpicklingError(f"unknown reference {pid!r}")

    @override
    def find_class(self, module: str, name: str) -> Any:
        if module == remade.__name__ and name in remade.MAKERS:
            return self._make_iam if name == "iam" else remade.MAKERS[name]
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        if module.startswith(_OURS):
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__.startswith(_OURS):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is nothing that is kept here")

    def _make_iam(self, account: str, partition: str) -> Any:
        self._iam[account, partition] = remade.iam(account, partition)
        return self._iam[account, partition]


_OURS = ("moto.", "local_aws.")
_PLAIN = frozenset(
    {
        ("builtins", "bytearray"),
        ("builtins", "complex"),
        ("builtins", "dict"),
        ("builtins", "frozenset"),
        ("builtins", "list"),
        ("builtins", "object"),
        ("builtins", "range"),
        ("builtins", "set"),
        ("collections", "Counter"),
        ("collections", "OrderedDict"),
        ("collections", "defaultdict"),
        ("collections", "deque"),
        ("copyreg", "_reconstructor"),
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "time"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
        ("decimal", "Decimal"),
        ("ipaddress", "IPv4Address"),
        ("ipaddress", "IPv4Network"),
        ("re", "_compile"),
        ("requests.structures", "CaseInsensitiveDict"),
        ("uuid", "UUID"),
    }
)
"""What the emulator's objects are made of besides its own classes."""
