"""The functions that are used where the user's script has none: TorchScript in, tensors through.

Source: sagemaker-pytorch-inference 2.0.25, ``default_pytorch_inference_handler.py``, without
Elastic Inference, which AWS has ended.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sagemaker_serving.model_server.pytorch.codecs import TEXT_TYPES, decode, encode

MODEL_FILE = "model.pt"
"""Taken when it is there; otherwise the only .pt or .pth file at the top."""


class ModelLoadError(Exception):
    """The file is no TorchScript."""


def model_fn(model_dir: str) -> Any:
    """The TorchScript model in ``model_dir``, on this machine's device."""
    import torch

    device = _device()
    path = Path(model_dir, MODEL_FILE)
    if not path.exists():
        found = [file for file in Path(model_dir).iterdir() if _is_model(file)]
        if len(found) != 1:
            names = [file.name for file in found]
            raise ValueError(
                f"Exactly one .pth or .pt file is required for PyTorch models: {names}"
            )
        path = found[0]
    try:
        model = torch.jit.load(str(path), map_location=device)
    except RuntimeError as error:
        raise ModelLoadError(
            f"Failed to load {path}. Please ensure model is saved using torchscript."
        ) from error
    return model.to(device)


def input_fn(input_data: Any, content_type: str | None) -> Any:
    """A body as a tensor: text becomes float32, arrays keep their type.

    JSON that is one whole number, and CSV that is one, make torch take it for a size,
    and the tensor has that many values of no meaning: so the image does, too.
    """
    import torch

    array = decode(input_data, content_type)
    is_text = content_type in TEXT_TYPES
    tensor = torch.FloatTensor(array) if is_text else torch.from_numpy(array)
    return tensor.to(_device())


def predict_fn(data: Any, model: Any) -> Any:
    """The model's answer, without gradients."""
    import torch

    with torch.no_grad():
        device = _device()
        model = model.to(device)
        model.eval()
        return model(data.to(device))


def output_fn(prediction: Any, accept: str) -> str | bytes:
    """A prediction in a type of ``accept``: JSON, CSV or npy; of a tensor, its values."""
    # A tensor cannot be there unless somebody has imported torch.
    torch = sys.modules.get("torch")
    if torch is not None and type(prediction) is torch.Tensor:
        prediction = prediction.detach().cpu().numpy().tolist()
    return encode(prediction, accept)


def _device() -> Any:
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _is_model(file: Path) -> bool:
    return file.is_file() and file.suffix in (".pt", ".pth")
