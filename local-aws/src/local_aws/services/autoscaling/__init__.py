"""Application Auto Scaling: `service` acts, by the decisions of `local_aws.scaling`."""
