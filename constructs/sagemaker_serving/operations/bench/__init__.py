"""Measuring an endpoint's variants with the same requests, and comparing what they answer."""

from sagemaker_serving.answers.differences import Difference, largest_difference
from sagemaker_serving.operations.bench.inputs import (
    BenchInput,
    generated_inputs,
    inputs_fitting,
    inputs_of,
)
from sagemaker_serving.operations.bench.load import Send, load_for
from sagemaker_serving.operations.bench.report import BenchReport, InputDifference, VariantReport
from sagemaker_serving.operations.bench.run import bench

__all__ = [
    "BenchInput",
    "BenchReport",
    "Difference",
    "InputDifference",
    "Send",
    "VariantReport",
    "bench",
    "generated_inputs",
    "inputs_fitting",
    "inputs_of",
    "largest_difference",
    "load_for",
]
