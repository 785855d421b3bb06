"""Models as small as they get, written byte by byte, and archives of them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

HALF_PLUS_THREE = Path(__file__).parents[1] / "model_assets/half_plus_three/model/half_plus_three/1"
DTYPES = {"float32": 1, "int32": 3, "string": 7, "int64": 9, "float16": 19, "resource": 20}
Shape = Sequence[int | None] | None


def saved_model(
    inputs: Mapping[str, tuple[str, Shape]] | None = None,
    *,
    tags: Sequence[str] = ("serve",),
    ops: Sequence[str] = ("Placeholder",),
    signature_name: str | None = "serving_default",
    type_spec: int | None = None,
) -> bytes:
    """A ``saved_model.pb`` with one signature, or none, a graph of ``ops``, and a function whose
    argument has a type of the class ``type_spec``."""
    given = {"x": ("float32", (None, 2))} if inputs is None else inputs
    signature = b"".join(_entry(1, name, _tensor(*tensor)) for name, tensor in given.items())
    signature += _entry(2, "y", _tensor("float32", (None,))) + _field(3, b"tensorflow/x/predict")
    graph = b"".join(_field(1, _node(f"n{n}", op)) for n, op in enumerate(ops))
    meta = _field(1, b"".join(_field(4, tag.encode()) for tag in tags) + _field(5, b"2.21.0"))
    meta += _field(2, graph)
    if signature_name is not None:
        meta += _entry(5, signature_name, signature)
    meta += _entry(5, "__saved_model_init_op", b"")
    if type_spec is not None:
        argument = _field(34, b"\x08" + bytes([type_spec]))
        arguments = _field(52, _field(1, _field(52, _field(1, argument))))
        meta += _field(7, _entry(2, "serve", _field(3, arguments)))
    return b"\x08\x01" + _field(2, meta)


def variables(folder: str) -> dict[str, bytes]:
    """The ``variables/`` below ``folder`` of a real SavedModel, whole."""
    real = HALF_PLUS_THREE / "variables"
    return {f"{folder}/variables/{file.name}": file.read_bytes() for file in real.iterdir()}


def frozen_graph(nodes: Mapping[str, tuple[str, Sequence[str]]] | None = None) -> bytes:
    """A graph: nodes by name, each with its operation and the nodes that it consumes."""
    given = {"x": ("Placeholder", ()), "y": ("Relu", ("x",))} if nodes is None else nodes
    return b"".join(_field(1, _node(name, op, inputs)) for name, (op, inputs) in given.items())


def keras_file(config: object) -> bytes:
    """A ``.keras`` file with this config, and weights that nobody reads."""
    return _zipped({"metadata.json": b"{}", "config.json": json.dumps(config).encode()})


def keras_h5(config: object) -> bytes:
    """An ``.h5`` file with this config, laid out as Keras does it; of weights alone with None."""
    told = b"" if config is None else b"model_config\0" + json.dumps(config).encode()
    return b"\x89HDF\r\n\x1a\n" + bytes(90) + told + bytes(12)


def torch_script(
    forward: str = "def forward(self: __torch__.Net, x: Tensor) -> Tensor:", weights: int = 12
) -> bytes:
    """A TorchScript file whose class ``Net`` has this ``forward``, laid out as torch does it."""
    code = f"class Net(Module):\n  training : bool\n  {forward}\n    return x\n"
    return _zipped(
        {
            "net/data/0": bytes(weights),
            "net/data.pkl": b"\x80\x02c__torch__\nNet\nq\x00)\x81}b.",
            "net/code/__torch__.py": code.encode(),
            "net/constants.pkl": b"\x80\x02).",
        }
    )


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return packed.getvalue()


def archive(files: Mapping[str, bytes]) -> bytes:
    """``model.tar.gz`` with ``files``, as Python's tarfile writes it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            add(tar, name, content)
    return packed.getvalue()


def add(
    tar: tarfile.TarFile,
    name: str,
    content: bytes = b"",
    kind: bytes = tarfile.REGTYPE,
    link: str = "",
) -> None:
    """Adds a member of any kind, however wrong."""
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.size = kind, link, len(content)
    tar.addfile(member, io.BytesIO(content))


def one_member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    """An archive with a right model and one more member of any kind."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        add(tar, "digits/1/saved_model.pb", saved_model())
        add(tar, name, kind=kind, link=link)
    return packed.getvalue()


def _tensor(dtype: str, shape: Shape) -> bytes:
    if shape is None:
        dimensions = b"\x18\x01"
    else:
        dimensions = b"".join(
            _field(2, b"\x08" + _varint((1 << 64) - 1 if size is None else size)) for size in shape
        )
    return _field(1, b"n0:0") + b"\x10" + _varint(DTYPES[dtype]) + _field(3, dimensions)


def _node(name: str, op: str, inputs: Sequence[str] = ()) -> bytes:
    node = _field(1, name.encode()) + _field(2, op.encode())
    return node + b"".join(_field(3, source.encode()) for source in inputs)


def _entry(number: int, key: str, value: bytes) -> bytes:
    return _field(number, _field(1, key.encode()) + _field(2, value))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def onnx_model(
    nodes: Sequence[tuple[str, Sequence[str], str]],
    inputs: Mapping[str, tuple[int, Shape]],
    outputs: Mapping[str, tuple[int, Shape]],
    *,
    weights_in: str = "",
) -> bytes:
    """An ``.onnx`` file: nodes as operation, inputs and output; tensors as ONNX's type and shape.

    With ``weights_in`` it has one more weight, in a file of that name.
    """
    graph = b""
    for operation, takes, gives in nodes:
        node = b"".join(_field(1, name.encode()) for name in takes)
        graph += _field(1, node + _field(2, gives.encode()) + _field(4, operation.encode()))
    graph += _field(2, b"graph")
    if weights_in:
        place = _field(1, b"location") + _field(2, weights_in.encode())
        graph += _field(5, b"\x08\x01\x10\x01" + _field(8, b"w") + _field(13, place) + b"\x70\x01")
    for number, tensors in ((11, inputs), (12, outputs)):
        for name, (dtype, shape) in tensors.items():
            sizes = b"" if shape is None else _field(2, b"".join(map(_onnx_size, shape)))
            kind = _field(1, b"\x08" + _varint(dtype) + sizes)
            graph += _field(number, _field(1, name.encode()) + _field(2, kind))
    return b"\x08\x08" + _field(7, graph) + _field(8, b"\x10\x0d")


def _onnx_size(size: int | None) -> bytes:
    return _field(1, _field(2, b"n") if size is None else b"\x08" + _varint(size))


def torchscript(folder: Path, answers: str) -> bytes:
    """A TorchScript file of a model that answers with this expression of ``x``; needs torch."""
    made = folder / "made.py"  # TorchScript wants to read the source
    made.write_text(
        "import torch\n"
        "class Model(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        f"        return {answers}\n"
        "torch.jit.script(Model()).save('made.pth')\n"
    )
    subprocess.run([sys.executable, made.name], cwd=folder, check=True)
    return (folder / "made.pth").read_bytes()
