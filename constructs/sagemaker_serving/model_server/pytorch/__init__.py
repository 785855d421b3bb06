"""PyTorch models: the user's functions between AWS's defaults, as the images call them.

Source: aws/sagemaker-inference-toolkit 1.10.1 and aws/sagemaker-pytorch-inference-toolkit
2.0.25, read and run 2026-11-21. Nothing here imports torch unless a default function is used.
"""
