"""The applications that Ray Serve's ``config.yaml`` names."""

from __future__ import annotations

CONFIG = "config.yaml"


def read_applications(text: bytes) -> tuple[str, ...]:
    """The ``import_path`` of each application ("deployment:app"), empty where it names none.

    Source: ray 2.60, serve/schema.py, ServeDeploySchema.
    """
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return ()
    applications = found.get("applications") if isinstance(found, dict) else None
    paths = [
        each.get("import_path")
        for each in (applications if isinstance(applications, list) else ())
        if isinstance(each, dict)
    ]
    return tuple(path for path in paths if isinstance(path, str))
