"""An environment file as facts."""
