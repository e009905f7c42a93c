"""What every process shares: the wire, the settings, the manifest, names and text."""
