"""The training page: the session's training, what is shown of it, and the model it gives."""
