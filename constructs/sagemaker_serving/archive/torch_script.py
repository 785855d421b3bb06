"""What a TorchScript file takes and gives, told from its bytes without PyTorch.

``torch.jit.save`` writes a zip: ``<name>/data.pkl`` is the module, whose class is the first that
it names; ``<name>/code/`` is the source of that class; ``<name>/traced_inputs.pkl`` is the example
that it was traced with. ``torch.save`` writes a zip without code, or, in old releases, a pickle.
Nothing of a file is run: a pickle is read opcode by opcode. Source: PyTorch,
torch/csrc/jit/docs/serialization.md; files that torch 2.13 wrote, 2026-11-23.
"""

from __future__ import annotations

import ast
import pickletools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from sagemaker_serving.archive.protobuf import Source
from sagemaker_serving.archive.saved_model import Tensor
from sagemaker_serving.archive.zip_ends import ZipEnds, read_zip

_MOST_OPCODES = 100_000
_DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
}


@dataclass(frozen=True, kw_only=True)
class TorchScript:
    """``forward``: its arguments' types by name ("Tensor"), and what it returns.

    ``example`` is what it was traced with. All are empty where the file does not tell them: then
    another method answers, or the module was scripted.
    """

    arguments: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    example: tuple[Tensor, ...] = ()


def read_torch_script(content: Source, size: int) -> TorchScript | None:
    """The model in the ``size`` bytes of ``content``; None for what `torch.jit.load` refuses."""
    file = read_zip(content, size)
    if file is None:
        return None
    constants = [name for name in file.names if name.endswith("/constants.pkl")]
    code = [name for name in file.names if "/code/__torch__" in name]
    if not constants and not code:
        return None
    root = (constants or code)[0].partition("/")[0]
    forward = _forward(file, root)
    example = tuple(_tensors(file.read(f"{root}/traced_inputs.pkl") or b""))
    if forward is None:
        return TorchScript(example=example)
    return TorchScript(
        arguments={each.arg: _text(each.annotation) for each in forward.args.args[1:]},
        returns=_text(forward.returns),
        example=example,
    )


def _forward(file: ZipEnds, root: str) -> ast.FunctionDef | None:
    """``forward`` of the module's class, as its source has it."""
    whole = next(_globals(file.read(f"{root}/data.pkl") or b""), "").replace(" ", ".")
    module, _, name = whole.rpartition(".")
    source = file.read(f"{root}/code/{module.replace('.', '/')}.py")
    if source is None:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions = [
        function
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == name
        for function in node.body
        if isinstance(function, ast.FunctionDef) and function.name == "forward"
    ]
    return functions[0] if functions else None


def _text(annotation: ast.expr | None) -> str:
    return "Tensor" if annotation is None else ast.unparse(annotation)


def _globals(pickled: bytes) -> Iterator[str]:
    """The classes and functions that a pickle names: ``torch FloatStorage``."""
    for opcode, argument in _opcodes(pickled):
        if opcode == "GLOBAL":
            yield str(argument)


def _tensors(pickled: bytes) -> Iterator[Tensor]:
    """Each tensor of a pickle, by its storage, which a persistent id names, and its sizes.

    After the id come the offset and a tuple of sizes, as ``torch._utils._rebuild_tensor_v2`` takes
    them.
    """
    memo: dict[object, str] = {}
    last, storage = "", ""
    sizes: list[int] | None = None
    for opcode, argument in _opcodes(pickled):
        if opcode == "GLOBAL":
            last = str(argument)
        elif opcode in ("BINPUT", "LONG_BINPUT"):
            memo[argument] = last
            continue
        elif opcode in ("BINGET", "LONG_BINGET"):
            last = memo.get(argument, "")
        if last.endswith("Storage"):
            storage = last
        if opcode == "BINPERSID" or (opcode == "MARK" and sizes is not None):
            sizes = []
        elif opcode in ("BININT", "BININT1", "BININT2", "LONG1") and sizes is not None:
            sizes.append(int(str(argument)))
        elif opcode in ("TUPLE", "EMPTY_TUPLE") and sizes is not None:
            kind = storage.removeprefix("torch ").removesuffix("Storage")
            shape = () if opcode == "EMPTY_TUPLE" else tuple(sizes)
            yield Tensor(dtype=_DTYPES.get(kind, kind.lower()), shape=shape)
            sizes = None
        if opcode not in ("GLOBAL", "BINGET", "LONG_BINGET"):
            last = ""


def _opcodes(pickled: bytes) -> Iterator[tuple[str, object]]:
    try:
        for count, (opcode, argument, _) in enumerate(pickletools.genops(pickled)):
            if count > _MOST_OPCODES:
                return
            yield opcode.name, argument
    except (ValueError, IndexError, UnicodeDecodeError):
        return
