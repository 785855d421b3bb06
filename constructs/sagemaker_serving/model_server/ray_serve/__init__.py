"""AWS's Ray Serve image: its adapter (`front`), and behind it a cluster of this container's own
(`cluster`).

Source: aws/deep-learning-containers e0ecede, scripts/docker/ray/sagemaker_entrypoint.sh and
sagemaker_serve.py.
"""
