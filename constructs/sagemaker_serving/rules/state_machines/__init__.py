"""Rules on state machines of Step Functions."""
