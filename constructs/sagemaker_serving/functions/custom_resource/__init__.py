"""What CloudFormation calls for a custom resource whose work a state machine does."""
