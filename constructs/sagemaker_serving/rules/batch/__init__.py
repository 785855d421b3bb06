"""Rules on batch pipelines and transform jobs."""
