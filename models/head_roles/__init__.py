"""What heads do, measured: where their attention goes, how far, how widely, and what that makes of them."""

from models.head_roles.measures import Tally, tally
from models.head_roles.places import SHARES, Places, places_of, separators
from models.head_roles.scores import MEASURES, Scores, finished
from models.head_roles.stacks import Standing, call_shares, shares, stack_tallies, trace_tallies
from models.head_roles.verdict import ROLES, nearest_share, role_of

__all__ = [
    "MEASURES",
    "ROLES",
    "SHARES",
    "Places",
    "Scores",
    "Standing",
    "Tally",
    "call_shares",
    "finished",
    "nearest_share",
    "places_of",
    "role_of",
    "separators",
    "shares",
    "stack_tallies",
    "tally",
    "trace_tallies",
]
