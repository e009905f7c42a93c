"""Speed and quality, measured against other libraries; the results stand in RESULTS.md."""
