"""HTML to sections to Markdown: bytes → tree → passes → sections → Markdown."""
