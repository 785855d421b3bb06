"""An endpoint behind a REST API, as AWS Solutions Constructs put it there."""

from __future__ import annotations

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.functions import Functions
from tests.local_aws.services.apigateway.rest import Rest
from tests.local_aws.web import Answer

TEMPLATE = (
    '{"instances": [#set($all = $input.params("items").split(","))'
    '#foreach($each in $all)"$each"#if($foreach.hasNext),#end#end]}'
)


def test_an_endpoint_answers_through_an_api_whose_role_may_invoke_it(aws: Aws) -> None:
    aws.endpoint("behind", aws.config("config", {"one": aws.model("model-of-api")}))
    rest = Rest(Functions(aws.gateway))
    for name, resource in (("may", "endpoint/behind"), ("may-not", "endpoint/other")):
        role = aws.role(
            name,
            "apigateway",
            {
                "Effect": "Allow",
                "Action": "sagemaker:InvokeEndpoint",
                "Resource": f"arn:aws:sagemaker:{REGION}:123456789012:{resource}",
            },
        )
        rest.method(
            f"/{name}/{{endpoint}}",
            "GET",
            {
                "type": "AWS",
                "integrationHttpMethod": "POST",
                "credentials": role,
                "uri": f"arn:aws:apigateway:{REGION}:runtime.sagemaker:path/endpoints/"
                "{endpoint}/invocations",
                "passthroughBehavior": "NEVER",
                "requestParameters": {
                    "integration.request.path.endpoint": "method.request.path.endpoint"
                },
                "requestTemplates": {"application/json": TEMPLATE},
            },
            requestParameters={"method.request.path.endpoint": True},
            responses=[
                {"statusCode": "200"},
                {
                    "statusCode": "400",
                    "selectionPattern": "4\\d{2}",
                    "responseTemplates": {
                        "application/json": '{"error": $input.json("$.Message")}'
                    },
                },
            ],
        )
    rest.deploy()

    def asked(role: str) -> Answer:
        return rest.ask(f"/{role}/behind?items=a,b")

    direct = aws.ask("behind", b'{"instances": ["a","b"]}', ContentType="application/json")
    assert (asked("may").status, asked("may").body) == (200, direct)
    denied = asked("may-not")
    assert denied.status == 400
    assert "is not authorized to perform: sagemaker:InvokeEndpoint" in denied.json["error"]
