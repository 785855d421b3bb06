"""``sagemaker-serving completion``: what a shell reads to complete commands."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script with which SHELL completes commands, options, environments and endpoints.

    Environments, models and endpoints are those of the files in environments/.

    \b
    Examples:
      source <(sagemaker-serving completion bash)   # or into ~/.bashrc
      source <(sagemaker-serving completion zsh)    # or into ~/.zshrc
      sagemaker-serving completion fish \\
          > ~/.config/fish/completions/sagemaker-serving.fish
    """
    from click.shell_completion import get_completion_class

    root = click.get_current_context().find_root()
    made = get_completion_class(shell)
    assert made is not None, shell
    script = made(root.command, {}, "sagemaker-serving", "_SAGEMAKER_SERVING_COMPLETE")
    click.echo(script.source())
