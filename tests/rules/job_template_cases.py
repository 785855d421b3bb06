"""Templates with one thing wrong in a job: of batch transform, or of Neo."""

from __future__ import annotations

from tests.rules.template_cases import JOB, NEO, Case

JOBS: list[Case] = [
    (
        "instance-retired",
        {f"{JOB}.TransformResources.InstanceType": "ml.p3.2xlarge"},
        "InstanceType is 'ml.p3.2xlarge'; the API's list still has the family p3",
        {f"{JOB}.TransformResources.InstanceType": "ml.g5.2xlarge"},
    ),
    (
        "transform-instance-type",
        {f"{JOB}.TransformResources.InstanceType": "ml.t2.medium"},
        "InstanceType is 'ml.t2.medium'; transform jobs do not take it",
        {f"{JOB}.TransformResources.InstanceType": "ml.m5.large"},
    ),
    (
        "transform-ranges",
        {f"{JOB}.MaxPayloadInMB": 500},
        "MaxPayloadInMB is 500; it must be 0 to 100; use 100",
        {f"{JOB}.MaxPayloadInMB": 100},
    ),
    (
        "transform-ranges",
        {f"{JOB}.ModelClientConfig": {"InvocationsMaxRetries": 4}},
        "InvocationsMaxRetries is 4; it must be 0 to 3; use 3",
        {f"{JOB}.ModelClientConfig": {"InvocationsMaxRetries": 0}},
    ),
    (
        "transform-memory",
        {f"{JOB}.MaxPayloadInMB": 50, f"{JOB}.MaxConcurrentTransforms": 3},
        "MaxPayloadInMB 50 times MaxConcurrentTransforms 3 is 150 MB; a job takes 100",
        {f"{JOB}.MaxPayloadInMB": 50, f"{JOB}.MaxConcurrentTransforms": 2},
    ),
    (
        "transform-strategy",
        {f"{JOB}.BatchStrategy": "MultiRecord"},
        "BatchStrategy is 'MultiRecord' but SplitType is None",
        {f"{JOB}.BatchStrategy": "MultiRecord", f"{JOB}.TransformInput.SplitType": "Line"},
    ),
    (
        "transform-environment",
        {f"{JOB}.Environment": {"K": "x" * 10241}},
        "K has 10241 characters; it takes at most 10240",
        {f"{JOB}.Environment": {"K": "x" * 10240}},
    ),
    (
        "transform-choices",
        {f"{JOB}.TransformInput.SplitType": "Lines"},
        "SplitType is 'Lines'; it must be None, Line, RecordIO, TFRecord; did you mean Line?",
        {f"{JOB}.TransformInput.SplitType": "Line"},
    ),
    (
        "transform-choices",
        {f"{JOB}.TransformInput.DataSource.S3DataSource.S3DataType": "AugmentedManifestFile"},
        "S3DataType is 'AugmentedManifestFile'; it must be S3Prefix, ManifestFile",
        {f"{JOB}.TransformInput.DataSource.S3DataSource.S3DataType": "S3Prefix"},
    ),
    (
        "transform-filters",
        {f"{JOB}.DataProcessing": {"InputFilter": "features"}},
        "InputFilter is 'features' (8 characters); it must be a JSONPath from $",
        {f"{JOB}.DataProcessing": {"InputFilter": "$.features"}},
    ),
    (
        "transform-filters",
        {f"{JOB}.DataProcessing": {"OutputFilter": f"$.{'x' * 62}"}},
        "(64 characters)",
        {f"{JOB}.DataProcessing": {"OutputFilter": f"$.{'x' * 61}"}},
    ),
    (
        "transform-join",
        {f"{JOB}.DataProcessing.JoinSource": "Input", f"{JOB}.TransformInput.SplitType": "Line"},
        "without AssembleWith: Line the joined records run into one another",
        {
            f"{JOB}.DataProcessing.JoinSource": "Input",
            f"{JOB}.TransformInput.SplitType": "Line",
            f"{JOB}.TransformOutput.AssembleWith": "Line",
        },
    ),
    (
        "transform-location",
        {f"{JOB}.TransformOutput.S3OutputPath": "bucket/out/"},
        "S3OutputPath is 'bucket/out/'; it must be s3://bucket/prefix",
        {f"{JOB}.TransformOutput.S3OutputPath": "s3://bucket/out/"},
    ),
    (
        "transform-location",
        {f"{JOB}.TransformOutput.S3OutputPath": "https://example.com/out/"},
        "S3OutputPath is 'https://example.com/out/'; it must be s3://bucket/prefix",
        {f"{JOB}.TransformOutput.S3OutputPath": "https://bucket.s3.amazonaws.com/out/"},
    ),
    (
        "transform-location",
        {f"{JOB}.TransformInput.DataSource.S3DataSource.S3DataType": "ManifestFile"},
        "a manifest is one object, not a prefix",
        {
            f"{JOB}.TransformInput.DataSource.S3DataSource.S3DataType": "ManifestFile",
            f"{JOB}.TransformInput.DataSource.S3DataSource.S3Uri": "s3://bucket/in.manifest",
        },
    ),
    (
        "transform-output-apart",  # aws/sagemaker-python-sdk#1106
        {
            f"{JOB}.TransformInput.DataSource.S3DataSource.S3Uri": "s3://bucket/test_output",
            f"{JOB}.TransformOutput.S3OutputPath": "s3://bucket/test_output_pose",
        },
        "S3OutputPath is below S3Uri, a prefix that takes every key which begins with it, without "
        "a slash too; the output is read as input by the next job",
        {
            f"{JOB}.TransformInput.DataSource.S3DataSource.S3Uri": "s3://bucket/test_output/",
            f"{JOB}.TransformOutput.S3OutputPath": "s3://bucket/test_output_pose",
        },
    ),
    (
        "transform-key-local",
        {
            f"{JOB}.TransformResources.InstanceType": "ml.g4dn.xlarge",
            f"{JOB}.TransformResources.VolumeKmsKeyId": "alias/mine",
        },
        "VolumeKmsKeyId is given, but ml.g4dn.xlarge has local storage",
        {f"{JOB}.TransformResources.VolumeKmsKeyId": "alias/mine"},
    ),
    (
        "unknown-property",
        {f"{JOB}.MaxPayload": 5},
        "CreateTransformJob has no property 'MaxPayload' here; did you mean MaxPayloadInMB",
        {f"{JOB}.MaxPayloadInMB": 5},
    ),
    (
        "neo-framework",
        {f"{NEO}.InputConfig.Framework": "TENSORFLW"},
        "Framework is 'TENSORFLW'; it must be TENSORFLOW, KERAS",
        {f"{NEO}.InputConfig.Framework": "TENSORFLOW"},
    ),
    (
        "neo-target",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_c55"},
        "TargetDevice is 'ml_c55'; did you mean ml_c5?",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_c5"},
    ),
    (
        "neo-target",
        {f"{NEO}.OutputConfig.TargetPlatform": {"Os": "LINUX", "Arch": "ARM64"}},
        "TargetPlatform stands beside TargetDevice; a job compiles for one of them",
        {
            f"{NEO}.OutputConfig.TargetPlatform": {"Os": "LINUX", "Arch": "ARM64"},
            f"{NEO}.OutputConfig.TargetDevice": None,
        },
    ),
    (
        "neo-target",
        {f"{NEO}.OutputConfig.TargetDevice": None},
        "neither TargetDevice nor TargetPlatform is given",
        {f"{NEO}.OutputConfig.TargetDevice": {"Ref": "Device"}},
    ),
    (
        "neo-retired",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_p3"},
        "TargetDevice is 'ml_p3', whose hosts AWS has retired",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_g4dn"},
    ),
    (
        "neo-version",
        {f"{NEO}.InputConfig.FrameworkVersion": "2.19"},
        "FrameworkVersion is '2.19'; for ml_c5 Neo compiles TENSORFLOW 1.15.3, 2.9; use 2.9",
        {f"{NEO}.InputConfig.FrameworkVersion": "2.9.2"},
    ),
    (
        "neo-version",
        {
            f"{NEO}.InputConfig.Framework": "KERAS",
            f"{NEO}.OutputConfig.TargetDevice": "ml_inf1",
            f"{NEO}.InputConfig.FrameworkVersion": None,
        },
        "Framework is 'KERAS'; Neo is not documented to compile it for ml_inf1",
        {
            f"{NEO}.InputConfig.Framework": "KERAS",
            f"{NEO}.InputConfig.FrameworkVersion": None,
        },
    ),
    (
        "neo-version-form",
        {f"{NEO}.InputConfig.FrameworkVersion": "v2.9"},
        "FrameworkVersion is 'v2.9'; it must be a version such as 2.9",
        {f"{NEO}.InputConfig.FrameworkVersion": "2.9"},
    ),
    (
        "neo-region",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_inf2"},
        "in eu-west-1 Neo does not offer it; it does in us-east-2",
        {f"{NEO}.OutputConfig.TargetDevice": "ml_inf1"},
    ),
    (
        "neo-input-config",
        {f"{NEO}.InputConfig.DataInputConfig": "input: [1]"},
        "DataInputConfig is 'input: [1]'; it must be JSON",
        {f"{NEO}.InputConfig.DataInputConfig": '{"input": [1]}'},
    ),
    (
        "neo-input-config",
        {f"{NEO}.InputConfig.DataInputConfig": None},
        "DataInputConfig is missing; Neo needs the inputs' shapes of TENSORFLOW",
        {
            f"{NEO}.InputConfig.DataInputConfig": None,
            f"{NEO}.InputConfig.Framework": "XGBOOST",
            f"{NEO}.InputConfig.FrameworkVersion": None,
        },
    ),
    (
        "neo-limits",
        {f"{NEO}.OutputConfig.CompilerOptions": "{}"},
        "CompilerOptions has 2 characters; it takes 3 to 1024",
        {f"{NEO}.OutputConfig.CompilerOptions": "{ }"},
    ),
    (
        "neo-limits",
        {f"{NEO}.StoppingCondition": {"MaxPendingTimeInSeconds": 60}},
        "MaxPendingTimeInSeconds is 60; it must be 1800 to 2419200",
        {f"{NEO}.StoppingCondition": {"MaxPendingTimeInSeconds": 1800}},
    ),
    (
        "model-data-form",
        {f"{NEO}.InputConfig.S3Uri": "s3://bucket/model.zip"},
        "S3Uri is 's3://bucket/model.zip'; SageMaker loads one archive",
        {f"{NEO}.InputConfig.S3Uri": "s3://bucket/model.tar.gz"},
    ),
    (
        "model-data-form",
        {f"{NEO}.InputConfig.S3Uri": "https://bucket.s3.amazonaws.com/model.zip"},
        "SageMaker loads one archive",
        {f"{NEO}.InputConfig.S3Uri": "https://bucket.s3.amazonaws.com/model.tar.gz"},
    ),
]
