"""model.tar.gz: what is in one, and building one that is the same every time.

Streams and folders only; nothing here touches the network. What is named here is loaded when it is
first asked for: a model server starts with a little of it, many times a day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sagemaker_serving.lazy_names import loading

if TYPE_CHECKING:
    from sagemaker_serving.archive.build import BuiltArchive, build_archive
    from sagemaker_serving.archive.cache import Cache
    from sagemaker_serving.archive.contents import (
        ArchiveContents,
        ModelVersion,
        contents_of,
        read_contents,
        read_stream,
    )
    from sagemaker_serving.archive.conversion import must_be_convertible
    from sagemaker_serving.archive.folders import FolderFiles, folder_files
    from sagemaker_serving.archive.frozen_graph import FrozenGraph
    from sagemaker_serving.archive.handlers import Function, Script
    from sagemaker_serving.archive.keras_file import KerasModel
    from sagemaker_serving.archive.limits import Limits
    from sagemaker_serving.archive.neo import (
        derived_input_config,
        fits,
        fixed_shapes,
        neo_contents,
        neo_files,
        neo_inputs,
        shown_inputs,
        shown_shape,
        without_variables,
    )
    from sagemaker_serving.archive.onnx_model import OnnxModel
    from sagemaker_serving.archive.refusals import Refusal, UnreadableArtifact
    from sagemaker_serving.archive.saved_model import SavedModel, Signature, Tensor
    from sagemaker_serving.archive.sources import Plan, Source, Sources, Tensors, parse_source, plan
    from sagemaker_serving.archive.torch_script import TorchScript
    from sagemaker_serving.archive.triton import TRITON, triton_plan
    from sagemaker_serving.archive.unpacking import unpack
    from sagemaker_serving.archive.verdict import known_contents
    from sagemaker_serving.archive.xgboost_model import XgboostModel

__all__ = [
    "TRITON",
    "ArchiveContents",
    "BuiltArchive",
    "Cache",
    "FolderFiles",
    "FrozenGraph",
    "Function",
    "KerasModel",
    "Limits",
    "ModelVersion",
    "OnnxModel",
    "Plan",
    "Refusal",
    "SavedModel",
    "Script",
    "Signature",
    "Source",
    "Sources",
    "Tensor",
    "Tensors",
    "TorchScript",
    "UnreadableArtifact",
    "XgboostModel",
    "build_archive",
    "contents_of",
    "derived_input_config",
    "fits",
    "fixed_shapes",
    "folder_files",
    "known_contents",
    "must_be_convertible",
    "neo_contents",
    "neo_files",
    "neo_inputs",
    "parse_source",
    "plan",
    "read_contents",
    "read_stream",
    "shown_inputs",
    "shown_shape",
    "triton_plan",
    "unpack",
    "without_variables",
]

__getattr__ = loading(__name__, __file__)


def __dir__() -> list[str]:
    return __all__
