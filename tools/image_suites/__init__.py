"""AWS's own tests of its serving images, run against this project's server."""
