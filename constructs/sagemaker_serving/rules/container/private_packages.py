"""Rules on where a container installs what its ``requirements.txt`` lists."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.model_ids import frameworks_of_image
from sagemaker_serving.catalog.variables import PRIVATE_PACKAGES, PRIVATE_REPOSITORY
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ContainerFacts

_IMAGES = (
    "aws/deep-learning-containers e0ecede, TensorFlow serve.py and Ray sagemaker_serve.py; "
    "aws/sagemaker-inference-toolkit#130"
)


@rule(source=_IMAGES, example="environment: {CA_REPOSITORY_ARN: team/python}")
def private_packages(container: ContainerFacts) -> Iterator[Finding]:
    """CA_REPOSITORY_ARN is the ARN of a repository in CodeArtifact.

    The container reads domain and repository from it, and ends when it cannot.
    """
    fact = container.environment.get(PRIVATE_PACKAGES)
    if fact is not None and fact.text and not PRIVATE_REPOSITORY.fullmatch(fact.text):
        yield fact.says(
            f"is {fact.text!r}; it must be "
            "arn:aws:codeartifact:<region>:<account>:repository/<domain>/<repository>"
        )


@warning(source=_IMAGES, example="CA_REPOSITORY_ARN beside framework: tensorflow")
def private_packages_unread(container: ContainerFacts) -> Iterator[Finding]:
    """CA_REPOSITORY_ARN is given to an image that reads it.

    TensorFlow's installs from PyPI whatever it says; PyTorch's and Ray Serve's ask CodeArtifact.
    """
    fact = container.environment.get(PRIVATE_PACKAGES)
    if container.image_uri.given:
        frameworks = frameworks_of_image(container.image_uri.text or "")
    else:
        frameworks = ((container.framework.text or "").lower(),)
    if fact is not None and "tensorflow" in frameworks:
        yield fact.says(
            "is given to TensorFlow's image, which installs requirements.txt from PyPI alone; "
            "install the private packages into code/lib/, and remove it"
        )
