"""The command `optap`."""
