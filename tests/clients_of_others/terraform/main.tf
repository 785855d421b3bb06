# What stands around an endpoint, as somebody writes it who has AWS in mind and nothing else.
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

provider "aws" {
  s3_use_path_style       = true
  skip_metadata_api_check = true
}

variable "archive" { type = string }
variable "code" { type = string }
variable "change" {
  type    = number
  default = 0
}

locals {
  image = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.20-cpu-py312"
}

data "aws_caller_identity" "own" {}

# The model and what it is read with.

resource "aws_kms_key" "models" {
  description             = "models"
  deletion_window_in_days = 7
}

resource "aws_kms_alias" "models" {
  name          = "alias/terraform-models"
  target_key_id = aws_kms_key.models.id
}

resource "aws_s3_bucket" "models" {
  bucket        = "terraform-models-${data.aws_caller_identity.own.account_id}"
  force_destroy = true
}

resource "aws_s3_bucket_versioning" "models" {
  bucket = aws_s3_bucket.models.id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_public_access_block" "models" {
  bucket                  = aws_s3_bucket.models.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_server_side_encryption_configuration" "models" {
  bucket = aws_s3_bucket.models.id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_object" "model" {
  bucket = aws_s3_bucket.models.id
  key    = "half_plus_three/model.tar.gz"
  source = var.archive
  etag   = filemd5(var.archive)
}

resource "aws_ecr_repository" "images" {
  name = "terraform-images"
  tags = { change = var.change }
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["sagemaker.amazonaws.com", "lambda.amazonaws.com", "states.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "model" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.models.arn}/*"]
  }
  statement {
    actions   = ["s3:ListBucket"]
    resources = [aws_s3_bucket.models.arn]
  }
  statement {
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
    resources = [aws_sqs_queue.orders.arn]
  }
  statement {
    actions = [
      "ecr:GetAuthorizationToken", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer",
      "ecr:BatchCheckLayerAvailability", "logs:CreateLogGroup", "logs:CreateLogStream",
      "logs:DescribeLogStreams", "logs:PutLogEvents", "cloudwatch:PutMetricData",
    ]
    resources = ["*"]
  }
}

resource "aws_iam_role" "own" {
  name               = "terraform-own"
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

resource "aws_iam_role_policy" "own" {
  role   = aws_iam_role.own.id
  policy = data.aws_iam_policy_document.model.json
}

# The endpoint, what scales it and what watches it.

resource "aws_sagemaker_model" "model" {
  execution_role_arn = aws_iam_role.own.arn
  primary_container {
    image          = local.image
    model_data_url = "s3://${aws_s3_object.model.bucket}/${aws_s3_object.model.key}"
  }
  depends_on = [aws_iam_role_policy.own]
}

resource "aws_sagemaker_endpoint_configuration" "config" {
  name_prefix = "terraform-"
  production_variants {
    variant_name           = "main"
    model_name             = aws_sagemaker_model.model.name
    initial_instance_count = 1 + var.change
    instance_type          = "ml.c5.large"
  }
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_sagemaker_endpoint" "endpoint" {
  name                 = "terraform"
  endpoint_config_name = aws_sagemaker_endpoint_configuration.config.name
  tags                 = { change = var.change }
}

resource "aws_appautoscaling_target" "main" {
  service_namespace  = "sagemaker"
  resource_id        = "endpoint/${aws_sagemaker_endpoint.endpoint.name}/variant/main"
  scalable_dimension = "sagemaker:variant:DesiredInstanceCount"
  min_capacity       = 1
  max_capacity       = 3 + var.change
}

resource "aws_appautoscaling_policy" "main" {
  name               = "invocations"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.main.service_namespace
  resource_id        = aws_appautoscaling_target.main.resource_id
  scalable_dimension = aws_appautoscaling_target.main.scalable_dimension
  target_tracking_scaling_policy_configuration {
    target_value = 100 + var.change
    predefined_metric_specification {
      predefined_metric_type = "SageMakerVariantInvocationsPerInstance"
    }
  }
}

resource "aws_sns_topic" "alarms" {
  name = "terraform-alarms"
}

resource "aws_sqs_queue" "alarms" {
  name = "terraform-alarms"
}

resource "aws_sns_topic_subscription" "alarms" {
  topic_arn = aws_sns_topic.alarms.arn
  protocol  = "sqs"
  endpoint  = aws_sqs_queue.alarms.arn
}

resource "aws_cloudwatch_metric_alarm" "errors" {
  alarm_name          = "terraform-errors"
  namespace           = "AWS/SageMaker"
  metric_name         = "Invocation5XXErrors"
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  comparison_operator = "GreaterThanThreshold"
  threshold           = 1 + var.change
  alarm_actions       = [aws_sns_topic.alarms.arn]
  dimensions = {
    EndpointName = aws_sagemaker_endpoint.endpoint.name
    VariantName  = "main"
  }
}

resource "aws_cloudwatch_dashboard" "endpoint" {
  dashboard_name = "terraform"
  dashboard_body = jsonencode({ widgets = [] })
}

# What people put beside it.

resource "aws_dynamodb_table" "answers" {
  name         = "terraform-answers"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
}

resource "aws_ssm_parameter" "endpoint" {
  name  = "/terraform/endpoint"
  type  = "String"
  value = "${aws_sagemaker_endpoint.endpoint.name}-${var.change}"
}

resource "aws_secretsmanager_secret" "key" {
  name                    = "terraform-key"
  recovery_window_in_days = 0
}

resource "aws_secretsmanager_secret_version" "key" {
  secret_id     = aws_secretsmanager_secret.key.id
  secret_string = "secret ${var.change}"
}

resource "aws_cloudwatch_log_group" "own" {
  name              = "/terraform/own"
  retention_in_days = var.change == 0 ? 7 : 14
}

resource "aws_lambda_function" "echo" {
  function_name    = "terraform-echo"
  role             = aws_iam_role.own.arn
  runtime          = "python3.12"
  handler          = "index.handler"
  filename         = var.code
  source_code_hash = filebase64sha256(var.code)
  memory_size      = 128 + 128 * var.change
}

resource "aws_lambda_alias" "echo" {
  name             = "live"
  function_name    = aws_lambda_function.echo.function_name
  function_version = "$LATEST"
}

resource "aws_cloudwatch_event_rule" "hourly" {
  name                = "terraform-hourly"
  schedule_expression = "rate(${1 + var.change} hour${var.change == 0 ? "" : "s"})"
}

resource "aws_cloudwatch_event_target" "hourly" {
  rule = aws_cloudwatch_event_rule.hourly.name
  arn  = aws_lambda_function.echo.arn
}

resource "aws_lambda_permission" "hourly" {
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.echo.function_name
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.hourly.arn
}

resource "aws_sfn_state_machine" "steps" {
  name     = "terraform-steps"
  role_arn = aws_iam_role.own.arn
  definition = jsonencode({
    StartAt = "Done"
    States  = { Done = { Type = "Succeed", Comment = "change ${var.change}" } }
  })
}

# What it is reached by.

resource "aws_lambda_function_url" "echo" {
  function_name      = aws_lambda_function.echo.function_name
  authorization_type = "AWS_IAM"
}

resource "aws_lambda_layer_version" "code" {
  layer_name = "terraform-code"
  filename   = var.code
}

resource "aws_sqs_queue" "orders" {
  name = "terraform-orders"
}

resource "aws_lambda_event_source_mapping" "orders" {
  event_source_arn = aws_sqs_queue.orders.arn
  function_name    = aws_lambda_function.echo.arn
  batch_size       = 5 + var.change
  depends_on       = [aws_iam_role_policy.own]
}

resource "aws_api_gateway_rest_api" "echo" {
  name = "terraform-echo"
}

resource "aws_api_gateway_resource" "echo" {
  rest_api_id = aws_api_gateway_rest_api.echo.id
  parent_id   = aws_api_gateway_rest_api.echo.root_resource_id
  path_part   = "echo"
}

resource "aws_api_gateway_method" "echo" {
  rest_api_id   = aws_api_gateway_rest_api.echo.id
  resource_id   = aws_api_gateway_resource.echo.id
  http_method   = "POST"
  authorization = "NONE"
}

resource "aws_api_gateway_integration" "echo" {
  rest_api_id             = aws_api_gateway_rest_api.echo.id
  resource_id             = aws_api_gateway_resource.echo.id
  http_method             = aws_api_gateway_method.echo.http_method
  integration_http_method = "POST"
  type                    = "AWS_PROXY"
  uri                     = aws_lambda_function.echo.invoke_arn
}

resource "aws_api_gateway_deployment" "echo" {
  rest_api_id = aws_api_gateway_rest_api.echo.id
  depends_on  = [aws_api_gateway_integration.echo]
}

resource "aws_api_gateway_stage" "echo" {
  rest_api_id   = aws_api_gateway_rest_api.echo.id
  deployment_id = aws_api_gateway_deployment.echo.id
  stage_name    = "live"
  description   = "change ${var.change}"
}

resource "aws_lambda_permission" "api" {
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.echo.function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_api_gateway_rest_api.echo.execution_arn}/*"
}

resource "aws_apigatewayv2_api" "echo" {
  name          = "terraform-http"
  protocol_type = "HTTP"
  target        = aws_lambda_function.echo.arn
}

# The network.

resource "aws_vpc" "own" {
  cidr_block = "10.0.0.0/16"
}

resource "aws_subnet" "own" {
  vpc_id     = aws_vpc.own.id
  cidr_block = "10.0.1.0/24"
}

resource "aws_security_group" "own" {
  name   = "terraform-own"
  vpc_id = aws_vpc.own.id
}

output "rest_api" {
  value = aws_api_gateway_rest_api.echo.id
}

output "endpoint" {
  value = aws_sagemaker_endpoint.endpoint.name
}
