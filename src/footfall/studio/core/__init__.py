"""The studio without its page: worlds, documents, history and studies. Nothing here knows its widgets or its wire."""
