"""docs/images.md: AWS's images with their dates, from the catalog, as of its support data."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from sagemaker_serving.catalog.images import (
    UnknownImage,
    container_image,
    framework_versions,
    frameworks,
    image_processors,
)
from sagemaker_serving.catalog.servers import image_server
from sagemaker_serving.catalog.support import image_support, listed_releases, support_as_of

PAGE = Path(__file__).parents[2] / "docs" / "images.md"
HEAD = """\
# Images

AWS's serving images, until when AWS patches them, and what they hold. `make docs` makes this page
from the catalog. Its dates are those of AWS's support data of {as_of}, in
<https://github.com/aws/deep-learning-containers>.

```console
$ sagemaker-serving images tensorflow                # every release, with its dates
$ sagemaker-serving images tensorflow 2.20 --region eu-west-1
$ sagemaker-serving check prod --verbose             # which image each container gets, and why
$ sagemaker-serving check environments/*.yaml --today 2027-06-01
```

From 90 days before the last day, `check` and `cdk synth` warn and name the newest patched image
that serves the same models. `make catalog` reads the support data again, and prints what changed.
To hold one image, [pin its digest](ci.md#an-image-by-its-digest).

## Which image is chosen

The version and the host decide. `image_uri` is taken as it is.

| what is written | what is chosen |
| --- | --- |
| a release or a patch release, `"2.20"` or `"2.20.0"` | the tag that it names |
| a patch release without an image, `"1.13.1"` | the nearest of its release, and a note says so |
| TensorFlow 1.4 to 1.12 | `sagemaker-tensorflow-serving`, as its container's README says |
| `framework: tensorflow-legacy`, up to 1.10 | `sagemaker-tensorflow`, which runs on AWS alone |
| a host with GPUs, or without | the image for GPUs, or for CPUs |
| a Graviton host | the image for arm64 |
| a host with other accelerators, or of unknown hardware | none: give `image_uri` |
| serverless | the image for CPUs |

## What serves a model

"Newest" is the newest release in the SageMaker SDK's tables. Where no date stands, AWS gives none.

"""
RELEASES = """
## Releases with an end

The state is that of {as_of}. What is older than a framework's last row has ended too: this holds
for TensorFlow and PyTorch. The driver is the oldest NVIDIA driver that runs this CUDA by itself.

"""
ENDS = """
## What else AWS has ended, or ends

The rule names it in a file, a template or a plan. The shipped environments use none of it.

| what | when | rule | source |
| --- | --- | --- | --- |
| Elastic Inference | ended | `elastic-inference-ended` | botocore, AcceleratorType |
| p2, p3 | in no price list any more | `instance-retired` | AWS's price lists |
| Inf1 in Neuron; its driver 2.24 is patched | 2026-05-21 | `instance-retired` | Neuron 2.30 |
| Neuron for TensorFlow | 2026-04-30 | `neo-archived` | Neuron 2.31 |
| Neuron for MXNet | 2026-03-11 | `neo-archived` | Neuron 2.19 and later |
| new versions for Neo | 2022-10-10 | `neo-frozen` | SageMaker developer guide, Neo |
| SageMaker Python SDK v2 | 2027-07-06 | none: no file names it | its README, "Version Lifecycle" |
"""
PYTORCH = """
## PyTorch after TorchServe

TorchServe is archived, and the image of PyTorch 2.6 was the last with it. AWS publishes no newer
PyTorch inference image. A PyTorch model is served by one of these:

| image | what you bring |
| --- | --- |
| Ray Serve (`ray-serve`) | `inference.py`, by `package --for ray-serve`; or an application |
| Triton (`sagemaker-tritonserver`) | an ONNX model, by `package --for triton` |
| vLLM, SGLang, DJL | a language model, by its id or its files |
| one of your own | `image_uri`; it answers `/ping` and `/invocations` on port 8080 |

Ray Serve's image looks for `config.yaml` and the module that it names (`deployment.py`), or for
`SM_RAYSERVE_APP`. [Its contract](container-contract.md#ray-serves-image) is kept here, too.
"""


def page() -> str:
    """The page as Markdown."""
    as_of = support_as_of()
    served = [name for name in frameworks() if image_server(name) is not None]
    servers = (
        "framework",
        "server",
        "takes",
        "OpenAI route",
        "newest",
        "CUDA",
        "Python",
        "patched until",
    )
    releases = ("framework", "release", "for", "CUDA", "driver", "Python", "patched until", "state")
    return "".join(
        [
            HEAD.format(as_of=as_of),
            *_table(servers, map(_server, served)),
            RELEASES.format(as_of=as_of),
            *_table(releases, chain.from_iterable(map(_releases, frameworks()))),
            ENDS,
            PYTORCH,
        ]
    )


def _server(framework: str) -> tuple[str, ...]:
    server = image_server(framework)
    assert server is not None
    newest = framework_versions(framework)[-1]
    processor = image_processors(framework, newest)[-1:] or ("cpu",)
    support = image_support(
        container_image(
            framework=framework, version=newest, region="us-east-1", processor=processor[0]
        )
    )
    until = "" if support.patched_until is None else str(support.patched_until)
    chat = "yes" if server.has_chat else ""
    held = (newest, support.cuda, support.python, until)
    return framework, server.server, server.payload, chat, *held


def _releases(framework: str) -> Iterator[tuple[str, ...]]:
    for release in listed_releases(framework):
        try:
            processors = image_processors(framework, release) or ("any",)
            image = container_image(
                framework=framework,
                version=release,
                region="us-east-1",
                processor="gpu" if "gpu" in processors else "cpu",
            )
        except UnknownImage:
            continue  # it is in no table of images that serve
        support = image_support(image)
        driver = "" if support.driver is None else str(support.driver)
        held = (support.cuda, driver, support.python)
        state = support.state(support_as_of())
        yield framework, release, ", ".join(processors), *held, str(support.patched_until), state


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(row)} |\n"
