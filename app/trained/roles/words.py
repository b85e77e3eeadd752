"""The words of a measure, a role and a head: names, numbers and sentences in the reader's language."""

from __future__ import annotations

from html import escape

from app.i18n import t
from app.trained.roles.roles import TEXT, Roles
from app.trained.stack import Stack
from components.theme import num, short_number
from models.head_roles import MEASURES, SHARES, Scores, role_of
from models.head_roles.places import ALONG_A_TEXT
from models.head_roles.verdict import Role

ROLE = "role"
CHOICES = (ROLE, *MEASURES)  # what the grid can show
UNITS = ("distance", "entropy")  # measures that are no shares
COPIES = ("earlier", "induction")  # measures of queries whose token was there before
SECOND = 0.1  # a second share that is worth a word

# Formulas say the same in every language; `w` are weights, `p` weights that sum to 1 in every row.
FORMULAS = {
    "previous": "mean<sub>i</sub> w<sub>i, i−1</sub>",
    "next": "mean<sub>i</sub> w<sub>i, i+1</sub>",
    "itself": "mean<sub>i</sub> w<sub>i, i</sub>",
    "earlier": "mean<sub>i</sub> Σ<sub>j&lt;i, x<sub>j</sub>=x<sub>i</sub></sub> w<sub>i, j</sub>",
    "first": "mean<sub>i&gt;0</sub> w<sub>i, 0</sub>",
    "induction": "mean<sub>i</sub> Σ<sub>j&lt;i, x<sub>j−1</sub>=x<sub>i</sub></sub> w<sub>i, j</sub>",
    "separator": "mean<sub>i</sub> Σ<sub>j∈S</sub> w<sub>i, j</sub>",
    "diagonal": "max<sub>d</sub> mean<sub>i</sub> Σ<sub>|j−i−d|≤1</sub> w<sub>i, j</sub>",
    "distance": "mean<sub>i</sub> Σ<sub>j</sub> p<sub>i, j</sub> |i − j|",
    "entropy": "mean<sub>i</sub> −Σ<sub>j</sub> p<sub>i, j</sub> log<sub>2</sub> p<sub>i, j</sub>",
    "evenness": "mean<sub>i</sub> H<sub>i</sub> ÷ log<sub>2</sub> K<sub>i</sub>",
}


def name_of(measure: str) -> str:
    """The name of a measure or a role."""
    return t("roles.role") if measure == ROLE else t(f"trained.kind.{measure}")


def written(measure: str, value: float | None) -> str:
    """A score as it is read: "0.87", "12.3"; a dash for what was not measured."""
    return "—" if value is None else num(value, 1 if measure == "distance" else 2)


def short(measure: str, value: float | None) -> str:
    """A score as it fits into a cell."""
    if value is None:
        return ""
    if measure in UNITS:
        return num(value, 1 if value < 9.95 else 0)
    if value < 0.005:
        return ""  # a pale cell says so
    return short_number(value) if value < 0.995 else "1"


def compared(scores: Scores, measure: str, head: int) -> str:
    """ "previous token 0.93 (even attention: 0.06)"."""
    value = scores.value(measure, head)
    if value is None:
        return t("roles.not_measured", measure=name_of(measure))
    even = written(measure, scores.even[measure])
    return t("roles.compared", measure=name_of(measure), value=written(measure, value), even=even)


def head_sentences(scores: Scores, head: int) -> list[str]:
    """What the strongest measures say about a head. HTML."""
    if not_finite(scores, head):
        return [t("roles.not_finite")]
    role = role_of(scores, head)
    said = [_role_sentence(scores, role)]
    others = [
        (value, kind)
        for kind in SHARES
        if (value := scores.value(kind, head)) is not None
        and value >= SECOND
        and (scores.excess(kind, head) or 0) > 0
        and (role is None or kind != role.name)
    ]
    if others:
        value, kind = max(others)
        said.append(t(_second(kind, role), measure=escape(name_of(kind)), value=written(kind, value)))
    width = scores.value("entropy", head)
    if width is not None and (role is None or role.name != "broad"):
        said.append(t("roles.as_many", keys=f"{2**width:.1f}"))
    return said


def not_finite(scores: Scores, head: int) -> bool:
    """Whether a head was measured and gave no number at all: its weights are NaN."""
    return bool(scores.values) and all(scores.value(measure, head) is None for measure in scores.values)


def _second(kind: str, role: Role | None) -> str:
    """How to go on. Copies concern few queries: their share and one of all queries need not fit into one whole."""
    if kind in COPIES:
        return "roles.where_again"
    return "roles.over_all" if role is not None and role.name in COPIES else "roles.second"


def _role_sentence(scores: Scores, role: Role | None) -> str:
    if role is None:
        return t("roles.none") if scores.values else t("roles.nothing")
    if role.name == "broad":
        return t("roles.says.broad", value=f"{role.score:.0%}")
    even = written(role.name, scores.even[role.name])
    return t(f"roles.says.{role.name}", value=f"<b>{written(role.name, role.score)}</b>", even=even)


def left_out(roles: Roles, stack: Stack) -> list[str]:
    """Which measures are missing for this layer, and why."""
    scores = roles.layers[stack.row]
    missing = [measure for measure in MEASURES if measure not in scores.values]
    if len(missing) == len(MEASURES):
        return [t("roles.too_short")]
    cross = stack.name[1] == "cross"
    between = [m for m in missing if cross and m in (*ALONG_A_TEXT, "distance")]
    future = [m for m in missing if m == "next" and not cross and "previous" in scores.values]
    copies = [m for m in missing if m in COPIES and not cross]
    others = [m for m in missing if m not in (*between, *future, *copies)]
    groups = {"between": between, "future": future, _no_copies(roles): copies, "few": others}
    comma = t("trained.comma")
    return [
        t(f"roles.missing.{why}", names=comma.join(name_of(measure) for measure in names))
        for why, names in groups.items()
        if names
    ]


def _no_copies(roles: Roles) -> str:
    return "copies" if roles.on == TEXT else "copies_sample"
