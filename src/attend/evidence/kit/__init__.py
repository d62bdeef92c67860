"""How a claim is declared, measured, judged, recorded and shown."""
