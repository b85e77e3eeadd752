"""The pages of trained models: opening one, what is shown of it, the controls beside it."""
