"""Opens any cell of any step into the numbers it was made from: `explain(trace, "scores", (head, i, j))`."""

from models.explain.rules import explain
from models.explain.terms import Explanation, Source, Term

__all__ = ["Explanation", "Source", "Term", "explain"]
