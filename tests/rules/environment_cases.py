"""Environment files with one thing wrong, first in names, places, instance types and images."""

from __future__ import annotations

from tests.rules.batch.batch_cases import ENVIRONMENTS as BATCH
from tests.rules.changes import BLUE, DIGITS, Change
from tests.rules.endpoint.content_cases import ENVIRONMENTS as CONTENTS
from tests.rules.endpoint.kind_cases import ENVIRONMENTS as KINDS
from tests.rules.endpoint.member_cases import ENVIRONMENTS as MEMBERS
from tests.rules.endpoint.scaling_cases import ENVIRONMENTS as SCALING
from tests.rules.endpoint.update_cases import ENVIRONMENTS as UPDATES
from tests.rules.model_cases import ENVIRONMENTS as MODELS
from tests.rules.name_cases import ENVIRONMENTS as NAMES

US_S3, EU_S3 = (f"https://s3.{region}.amazonaws.com" for region in ("us-east-1", "eu-west-1"))
DIGEST = f"sha256:{'0a' * 32}"
OWN = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1"

KEY_OF = "arn:aws:kms:{}:111122223333:key/k"
MANY = {
    "framework": "tensorflow",
    "framework_version": "2.20",
    "multi_model": {"s3_prefix": "s3://models/many/"},
    "variants": [{"name": "a", "instance_type": "ml.m5.large"}],
}
OWN_ARN = "arn:aws:sagemaker:eu-west-1:111122223333:endpoint/prod-digits"
AWAY = "arn:aws:sagemaker:us-east-1:111122223333:endpoint/digits"


def routed(**target: object) -> Change:
    """A router with one routing target."""
    return {("routers",): {"one": {"routing_targets": {"digits": target}}}}


ROUTERS = [
    f"arn:aws:sagemaker:eu-west-1:{444455550000 + number}:inference-router/theirs"
    for number in range(39)
]

EXPIRING: list[tuple[str, Change, str, Change]] = [
    (
        "expire-capture",
        {
            ("storage",): {"expire": {"captured_days": 30}},
            (*DIGITS, "data_capture"): {"sampling_percent": 5, "prefix": prefix},
        },
        f"captured_days deletes what is old at {hit}",
        {
            ("storage",): {"expire": {"captured_days": 30}},
            (*DIGITS, "data_capture"): {"sampling_percent": 5, "prefix": right},
        },
    )
    for prefix, hit, right in (
        (
            "digits",
            "digits/models/, digits/batch/, digits/async/, digits/core-dumps/ too",
            "digits/captured",
        ),
        ("/digits/async/x", "digits/async/ too", "digits/asynchronous"),
        ("compiled/digits", "compiled/ too", "compiled-digits"),
    )
]

CASES: list[tuple[str, Change, str, Change]] = [
    # rule, what is wrong, what is said, the nearest that passes
    ("endpoint-name", {("name",): "prod_eu"},
     "the endpoint would be named 'prod_eu-digits' (14 characters)", {("name",): "prod-eu"}),
    ("endpoint-name", {("name",): "p" * 57},
     "(64 characters); names take at most 63 letters, digits and hyphens between them, no "
     "underscore; rename the environment", {("name",): "p" * 56}),
    ("endpoint-name", {("name",): "p" * 20, ("models", "di_gits"): {}},
     "-di_gits' (28 characters); names take at most 63 letters, digits and hyphens between them, "
     "no underscore; rename the model", {("name",): "p" * 20}),
    ("region", {("region",): "eu-west-11"},
     "region is 'eu-west-11'; SageMaker hosting is not offered there; did you mean eu-west-1",
     {("region",): "eu-west-2"}),
    ("account", {("account",): "12345"}, "account is '12345'; an AWS account is 12 digits",
     {("account",): "123456789012"}),
    ("production-data", {("production",): True, ("storage",): {"at_destroy": "empty"}},
     "at_destroy is 'empty', and production demands that the bucket stays; use keep",
     {("production",): True, ("storage",): {"at_destroy": "keep"}}),
    ("organization-arn", {("organization",): {"permissions_boundary_arn": "Boundary"}},
     "write the policy's ARN",
     {("organization",): {"permissions_boundary_arn": "arn:aws:iam::111122223333:policy/b/B"}}),
    (
        "organization-arn",
        {("organization",): {"bootstrap": {"deploy_role_arn": "deploys"}}},
        "deploy_role_arn is 'deploys'; write the role's ARN",
        {
            ("organization",): {
                "bootstrap": {"deploy_role_arn": "arn:aws:iam::${AWS::AccountId}:role/deploys"}
            }
        },
    ),
    ("expire-days", {("storage",): {"expire": {"captured_days": 0}}},
     "captured_days is 0; S3 deletes after 1 day or more",
     {("storage",): {"expire": {"captured_days": 1}}}),
    *EXPIRING,
    ("expire-schedule",
     {("storage",): {"expire": {"batch_output_days": 30}}, (*DIGITS, "batch_transform",
      "schedule"): "rate(1 day)"},
     "batch_output_days deletes outputs after 30 days, and what has none is transformed again",
     {("storage",): {"expire": {"captured_days": 30}}, (*DIGITS, "batch_transform",
      "schedule"): "rate(1 day)"}),
    ("tags", {("tags",): {f"k{n}": "v" for n in range(48)}},
     "there are 48 tags; AWS takes 50, and 3 are added to these",
     {("tags",): {f"k{n}": "v" for n in range(47)}}),
    ("tags", {("tags",): {"aws:x": "v"}}, "without 'aws:'", {("tags",): {"x": "v"}}),
    ("tags", {("tags",): {"k": "v" * 257}}, "AWS takes 256", {("tags",): {"k": "v" * 256}}),
    ("model-name", {("models", "Storage"): {"artifact": "s3://b/model.tar.gz"}},
     "'Storage' is the name of the environment's own stack; rename the model",
     {("models", "storage"): {"artifact": "s3://b/model.tar.gz"}}),
    ("artifact-versions",
     {(*DIGITS, "artifact"): {"s3": "s3://mine/d/7.tar.gz", "versions": "s3://mine/e/"}},
     "versions is 's3://mine/e/', and 's3://mine/d/7.tar.gz' does not lie below it",
     {(*DIGITS, "artifact"): {"s3": "https://mine.s3.eu-west-1.amazonaws.com/d/7.tar.gz",
      "versions": "s3://mine/d/"}}),
    ("artifact-versions",
     {(*DIGITS, "artifact"): {"s3": "s3://mine/7.tar.gz", "versions": "s3://mine/"}},
     "it must be a prefix, s3://<bucket>/<prefix>/",
     {(*DIGITS, "artifact"): {"s3": "s3://mine/d/7.tar.gz"}}),
    ("production-versions",
     {("production",): True, (*DIGITS, "artifact"): {"s3": "s3://mine/d/7.tar.gz"}},
     "once a deploy has left it, rollback cannot start it again",
     {("production",): True, (*DIGITS, "artifact"): {"s3": "s3://mine/d/7.tar.gz",
      "versions": "s3://mine/d/"}}),
    ("production-versions",
     {("production",): True, (*DIGITS, "artifact"): {"s3": "s3://mine/d/7.tar.gz"}},
     "once a deploy has left it, rollback cannot start it again",
     {("production",): True, (*DIGITS, "artifact"): {"s3": "s3://mine/d/7.tar.gz"}, (*DIGITS,
      "variants"): [{"name": "a", "instance_type": "ml.c5.large",
      "compile": {"target_device": "ml_c5"}}]}),
    ("location-key",
     {(*DIGITS, "artifact"): {"s3": "s3://b/m.tar.gz", "kms_key_arn": KEY_OF.format("us-east-1")}},
     "kms_key_arn is of us-east-1; a key encrypts in its own region alone",
     {(*DIGITS, "artifact"): {"s3": "s3://b/m.tar.gz", "kms_key_arn": KEY_OF.format("eu-west-1")}}),
    ("router-destination", routed(destinations=["digitz"]),
     "'digitz' is no endpoint of this file; did you mean digits?", routed(destinations=["digits"])),
    ("router-destination", routed(destinations=["digits", "digits"]),
     "'digits' is in this routing target twice", routed(destinations=["digits", AWAY])),
    ("router-destination",
     {**routed(destinations=["digits", OWN_ARN]), ("account",): "111122223333"},
     "is in this routing target twice",
     {**routed(destinations=["digits", OWN_ARN]), ("account",): "444455556666"}),
    ("router-destination", routed(destinations=["digits", AWAY.replace("arn:aws:", "arn:aws-cn:")]),
     "of another partition than the router, which is in aws; make a router there",
     routed(destinations=["digits", AWAY])),
    ("router-destination", {**routed(destinations=["many"]), ("models", "many"): MANY},
     "'many' has many models, and InvokeInferenceRouter has no TargetModel that names one",
     {**routed(destinations=["digits"]), ("models", "many"): MANY}),
    ("router-asynchronous", routed(destinations=["digits"], asynchronous=True),
     "'digits' is a real-time destination",
     routed(destinations=[AWAY], asynchronous=True, max_time_in_backlog_seconds=60)),
    ("router-asynchronous", routed(destinations=["digits"], max_time_in_backlog_seconds=60),
     "max_time_in_backlog_seconds is of asynchronous routing targets",
     routed(destinations=["digits"])),
    ("endpoint-policy-length", {(*DIGITS, "allowed_routers"): ROUTERS},
     "allowed_routers are 39, whose policy has 20,8", {(*DIGITS, "allowed_routers"): ROUTERS[:38]}),
    ("aws-value", routed(destinations=["arn:aws:sagemaker:eu-west-1:111122223333:model/m"]),
     "it must be the ARN of an endpoint or an inference component", routed(destinations=[AWAY])),
    ("something-to-deploy", {(*DIGITS, "variants"): [], (*DIGITS, "batch_transform"): None},
     "neither variants nor batch_transform", {(*DIGITS, "variants"): []}),
    ("endpoint-instance-type", {(*BLUE, "instance_type"): "ml.t3.medium"},
     "instance_type is 'ml.t3.medium'; endpoints do not take it; use ml.t2.medium",
     {(*BLUE, "instance_type"): "ml.t2.medium"}),
    ("endpoint-instance-type", {(*BLUE, "instance_type"): "c5.xlarge"},
     "instance_type is 'c5.xlarge'; endpoints do not take it; did you mean ml.c5.xlarge",
     {(*BLUE, "instance_type"): "ml.c5.xlarge"}),
    ("endpoint-instance-type", {(*BLUE, "instance_type"): "m1.c4.xlarge"},
     "instance_type is 'm1.c4.xlarge'; endpoints do not take it; did you mean ml.c4.xlarge",
     {(*BLUE, "instance_type"): "ml.c4.xlarge"}),
    ("image-known", {(*BLUE, "instance_type"): "ml.dl1.24xlarge"},
     "ml.dl1.24xlarge has 8 Gaudi, for which AWS's tables have no tensorflow image",
     {(*BLUE, "instance_type"): "ml.p3.2xlarge"}),
    ("transform-instance-type", {(*DIGITS, "batch_transform", "instance_type"): "ml.c7g.large"},
     "instance_type is 'ml.c7g.large'; transform jobs do not take it; use ml.c7i.large",
     {(*DIGITS, "batch_transform", "instance_type"): "ml.c7i.large"}),
    ("endpoint-instance-region", {(*BLUE, "instance_type"): "ml.c6in.large"},
     "the price list of eu-west-1 lacks it (no region prices it)",
     {(*BLUE, "instance_type"): "ml.g5.2xlarge"}),
    ("transform-instance-region",
     {("region",): "af-south-1", (*DIGITS, "batch_transform", "instance_type"): "ml.c4.xlarge"},
     "the price list of af-south-1 lacks it",
     {("region",): "af-south-1", (*DIGITS, "batch_transform", "instance_type"): "ml.c5.xlarge"}),
    ("instance-retired", {(*BLUE, "instance_type"): "ml.inf1.xlarge"},
     "AWS took Inf1 out of Neuron's runtime with 2.30 (2026-05-21)",
     {(*BLUE, "instance_type"): "ml.inf2.xlarge"}),
    ("neuron-needs-compiled-model", {(*BLUE, "instance_type"): "ml.inf1.xlarge"},
     "an Inferentia host; it runs models compiled for it",
     {(*BLUE, "instance_type"): "ml.inf1.xlarge", (*BLUE, "image_uri"): OWN}),
    ("image-known", {(*DIGITS, "framework_version"): "2.17"},
     "among them 2.13, 2.14, 2.16, 2.18, 2.19, 2.20; use 2.18",
     {(*DIGITS, "framework_version"): "2.16"}),
    ("image-patch-release", {(*DIGITS, "framework_version"): "2.4.0"},
     "AWS's tables have no tensorflow image of it; it gets that of 2.4.1, the nearest",
     {(*DIGITS, "framework_version"): "2.4.1"}),
    ("image-known",
     {(*DIGITS, "framework_version"): "2.17", (*BLUE, "instance_type"): "ml.zzz.large"},
     "framework_version is '2.17'", {(*BLUE, "instance_type"): "ml.zzz.large"}),
    ("image-known", {("region",): "us-iso-east-1"},
     "no tensorflow 2.20 image in region 'us-iso-east-1'; the newest there is 2.14; it does in",
     {("region",): "us-iso-east-1", (*DIGITS, "framework_version"): "2.14"}),
    ("region-unpriced", {("region",): "us-iso-east-1"},
     "no price list has 'us-iso-east-1', so whether it has these instance types was not checked",
     {("region",): "eu-west-1"}),
    ("image-known", {(*DIGITS, "framework"): "tensorflw"}, "did you mean 'tensorflow'",
     {(*DIGITS, "framework"): "tensorflow"}),
    ("image-known", {(*DIGITS, "framework"): None}, "neither framework nor image_uri is given",
     {(*DIGITS, "framework"): None, (*DIGITS, "image_uri"): OWN}),
    ("image-known", {(*DIGITS, "framework_version"): None}, "framework_version is missing",
     {(*DIGITS, "framework_version"): "2.20"}),
    ("image-known", {(*BLUE, "instance_type"): "ml.c7g.large"}, "on the arm64 type ml.c7g.large",
     {(*BLUE, "instance_type"): "ml.c7g.large", (*BLUE, "framework_version"): "2.16"}),
    ("elastic-inference-accepted",
     {("accept_retired",): ["elastic-inference"], (*BLUE, "accelerator_type"): "ml.eia2.medium"},
     "and accept_retired allows it; the template is rendered",
     {("accept_retired",): ["elastic-inference"]}),
    ("network-cidr", {("network",): {"cidr": "10.0.0.0/20"}},
     "cidr is '10.0.0.0/20'; it must be a /16 to /19; use 10.0.0.0/16",
     {("network",): {"cidr": "10.0.0.0/19"}}),
    ("answer-time", {(*DIGITS, "server"): {"gunicorn_timeout_seconds": 61}},
     "gunicorn_timeout_seconds is 61; InvokeEndpoint waits 60 seconds",
     {(*DIGITS, "server"): {"gunicorn_timeout_seconds": 60}}),
    (
        "image-processor",  # aws/deep-learning-containers#3803: the tag decides
        {
            (*DIGITS, "framework"): "djl-lmi",
            (*DIGITS, "framework_version"): "0.36.0",
            (*DIGITS, "batching"): None,
        },
        "framework is 'djl-lmi', an image for GPUs and ml.c5.large has no GPU",
        {(*DIGITS, "framework"): "tensorflow"},
    ),
    ("image-digest", {(*BLUE, "image_digest"): "sha256:0A"},
     "image_digest is 'sha256:0A'; it must be sha256: and 64 digits or letters a to f",
     {(*BLUE, "image_digest"): DIGEST}),
    ("image-digest", {(*BLUE, "image_digest"): DIGEST, (*BLUE, "image_uri"): OWN},
     "image_digest stands beside image_uri, which ends in '1'; a digest stands instead of it",
     {(*BLUE, "image_digest"): DIGEST, (*BLUE, "image_uri"): OWN.removesuffix(":1")}),
    ("image-digest",
     {(*BLUE, "image_digest"): DIGEST, (*BLUE, "compile"): {"target_device": "ml_c5"}},
     "image_digest stands beside compile, whose job says which image serves the result",
     {(*BLUE, "compile"): {"target_device": "ml_c5"}}),
    ("image-digest-shared", {(*DIGITS, "image_digest"): DIGEST},
     "image_digest pins one image, and it is said of tensorflow-inference:2.20-cpu-py312 and "
     "tensorflow-inference:2.20-gpu-py312", {(*BLUE, "image_digest"): DIGEST}),
    ("image-digest-unchecked", {(*BLUE, "image_digest"): DIGEST},
     "whether image_digest is that of tensorflow-inference:2.20-cpu-py312 was not looked at; "
     "compare it with what this prints: `aws ecr describe-images --region eu-west-1",
     {(*BLUE, "image_uri"): OWN}),
    ("image-support", {(*DIGITS, "framework_version"): "2.19"},
     "framework_version is '2.19', whose patches ended on 2026-03-11; use '2.20'",
     {(*DIGITS, "framework_version"): "2.20"}),
    *NAMES,
    *MODELS,
    *CONTENTS,
    *KINDS,
    *MEMBERS,
    *UPDATES,
    *SCALING,
    *BATCH,
]  # fmt: skip
