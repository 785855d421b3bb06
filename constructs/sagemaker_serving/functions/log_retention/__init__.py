"""The custom resource that gives a log group an end, whoever made the group."""
