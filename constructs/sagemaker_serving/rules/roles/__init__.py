"""Rules on roles of IAM: whom they trust, and what they may do."""
