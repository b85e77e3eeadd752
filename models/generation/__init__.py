"""Models that write token by token, with the attention of each: `begin(writer_for(model), "text").next(Rule())`."""

from models.generation.choice import Candidates, Rule, candidates
from models.generation.draft import Draft, begin
from models.generation.writers import writer_for, writes

__all__ = ["Candidates", "Draft", "Rule", "begin", "candidates", "writer_for", "writes"]
