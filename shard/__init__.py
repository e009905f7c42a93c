"""One archive behind one endpoint: open it, search it, read it, answer for it."""
