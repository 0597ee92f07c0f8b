"""The command `optap`."""

from optap.cli.main import main as main
