"""Makes, changes and deletes an inference router, or the policy of an endpoint that lets one in."""
