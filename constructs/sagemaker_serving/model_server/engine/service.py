"""predict, classify and regress: from a request body to the text of its answer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from sagemaker_serving.model_server.engine.answers import (
    classify_answer,
    predict_answer,
    regress_answer,
)
from sagemaker_serving.model_server.engine.classify_regress import (
    CLASSES,
    INPUTS,
    OUTPUTS,
    SCORES,
    check_classes,
    check_regressions,
    classify_fetches,
    regress_fetches,
)
from sagemaker_serving.model_server.engine.documents import parse_document, signature_name
from sagemaker_serving.model_server.engine.examples import request_examples
from sagemaker_serving.model_server.engine.large_bodies import LARGE_BYTES, LargeBody
from sagemaker_serving.model_server.engine.predict import Layout, Tensors, predict_inputs
from sagemaker_serving.model_server.engine.registry import Servable
from sagemaker_serving.model_server.engine.running import Calls
from sagemaker_serving.model_server.engine.signatures import DEFAULT_SIGNATURE, Signature
from sagemaker_serving.model_server.engine.status import invalid
from sagemaker_serving.model_server.engine.tensors import Array

INLINE_BYTES = 64 * 1024
"""Bodies up to this size are converted at once: cheaper than a change of threads."""

INLINE_ELEMENTS = 4096
"""The same for answers, by their number of values."""

Find = Callable[[], Servable]


class Service(Calls):
    """The three methods."""

    async def predict(self, find: Find, body: bytes) -> str:
        """``predictions`` or ``outputs``; raises `StatusError`."""
        servable, signature, layout, inputs = await self._convert(
            lambda: _predict_request(find, body), inline=len(body) <= INLINE_BYTES
        )
        feeds = {signature.inputs[name].tensor: array for name, array in inputs.items()}
        outputs = await self._fetched(
            servable, feeds, {name: info.tensor for name, info in signature.outputs.items()}
        )
        return await self._convert(
            lambda: predict_answer(layout, outputs),
            inline=sum(array.size for array in outputs.values()) <= INLINE_ELEMENTS,
        )

    async def classify(self, find: Find, body: bytes) -> str:
        """``results``: labels and scores for each example; raises `StatusError`."""
        signature, outputs, count = await self._over_examples(find, body, classify_fetches)
        check_classes(signature, outputs, count)
        return classify_answer(outputs.get(CLASSES), outputs.get(SCORES), count)

    async def regress(self, find: Find, body: bytes) -> str:
        """``results``: a number for each example; raises `StatusError`."""
        signature, outputs, count = await self._over_examples(find, body, regress_fetches)
        check_regressions(signature, outputs[OUTPUTS], count)
        return regress_answer(outputs[OUTPUTS].ravel())

    async def _over_examples(
        self, find: Find, body: bytes, fetches_of: Callable[[Signature], dict[str, str]]
    ) -> tuple[Signature, Tensors, int]:
        servable, signature, examples = await self._convert(
            lambda: _example_request(find, body), inline=len(body) <= INLINE_BYTES
        )
        fetches = fetches_of(signature)
        feeds = {signature.inputs[INPUTS].tensor: examples}
        return signature, await self._fetched(servable, feeds, fetches), len(examples)


def _predict_request(find: Find, body: bytes) -> tuple[Servable, Signature, Layout, Tensors]:
    with suppress(ValueError):
        if len(body) > LARGE_BYTES:
            large = LargeBody(body)
            servable, signature = _predict_signature(find, large.signature_name())
            return servable, signature, *large.tensors(signature.inputs)
    document = parse_document(body)
    servable, signature = _predict_signature(find, signature_name(document))
    return servable, signature, *predict_inputs(document, signature.inputs)


def _predict_signature(find: Find, name: str) -> tuple[Servable, Signature]:
    servable = find()
    signature = servable.signatures.get(name or DEFAULT_SIGNATURE)
    if signature is None:
        asked = name or DEFAULT_SIGNATURE
        raise invalid(f'Serving signature name: "{asked}" not found in signature def')
    if not signature.inputs:
        raise invalid(f"Failed to get input map for signature: {name or 'DEFAULT'}")
    return servable, signature


def _example_request(find: Find, body: bytes) -> tuple[Servable, Signature, Array]:
    document = parse_document(body)
    name = signature_name(document) or DEFAULT_SIGNATURE
    examples = request_examples(document)
    servable = find()
    signature = servable.signatures.get(name)
    if signature is None:
        raise invalid(f"No signature was found with the name: {name}")
    return servable, signature, servable.serialized(examples)
