"""The studio without its page: worlds, documents, history and studies. Nothing here knows viser."""
