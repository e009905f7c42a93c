"""Cleaning passes over the tree, one theme a module; each takes something that is no content."""
