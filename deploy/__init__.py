"""The operator's package: the `corpus-mcp` command and what it renders from the manifest."""
