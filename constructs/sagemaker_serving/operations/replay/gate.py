"""The gate of an environment's model: its ``update.replay`` field, as ``replay`` carries it out."""

from __future__ import annotations

from pathlib import Path

from sagemaker_serving.errors import Mistake
from sagemaker_serving.operations.named_model import FOLDER, named_model
from sagemaker_serving.s3_address import is_s3
from sagemaker_serving.spec import Replay


def gate_of(text: str, *, alone: bool) -> Replay | None:
    """The gate of the model that ``text`` names, its capture's path relative to this folder.

    None where ``text`` is a capture. Raises `NotFound` for a model that its file has not, and
    `Mistake` for one without the field, or where a target stands ``alone``.
    """
    found = None if is_s3(text) or Path(text).exists() else named_model(text)
    if found is None:
        if alone:
            raise Mistake(
                f"{text} is no model of {FOLDER}/*.yaml; give a capture and a target, or "
                "<environment>/<model>, whose update.replay names the capture"
            )
        return None
    gate = found.spec.replay
    if gate is None:
        raise Mistake(
            f"{found.where.file}: {found.name} has no update.replay; add update: {{replay: "
            "{capture: …}}, or give the capture"
        )
    capture = gate.capture if is_s3(gate.capture) else str(FOLDER / gate.capture)
    return gate.model_copy(update={"capture": capture})
