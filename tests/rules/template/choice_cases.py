"""Templates of which a deploy chooses a part: what is said of the wrong, and nearest right ones.

The oracle is CloudFormation's reference (parameters, conditions, rules, intrinsic functions): a
branch that no values of the parameters lead to is never deployed.
"""

from __future__ import annotations

HEAD = """
Parameters:
  Stage: {Type: String, Default: dev, AllowedValues: [dev, test, prod]}
  Gpu: {Type: String, AllowedValues: ["no", "yes"]}
  Kind: {Type: String, Default: ml.c5.large, AllowedValues: [ml.c5.large, ml.m5.large]}
  Mixed: {Type: String, Default: ml.c5.large, AllowedValues: [ml.c5.large, ml.t3.large, ml.t2.nano]}
  Bad: {Type: String, Default: ml.t3.large, AllowedValues: [ml.t3.large, ml.c5.large, ml.t2.nano]}
  NoneRight: {Type: String, AllowedValues: [ml.t3.large, ml.t2.nano]}
  Free: {Type: String}
  Named: {Type: String, MinLength: 1}
  FreeBad: {Type: String, Default: ml.t3.large}
  FreeGood: {Type: String, Default: ml.c5.large}
  Key: {Type: String, Default: ""}
  Empty: {Type: String, Default: ""}
  Zero: {Type: Number, Default: 0}
  Subnets: {Type: CommaDelimitedList}
  Size: {Type: String}
  FromSsm: {Type: "AWS::SSM::Parameter::Value<String>", Default: ml.t3.large}
Rules:
  NoGpuInTest:
    RuleCondition: !Equals [!Ref Stage, test]
    Assertions: [{Assert: !Equals [!Ref Gpu, "no"]}]
Mappings:
  Types:
    dev: {Good: ml.c5.large, Bad: ml.c5.large}
    test: {Good: ml.c5.large, Bad: ml.c5.large}
    prod: {Good: ml.c5.xlarge, Bad: ml.t3.large}
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
  IsTest: !Equals [test, !Ref Stage]
  IsDev: !Equals [!Ref Stage, dev]
  IsStaging: !Equals [!Ref Stage, staging]
  HasGpu: !Equals [!Ref Gpu, "yes"]
  ProdGpu: !And [!Condition IsProd, !Condition HasGpu]
  TestOrProd: !Or [!Condition IsProd, !Condition IsTest]
  NotDev: !Not [!Condition IsDev]
  Never: !And [!Condition IsProd, !Condition IsTest]
  Always: !Or [!Condition IsProd, !Not [!Condition IsProd]]
  TestGpu: !And [!Condition IsTest, !Condition HasGpu]
  HasKey: !Not [!Equals [!Ref Key, ""]]
  IsX: !Equals [!Ref Free, x]
  IsY: !Equals [!Ref Free, y]
  XAndY: !And [!Condition IsX, !Condition IsY]
  Unnamed: !Equals [!Ref Named, ""]
  Same: !Equals [!Ref Free, !Ref Named]
  SameNot: !And [!Condition Same, !Not [!Equals [!Ref Free, !Ref Named]]]
  HasSubnets: !Not [!Equals [!Join ["", !Ref Subnets], ""]]
  NoSubnets: !Equals [!Join ["", !Ref Subnets], ""]
  BothSubnets: !And [!Condition HasSubnets, !Condition NoSubnets]
  InChina: !Equals [!Ref AWS::Partition, aws-cn]
  InIreland: !Equals [!Ref AWS::Region, eu-west-1]
  ChineseIreland: !And [!Condition InChina, !Condition InIreland]
  LargeMap: !Equals [!FindInMap [Types, !Ref Stage, Good], ml.c5.xlarge]
Resources:
"""
SERVERLESS = "{MemorySizeInMB: 2048, MaxConcurrency: 5}"
NONE = "!Ref AWS::NoValue"
MODEL = """
  Model:
    Type: AWS::SageMaker::Model
    Properties:
      ModelName: m
      ExecutionRoleArn: arn:aws:iam::111122223333:role/r
      VpcConfig: {Subnets: [subnet-0123456789abcdef0], SecurityGroupIds: [sg-0123456789abcdef0]}
      PrimaryContainer: {Image: 111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1}
"""


def config(variants: str, more: str = "") -> str:
    return (
        f"{HEAD}  Config:\n    Type: AWS::SageMaker::EndpointConfig\n"
        f"    Properties: {{ProductionVariants: {variants}}}\n{more}"
    )


def variant(fields: str, name: str = "blue") -> str:
    return f"{{VariantName: {name}, ModelName: m, InitialVariantWeight: 1, {fields}}}"


def fields(text: str, condition: str = "") -> str:
    more = f"    Condition: {condition}\n" if condition else ""
    return config(f"[{variant(text)}]", more)


def typed(value: str, condition: str = "") -> str:
    return fields(f"InitialInstanceCount: 1, InstanceType: {value}", condition)


def branch(condition: str, yes: str = "ml.t3.large", no: str = "ml.c5.large") -> str:
    return typed(f"!If [{condition}, {yes}, {no}]")


GOOD = variant("InitialInstanceCount: 1, InstanceType: ml.c5.large", "good")
WRONG = "InstanceType is 'ml.t3.large'"

CASES: list[tuple[str, str, list[str], str]] = [
    # what it is about, a wrong template, how each thing said of it begins, the nearest right one
    ("a branch", branch("IsProd"), [f"when condition IsProd is true, {WRONG}"],
     branch("IsStaging")),
    ("the other branch", branch("IsProd", "ml.c5.large", "ml.t3.large"),
     [f"when condition IsProd is false, as by default, {WRONG}"],
     branch("Always", "ml.c5.large", "ml.t3.large")),
    ("both branches alike", branch("IsProd", no="ml.t3.large"), [WRONG], branch("Never")),
    ("both branches, each in its way", branch("IsProd", no="ml.t2.nano"),
     ["when condition IsProd is false, as by default, InstanceType is 'ml.t2.nano'",
      f"when condition IsProd is true, {WRONG}"], branch("IsProd", "ml.m5.large")),
    ("and", branch("ProdGpu"), [f"when condition ProdGpu is true, {WRONG}"], branch("Never")),
    ("or", branch("TestOrProd"), [f"when condition TestOrProd is true, {WRONG}"],
     branch("TestGpu")),
    ("not", branch("NotDev"), [f"when condition NotDev is true, {WRONG}"], branch("IsStaging")),
    ("a free parameter", branch("IsX"), [f"when condition IsX is true, {WRONG}"], branch("XAndY")),
    ("a parameter's bounds", branch("Unnamed", "ml.c5.large", "ml.t3.large"), [WRONG],
     branch("Unnamed")),
    ("two parameters that are compared", branch("Same"), [f"when condition Same is true, {WRONG}"],
     branch("SameNot")),
    ("a list that is joined", branch("HasSubnets"), [f"when condition HasSubnets is true, {WRONG}"],
     branch("BothSubnets")),
    ("a comparison by a map", branch("LargeMap"), [f"when condition LargeMap is true, {WRONG}"],
     branch("LargeMap", "!If [IsProd, ml.c5.large, ml.t3.large]")),
    ("the partition, which is the region's", branch("InChina"),
     [f"when condition InChina is true, {WRONG}"], branch("ChineseIreland")),
    ("branches within branches", branch("IsProd", "!If [HasGpu, ml.t3.large, ml.c5.large]"),
     [f"when condition IsProd is true and condition HasGpu is true, {WRONG}"],
     branch("IsProd", "!If [IsTest, ml.t3.large, ml.c5.large]")),
    ("an entry of a list",
     config(f"[{GOOD}, !If [IsProd, {variant('InstanceType: ml.t3.large')}, {NONE}]]"),
     [f"when condition IsProd is true, {WRONG}",
      "when condition IsProd is true, InitialInstanceCount is missing"],
     config(f"[{GOOD}, !If [IsProd, {NONE}, {NONE}]]")),
    ("an entry behind one that may be left out",
     config(f"[!If [IsProd, {GOOD}, {NONE}], {variant('InstanceType: ml.t3.large')}]"),
     [WRONG, "InitialInstanceCount is missing"],
     config(f"[!If [IsProd, {GOOD}, {NONE}], {GOOD.replace('good', 'other')}]")),
    ("a whole list", config(f"!If [IsProd, [{GOOD}, {GOOD}], [{GOOD}]]"),
     ["when condition IsProd is true, a variant named 'good'"],
     config(f"!If [IsProd, [{GOOD}], [{GOOD}]]")),
    ("a resource's own condition", typed("!If [IsProd, ml.t3.large, ml.c5.large]", "IsProd"),
     [WRONG], typed("!If [IsProd, ml.c5.large, ml.t3.large]", "IsProd")),
    ("a value that one side leaves out",
     fields(f"InitialInstanceCount: 1, InstanceType: !If [IsProd, {NONE}, ml.c5.large]"),
     ["when condition IsProd is true, InstanceType is missing"],
     fields(f"InitialInstanceCount: !If [IsProd, {NONE}, 1], InstanceType: "
      f"!If [IsProd, {NONE}, ml.c5.large], ServerlessConfig: !If [IsProd, {SERVERLESS}, "
      f"{NONE}]")),
    ("members that exclude each other",
     fields("InitialInstanceCount: 1, InstanceType: ml.c5.large, ServerlessConfig: "
      f"!If [IsProd, {SERVERLESS}, {NONE}]"),
     ["when condition IsProd is true, InstanceType is given on a serverless variant",
      "when condition IsProd is true, InitialInstanceCount is given on a serverless variant"],
     fields(f"InitialInstanceCount: !If [NotDev, {NONE}, 1], InstanceType: "
      f"!If [NotDev, {NONE}, ml.c5.large], ServerlessConfig: !If [IsDev, {NONE}, "
      f"{SERVERLESS}]")),
    ("what another resource makes of it, in its own condition",
     config(f"[{variant(f'ServerlessConfig: {SERVERLESS}')}]",
      f"    Condition: IsProd\n    DependsOn: Model\n{MODEL}"),
     ["when condition IsProd is true, VpcConfig is given"],
     config(f"[{variant(f'ServerlessConfig: {SERVERLESS}')}]", f"    Condition: Never\n{MODEL}")),
    ("what a rule of the template refuses",
     branch("IsTest", "!If [HasGpu, ml.c5.large, ml.t3.large]"),
     [f"when condition IsTest is true, {WRONG}"],
     branch("IsTest", "!If [HasGpu, ml.t3.large, ml.c5.large]")),
    ("some allowed values", typed("!Ref Mixed"), [f"when parameter Mixed is ml.t3.large, {WRONG}"],
     typed("!Ref Kind")),
    ("a default", typed("!Ref Bad"), [f"by default of Bad, {WRONG}"], typed("!Ref Kind")),
    ("every allowed value", typed("!Ref NoneRight"), [WRONG], typed("!Ref Kind")),
    ("a free default", typed("!Ref FreeBad"), [f"by default of FreeBad, {WRONG}"],
     typed("!Ref Free")),
    ("a default in a text", fields('InitialInstanceCount: 1, InstanceType: !Sub "${FreeBad}"'),
     [f"by default of FreeBad, {WRONG}"],
     fields('InitialInstanceCount: 1, InstanceType: !Sub "${FreeGood}"')),
    ("a number by default", fields("InstanceType: ml.c5.large, InitialInstanceCount: !Ref Zero"),
     ["by default of Zero, InitialInstanceCount is 0"],
     fields("InstanceType: ml.c5.large, InitialInstanceCount: !Ref Free")),
    ("a default in a branch", branch("IsProd", "!Ref FreeBad"),
     [f"when condition IsProd is true, by default of FreeBad, {WRONG}"],
     branch("IsProd", "!Ref FromSsm")),
    ("an empty default, and one in a branch that is not taken by default", typed("!Ref Empty"),
     ["by default of Empty, InstanceType is ''"], branch("IsProd", "!Ref Empty")),
    ("a map by a parameter", typed("!FindInMap [Types, !Ref Stage, Bad]"),
     [f"when parameter Stage is prod, {WRONG}"], typed("!FindInMap [Types, !Ref Stage, Good]")),
    ("a map by a parameter that may be anything", typed("!FindInMap [Types, !Ref Size, Bad]"),
     [f"when parameter Size is prod, {WRONG}"], typed("!FindInMap [Types, !Ref Size, Good]")),
    ("a value that a condition asks for", typed("!If [HasKey, !Ref Key, ml.t3.large]"),
     [f"when condition HasKey is false, as by default, {WRONG}"],
     typed("!If [HasKey, !Ref Key, ml.c5.large]")),
    ("two parameters together", fields("InstanceType: !Ref Mixed, InitialInstanceCount: !Ref Zero"),
     ["by default of Zero, InitialInstanceCount is 0", "when parameter Mixed is ml.t3.large"],
     fields("InstanceType: !Ref Kind, InitialInstanceCount: !Ref Free")),
]  # fmt: skip
