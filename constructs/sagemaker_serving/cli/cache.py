"""``sagemaker-serving cache``: what was packed before."""

from __future__ import annotations

import click


@click.group()
def cache() -> None:
    """Show or clear the archives that were packed before.

    An unchanged model is not packed twice: its archive lies in
    $XDG_CACHE_HOME/sagemaker-serving. SAGEMAKER_SERVING_CACHE_BYTES bounds it
    (10 GiB); 0 turns it off.
    """


@cache.command()
def show() -> None:
    """Print where the cache is, and how much it holds.

    \b
    Example:
      sagemaker-serving cache show
    """
    from sagemaker_serving.archive import Cache
    from sagemaker_serving.cli.options import size_text

    found = Cache.of_this_user()
    count, size = found.size()
    click.echo(
        f"{found.folder}: {count} {'archive' if count == 1 else 'archives'}, {size_text(size)} "
        f"of at most {size_text(found.max_bytes)}"
    )


@cache.command()
def clear() -> None:
    """Remove everything from the cache; archives in use elsewhere stay there.

    \b
    Example:
      sagemaker-serving cache clear
    """
    from sagemaker_serving.archive import Cache
    from sagemaker_serving.cli.options import size_text

    found = Cache.of_this_user()
    count, size = found.size()
    found.clear()
    click.echo(
        f"removed {count} {'archive' if count == 1 else 'archives'}, {size_text(size)}, "
        f"from {found.folder}"
    )
