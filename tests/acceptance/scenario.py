"""The whole product, once through: each step does something, then asks what AWS says of it.

Nothing here knows which AWS it is. What a step waits for is asked by clients that are listened to
only where the number of looks leaves no trace; lists of everything in an account never are.
"""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client import Predictor
from sagemaker_serving.errors import DeployFailed, Failure, ReportedError
from sagemaker_serving.operations import BatchPipeline, find_rollback, watch
from sagemaker_serving.spec.provenance import ENDPOINT_TAG
from tests.acceptance.masking import Resource, masked
from tests.acceptance.project import PREFIX, ROOT, TAG, TOOLKIT, Project
from tests.acceptance.recorder import RecordedAws, Recorder
from tests.acceptance.recording import Recording
from tests.acceptance.site import Site
from tests.acceptance.takedown import empty_bucket
from tests.two_way import two_way

HALF, SHARED, NEO = f"{PREFIX}-half", f"{PREFIX}-shared", f"{PREFIX}-neo"
ROUTER = f"{PREFIX}-near"
SMALL, ADAPTER = f"{SHARED}-small", f"{SHARED}-adapter"
KEPT = f"{PREFIX}-half-kept"
"""A copy of the config that serves, as production keeps it: the version to go back to."""


def _examples(signature: str) -> str:
    return json.dumps({"signature_name": signature, "examples": [{"x": 1.0}]})


DEPLOYED = ((), ("canary",), ("canary", "instance_type"), ("canary", "instance_type", "neo"))
"""The overlays that are deployed one after the other; the broken version never comes to serve."""

IMAGES = sorted((ROOT / "model_assets" / "digits" / "held_out").glob("*.png"))[:4]
JSON, CSV, JSON_LINES = "application/json", "text/csv", "application/jsonlines"
TEXTS = {
    "instances": (JSON, '{"instances": [1.0, 2.0, 5.0]}', None),
    "inputs": (JSON, '{"inputs": [1.0, 2.0, 5.0]}', None),
    "CSV": (CSV, "1.0\n2.0\n5.0", None),
    "JSON lines": (JSON_LINES, "[1.0]\n[2.0]", None),
    "classify": (JSON, _examples("classify_x_to_y"), "tfs-method=classify"),
    "regress": (JSON, _examples("regress_x_to_y"), "tfs-method=regress"),
    "examples of a signature that takes none": (
        JSON,
        _examples("serving_default"),
        "tfs-method=classify",
    ),
    "what is no number": (JSON, '{"instances": ["one"]}', None),
    "what is no JSON": (JSON, "{", None),
    "a type that no container takes": ("application/x-unknown", "1.0", None),
}


class Scenario:
    """Played once on ``site``, in ``folder``; ``tell`` hears which step begins."""

    def __init__(self, site: Site, folder: Path, tell: Callable[[str], None]) -> None:
        self._site = site
        self._tell = tell
        self._folder = folder
        self._project = Project(folder, site)
        self._recorder = Recorder(site.name)
        self._aws = RecordedAws.of(site.aws, self._recorder)
        self._sagemaker = self._aws.client("sagemaker")
        self._stacks = self._aws.client("cloudformation")
        self._ids: dict[str, str] = {}
        self._secrets = {site.caller: "caller", site.account: "account", site.region: "region"}
        self._resources: dict[str, Resource] = {}
        self._overlays: list[str] = []

    def play(self) -> Recording:
        """Every step; the masked recording."""
        for step in (
            self.bootstrap,
            self.deploy,
            self.predict,
            self.ask_otherwise,
            self.canary,
            self.bad_update,
            self.change_instance_type,
            self.scale_component,
            self.load_adapter,
            self.batch,
            self.compile,
            self.roll_back,
            self.destroy,
        ):
            name = step.__name__.replace("_", " ")
            self._tell(name)
            self._recorder.begin(name)
            step()
        return self.recording()

    def recording(self) -> Recording:
        """What was recorded so far, masked."""
        return masked(
            self._recorder.recording, secrets=self._secrets, resources=self._resources.values()
        )

    def bootstrap(self) -> None:
        self._project.bootstrap()
        self._ask_stacks(TOOLKIT)

    def deploy(self) -> None:
        self._deploy()
        self._ask_stacks(
            *(f"{PREFIX}-{name}" for name in ("Storage", "half", "shared", "digits", "Routers"))
        )
        self._ask_endpoint(HALF)
        self._ask_endpoint(SHARED)
        self._sagemaker.describe_inference_component(InferenceComponentName=SMALL)

    def predict(self) -> None:
        with Predictor(HALF, self._aws) as predictor:
            for content_type, body, attributes in TEXTS.values():
                with suppress(ReportedError):
                    predictor.invoke(body, content_type=content_type, custom_attributes=attributes)
            with suppress(ReportedError):
                predictor.invoke(TEXTS["instances"][1], target_variant="unknown")
        with Predictor(SHARED, self._aws, component_name=SMALL) as predictor:
            predictor.invoke(TEXTS["instances"][1])
        runtime = self._aws.client("sagemaker-runtime")
        with suppress(ClientError):
            runtime.invoke_endpoint(EndpointName=f"{PREFIX}-unknown", Body=b"{}")
        with suppress(ClientError):
            runtime.invoke_endpoint(EndpointName=SHARED, Body=b"{}")

    def ask_otherwise(self) -> None:
        """By a router, in a session, in a queue that is not there, by OpenAI's route, both ways."""
        given = {"Body": TEXTS["instances"][1], "ContentType": JSON}
        routed = self._aws.client("sagemaker-inference-router-runtime")
        for target in ("half", "unknown"):
            with suppress(ClientError):
                routed.invoke_inference_router(
                    InferenceRouterName=ROUTER, RoutingTargetName=target, **given
                )
        self._sagemaker.describe_inference_router(InferenceRouterName=ROUTER)
        runtime = self._aws.client("sagemaker-runtime")
        with suppress(ClientError):
            runtime.invoke_endpoint(EndpointName=HALF, SessionId="NEW_SESSION", **given)
        with suppress(ClientError):
            runtime.invoke_endpoint_async(EndpointName=HALF, **given)
        self._recorder.note("chat", self._chat())
        self._recorder.note("talk", self._talk())

    def _chat(self) -> dict[str, Any]:
        """OpenAI's route, of a container that does not have it."""
        with Predictor(HALF, self._site.aws) as predictor:
            openai = predictor.openai()
        request = urllib.request.Request(
            f"{openai['base_url']}/chat/completions",
            data=b'{"messages": [{"role": "user", "content": "?"}]}',
            headers={"Authorization": f"Bearer {openai['api_key']}", "Content-Type": JSON},
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return {"status": answer.status, "body": answer.read().decode()}
        except urllib.error.HTTPError as refused:
            return {"status": refused.code, "body": refused.read().decode()}

    def _talk(self) -> dict[str, Any]:
        """A two-way stream, of a container that opens no WebSocket."""
        runtime = self._site.aws.client("sagemaker-runtime")
        url = runtime.meta.endpoint_url
        if url.startswith("https:"):
            url += ":8443"  # AWS has the operation there alone
        with two_way(url, HALF, runtime._get_credentials(), self._site.region) as stream:
            kind, payload, _ = stream.next()
            said = stream.body or payload
            kind = stream.headers.get("x-amzn-errortype", kind)
            return {"status": stream.status, "kind": kind, "body": said.decode()}

    def canary(self) -> None:
        self._overlays.append("canary")
        self._note_rollout(HALF, self._deploy)
        self._ask_stacks(HALF)
        self._ask_endpoint(HALF)

    def bad_update(self) -> None:
        try:
            self._note_rollout(HALF, lambda: self._deploy("broken"))
        except DeployFailed:
            self._ask_stacks(HALF)
            self._ask_endpoint(HALF)
            return
        raise Failure("a version that does not come up was deployed all the same")

    def change_instance_type(self) -> None:
        serving = self._sagemaker.describe_endpoint(EndpointName=HALF)["EndpointConfigName"]
        found = self._sagemaker.describe_endpoint_config(EndpointConfigName=serving)
        self._sagemaker.create_endpoint_config(
            EndpointConfigName=KEPT,
            ProductionVariants=found["ProductionVariants"],
            Tags=_tags({ENDPOINT_TAG: HALF, **dict([TAG])}),
        )
        self._overlays.append("instance_type")
        self._note_rollout(HALF, self._deploy)
        self._ask_stacks(HALF)
        self._ask_endpoint(HALF)

    def scale_component(self) -> None:
        self._sagemaker.update_inference_component_runtime_config(
            InferenceComponentName=SMALL, DesiredRuntimeConfig={"CopyCount": 2}
        )
        self._wait_for_copies(2)
        self._sagemaker.describe_inference_component(InferenceComponentName=SMALL)

    def load_adapter(self) -> None:
        """Its base cannot load it; whether AWS takes it all the same is what is asked here."""
        with suppress(DeployFailed):
            self._deploy("adapter")
        self._ask_stacks(SHARED)
        with suppress(ClientError):
            self._sagemaker.describe_inference_component(InferenceComponentName=ADAPTER)
        with (
            Predictor(SHARED, self._aws, component_name=ADAPTER) as predictor,
            suppress(ReportedError),
        ):
            predictor.invoke(TEXTS["instances"][1])
        with Predictor(SHARED, self._aws, component_name=SMALL) as predictor:
            predictor.invoke(TEXTS["instances"][1])

    def batch(self) -> None:
        pipeline = BatchPipeline(PREFIX, "digits", self._site.aws)
        broken, empty = self._folder / "broken.png", self._folder / "empty.png"
        broken.write_bytes(b"this is no image")
        empty.write_bytes(b"")
        run = "acceptance"
        execution = pipeline.start(pipeline.upload([*IMAGES, broken, empty], run), run)
        self._aws.client("stepfunctions").describe_execution(executionArn=execution.arn)
        pipeline.wait(
            execution,
            deadline_seconds=self._site.patience_seconds,
            poll_seconds=self._site.poll_seconds,
        )
        self._aws.client("stepfunctions").describe_execution(executionArn=execution.arn)
        folder = pipeline.reports_of(execution).rstrip("/").rpartition("/")[2]
        self._secrets[folder] = "reports"
        report = pipeline.report(execution)
        if report is None:
            raise Failure("the batch has no report")
        self._recorder.note("report", {"counts": report.counts, "reasons": report.reasons})
        self._recorder.note("outputs", dict(sorted(pipeline.outputs(execution))))

    def compile(self) -> None:
        self._overlays.append("neo")
        self._deploy()
        self._ask_stacks(NEO)
        (model,) = self._ask_endpoint(NEO)
        url = model["PrimaryContainer"]["ModelDataUrl"]
        job = next(part for part in url.split("/") if part.startswith("neo-"))
        self._sagemaker.describe_compilation_job(CompilationJobName=job)
        with Predictor(NEO, self._aws) as predictor:
            predictor.invoke(IMAGES[0].read_bytes(), content_type="application/x-image")

    def roll_back(self) -> None:
        rollback = find_rollback(HALF, self._site.aws)
        self._recorder.note("rollback", {"to": rollback.to.config})
        replace(rollback, aws=self._aws).begin()
        self._note_watch(HALF, config=rollback.to.config)
        self._ask_endpoint(HALF)

    def destroy(self) -> None:
        plain = self._site.aws.client("cloudformation")
        (storage,) = plain.describe_stacks(StackName=f"{PREFIX}-Storage")["Stacks"]
        outputs = {each["OutputKey"]: each["OutputValue"] for each in storage["Outputs"]}
        empty_bucket(self._site.aws.client("s3"), outputs["DataBucketName"])
        self._project.destroy()
        for name, stack in self._ids.items():
            if name != TOOLKIT:
                self._recorder.take_events(plain, stack)
        with suppress(ClientError):
            self._sagemaker.describe_endpoint(EndpointName=HALF)
        with suppress(ClientError):
            self._sagemaker.describe_inference_component(InferenceComponentName=SMALL)
        with suppress(ClientError):
            self._stacks.describe_stacks(StackName=HALF)

    def _deploy(self, *more: str) -> None:
        self._project.deploy(*self._overlays, *more)

    def _ask_stacks(self, *names: str) -> None:
        """What each stack has become, and what happened to it since it was last asked."""
        plain = self._site.aws.client("cloudformation")
        for name in names:
            (stack,) = self._stacks.describe_stacks(StackName=name)["Stacks"]
            self._ids[name] = stack["StackId"]
            for event in self._recorder.take_events(plain, name):
                found = event.get("PhysicalResourceId", "")
                resource = Resource(
                    stack=event["StackName"],
                    logical_id=event["LogicalResourceId"],
                    physical_id=found,
                )
                self._resources.setdefault(found, resource)  # a bucket's policy has its name, too

    def _ask_endpoint(self, name: str) -> list[dict[str, Any]]:
        """What it serves: the endpoint, its config, and each variant's Model, which is returned."""
        endpoint = self._sagemaker.describe_endpoint(EndpointName=name)
        config = self._sagemaker.describe_endpoint_config(
            EndpointConfigName=endpoint["EndpointConfigName"]
        )
        return [
            self._sagemaker.describe_model(ModelName=variant["ModelName"])
            for variant in config["ProductionVariants"]
            if "ModelName" in variant
        ]

    def _note_rollout(self, endpoint: str, deploy: Callable[[], None]) -> None:
        """The endpoint's states while it is deployed to."""
        ended = threading.Event()
        looking = threading.Thread(target=self._look, args=(endpoint, ended))
        looking.start()
        try:
            deploy()
        finally:
            ended.set()
            looking.join()

    def _look(self, endpoint: str, ended: threading.Event) -> None:
        sagemaker = self._site.aws.client("sagemaker")
        states: list[str] = []
        is_last = False
        while not is_last:
            is_last = ended.wait(self._site.look_seconds)
            with suppress(ClientError):
                state = sagemaker.describe_endpoint(EndpointName=endpoint)["EndpointStatus"]
                if states[-1:] != [state]:
                    states.append(state)
        self._recorder.note("states", {"of": endpoint, "seen": states})

    def _note_watch(self, endpoint: str, *, config: str) -> None:
        events = watch(
            endpoint,
            self._site.aws,
            config=config,
            timeout_seconds=self._site.patience_seconds,
            poll_seconds=self._site.poll_seconds,
        )
        self._recorder.note("watch", {"last": [event.message for event in events][-1]})

    def _wait_for_copies(self, count: int) -> None:
        """Not listened to: whether a look comes before or after so quick a change is chance."""
        sagemaker = self._site.aws.client("sagemaker")
        end = time.monotonic() + self._site.patience_seconds
        while True:
            found = sagemaker.describe_inference_component(InferenceComponentName=SMALL)
            status = found["InferenceComponentStatus"]
            if status == "InService" and found["RuntimeConfig"]["CurrentCopyCount"] == count:
                return
            if status == "Failed" or time.monotonic() > end:
                raise Failure(f"{SMALL} does not have {count} copies; it is {status}")
            time.sleep(self._site.poll_seconds)


def _tags(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
