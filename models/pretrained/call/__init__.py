"""One attention call of a pretrained model, opened: where its queries, keys and values came from, every step of one
head, what a head adds to the output, and what has to be said about it."""

from models.pretrained.call.attention_call import AttentionCall

__all__ = ["AttentionCall"]
