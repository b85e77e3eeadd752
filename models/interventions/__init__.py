"""Changing what single heads do while a model runs: is a token the cause of an output, or only looked at?

`models.hook` is where attention lets itself be changed; `change` says what is changed, `pattern` computes a changed
head, `changer` applies it, `subject` runs a model with changes, `compare` puts outputs side by side, `scan` changes
every head in turn.
"""
