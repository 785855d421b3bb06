"""What Step Functions can do with SageMaker."""

from __future__ import annotations

from local_aws.integration import Integration


def _task() -> type:
    from sagemaker_serving.local_sagemaker.states_task import SageMakerTask

    return SageMakerTask


INTEGRATION = Integration(
    name="sagemaker",
    prefix="SageMaker",
    service="AmazonSageMaker",
    actions=None,
    waits_for={"createTransformJob": frozenset({"sync"})},
    waits_only_for="transform jobs",
    takes_token=False,
    managed_rules={
        "createTransformJob": "StepFunctionsGetEventsForSageMakerTransformJobsRule",
        "createTrainingJob": "StepFunctionsGetEventsForSageMakerTrainingJobsRule",
        "createProcessingJob": "StepFunctionsGetEventsForSageMakerProcessingJobsRule",
    },
    task=_task,
)
