"""Rules on the whole: an environment's names and tags, a template's resources."""
