"""What is known of an endpoint while it is created or updated."""
