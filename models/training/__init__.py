"""Training of transformers of our own, on tasks whose right attention is known."""
