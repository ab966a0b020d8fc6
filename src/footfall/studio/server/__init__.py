"""The studio's server: the page and downloads over HTTP, all else over one WebSocket for each page."""
