"""Hugging Face's image: a pipeline of transformers, and its ways to read and write.

Source: aws/sagemaker-huggingface-inference-toolkit 69bc5ef (``handler_service.py``,
``transformers_utils.py``, ``decoder_encoder.py``), read on 2026-11-29; no image was run.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.pytorch.codecs import (
    CSV,
    JSON,
    NPY,
    UnsupportedFormat,
    decode,
    encode,
)
from sagemaker_serving.model_server.toolkit.service import Answer, document

_TASK = "HF_TASK"
_IMAGES = ("jpeg", "png", "tiff", "bmp", "gif", "webp", "x-image")
_SOUNDS = ("x-flac", "mpeg", "wave", "ogg", "x-audio")
_TASKS = {
    "TapasForQuestionAnswering": "table-question-answering",
    "ForQuestionAnswering": "question-answering",
    "ForTokenClassification": "token-classification",
    "ForSequenceClassification": "text-classification",
    "ForMultipleChoice": "multiple-choice",
    "ForMaskedLM": "fill-mask",
    "ForCausalLM": "text-generation",
    "ForConditionalGeneration": "text2text-generation",
    "MTModel": "text2text-generation",
    "EncoderDecoderModel": "text2text-generation",
    "GPT2LMHeadModel": "text-generation",
    "T5WithLMHeadModel": "text2text-generation",
}
"""By how the first architecture of ``config.json`` ends; the last that fits counts."""


def task_of(model_dir: Path) -> str:
    """The task of what ``save_pretrained`` wrote; raises ValueError where none follows."""
    config = model_dir / "config.json"
    if not config.exists():
        raise ValueError(f"You need to define one of the tasks of a pipeline as env '{_TASK}'.")
    architecture = json.loads(config.read_bytes()).get("architectures", [""])[0]
    tasks = [task for end, task in _TASKS.items() if architecture.endswith(end)]
    if not tasks:
        raise ValueError(
            f"Task couldn't be inferenced from {architecture}. Inference Toolkit can only "
            f"inference tasks from architectures ending with {list(_TASKS)}. Use env `{_TASK}` to "
            "define your task."
        )
    return tasks[-1]


def model_fn(model_dir: str) -> Any:
    """A pipeline for HF_TASK, or for the task that ``config.json`` tells."""
    if os.environ.get("HF_MODEL_ID"):
        raise Mistake(
            "HF_MODEL_ID is set; on this machine Hugging Face's image serves what lies in its "
            "archive; remove the variable, or let another program answer: sagemaker-serving local "
            "up --engine huggingface-pytorch-inference=stub"
        )
    import torch
    import transformers

    # The toolkit sets it, too: a script may read it.
    os.environ[_TASK] = os.environ.get(_TASK) or task_of(Path(model_dir))
    return transformers.pipeline(
        task=os.environ[_TASK],
        model=model_dir,
        device=0 if torch.cuda.is_available() else -1,
        trust_remote_code=os.environ.get("HF_TRUST_REMOTE_CODE", "").lower() in _YES,
    )


_YES = ("y", "yes", "t", "true", "on", "1")


def input_fn(input_data: Any, content_type: str | None) -> Any:
    """What a pipeline is called with, and how."""
    kind, _, form = (content_type or "").partition("/")
    if content_type == JSON:
        return json.loads(input_data)
    if content_type == CSV:
        return _columns(input_data)
    if content_type == NPY:
        return decode(input_data, NPY)
    if kind == "image" and form in _IMAGES:
        from PIL import Image

        return {"inputs": Image.open(io.BytesIO(input_data)).convert("RGB")}
    if kind == "audio" and form in _SOUNDS:
        return {"inputs": bytes(input_data)}
    raise UnsupportedFormat(content_type)


def predict_fn(data: Any, model: Any) -> Any:
    """The pipeline's answer to ``inputs``, or to all of it; ``parameters`` are its arguments."""
    inputs = data.pop("inputs", data)
    parameters = data.pop("parameters", None)
    return model(inputs) if parameters is None else model(inputs, **parameters)


def output_fn(prediction: Any, accept: str) -> str | bytes:
    """An answer as JSON, CSV with a header, or npy."""
    if accept == JSON:
        told = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
        return json.dumps(prediction, default=_plain, **told)  # type: ignore[arg-type]
    if accept == CSV:
        rows = prediction if isinstance(prediction, list) else list(prediction)
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()
    if accept == NPY:
        return encode(prediction, NPY)
    raise UnsupportedFormat(accept)


def failure(error: Exception) -> Answer:
    """Whatever goes wrong with a request, as Multi Model Server tells it."""
    return document(400, "InternalServerException", str(error))


def _columns(text: str) -> dict[str, Any]:
    if not any(each in text.splitlines()[0].lower() for each in ("question", "context", "inputs")):
        raise ValueError(
            "You need to provide the correct CSV with Header columns to use it with the inference "
            "toolkit default handler."
        )
    rows = list(csv.DictReader(io.StringIO(text)))
    if "inputs" in rows[0]:
        return {"inputs": [row["inputs"] for row in rows]}
    return {"inputs": rows}


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return str(value)
    if hasattr(value, "save"):  # an image
        content = io.BytesIO()
        value.save(content, format="PNG")
        return base64.b64encode(content.getvalue()).decode()
    return json.JSONEncoder().default(value)
