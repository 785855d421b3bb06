"""What a file of XGBoost's tells without XGBoost: whether it is one, and its number of features.

``Booster.save_model`` writes JSON (``.json``) or the same as UBJSON (``.ubj``), in which
``num_feature`` stands as text in each tree and in the learner. A pickled booster holds such UBJSON.
Source: dmlc/xgboost 3.2, doc/model.schema, src/common/json.cc (UBJWriter) and src/c_api/c_api.cc,
XGBoosterLoadModel, which loads nothing that does not begin with ``{``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sagemaker_serving.archive.protobuf import Malformed, Source

_HEAD = 1 << 20
_BEGINNING = re.compile(rb'\s*\{\s*"learner"\s*:|\{[iUIlL]')
_FEATURES = re.compile(rb'num_feature(?:"\s*:\s*"|SL\0{7}[\x01-\x0a])([0-9]{1,10})')


@dataclass(frozen=True, kw_only=True)
class XgboostModel:
    """``features``: how many numbers a row has; None where the file's beginning does not tell."""

    features: int | None = None


def read_xgboost(content: Source, size: int, *, is_saved: bool) -> XgboostModel:
    """The model in the ``size`` bytes of ``content``.

    ``is_saved`` by ``save_model``, as its name says: then raises `Malformed` for what is none.
    A pickle, and what an XGBoost before 1.0 wrote, may be one, too.
    """
    head = bytearray()
    while len(head) < min(size, _HEAD) and (part := content.read(1 << 16)):
        head += part
        if len(head) == len(part) and is_saved and not _BEGINNING.match(head):
            raise Malformed("it does not begin as a model of XGBoost's does")
    if is_saved and not head:
        raise Malformed("it is empty")
    found = _FEATURES.search(head)
    return XgboostModel(features=int(found[1]) if found is not None else None)
