"""Whether a PyTorch file is TorchScript, told from its bytes without PyTorch.

``torch.jit.save`` writes a zip file with ``<name>/constants.pkl`` and
``<name>/code/`` in it; ``torch.save`` writes one without them, or, in old
releases, a bare pickle. Source: PyTorch, torch/csrc/jit/docs/serialization.md;
read 2026-11-21.
"""

from __future__ import annotations

from sagemaker_serving.archive.protobuf import Source

_TAIL = 1 << 20
_CHUNK = 1 << 16
_MARKS = (b"/constants.pkl", b"/code/__torch__")


def is_torch_script(content: Source, size: int) -> bool:
    """Whether the ``size`` bytes of ``content`` are a model saved by ``torch.jit.save``.

    Looks at the first bytes and at the list of names that ends a zip file.
    """
    if content.read(4) != b"PK\x03\x04":
        return False
    content.skip(max(0, size - 4 - _TAIL))
    tail = b""
    while part := content.read(_CHUNK):
        tail += part
    return any(mark in tail for mark in _MARKS)
