"""The pages of real models: opening one, what is shown of it, the controls beside it."""
