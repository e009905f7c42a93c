"""The stateless root: scatter a query to the shards, gather, fuse, answer through MCP."""
