"""One room for each paper's method, with its values, law, files and walks."""
