"""``python -m sagemaker_serving``: the command line."""

from sagemaker_serving.cli import main

if __name__ == "__main__":
    main()
