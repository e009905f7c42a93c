"""Faults under load: eight libraries, eight agents, and what they saw meanwhile."""
