"""Rules on Application Auto Scaling's targets and policies."""
