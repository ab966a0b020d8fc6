"""Tools around the studio: its benchmark, a headless browser, screenshots."""
