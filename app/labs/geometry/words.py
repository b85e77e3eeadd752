"""What is said about the geometry laboratory's picture, with the numbers that are on the screen."""

from __future__ import annotations

import math

from app.i18n import t
from app.labs.geometry.geometry import Looked, entropy
from components.theme import num
from models.geometry import Product

RIGHT_ANGLE = 0.01  # a cosine this small is called none


def about_free(product: Product) -> str:
    """What the angle and the lengths make of two vectors."""
    values = {"dot": num(product.dot), "degrees": num(product.degrees, 0), "cosine": num(product.cosine)}
    if math.isnan(product.cosine):
        return t("lab.geometry.no_length")
    kind = "right" if abs(product.cosine) < RIGHT_ANGLE else "acute" if product.cosine > 0 else "obtuse"
    parts = [t(f"lab.geometry.{kind}", **values)]
    if kind != "right":
        parts.append(t("lab.geometry.twice", twice=num(2 * product.dot), degrees=values["degrees"]))
    return "\n\n".join(parts)


def about_pair(looked: Looked) -> str:
    """That the drawn angle is the real one, and that the product is the score of the stage."""
    product = looked.products[looked.j]
    names = {"i": looked.trace.labels("query")[looked.i], "j": looked.labels[looked.j]}
    score = float(looked.trace["scores"].value[looked.head, looked.i, looked.j])
    parts = [t("lab.geometry.pair_score", head=looked.head, score=num(score), **names)]
    size = looked.trace.d_k
    parts.append(t("lab.geometry.pair_exact" if size > 2 else "lab.geometry.pair_flat", d_k=size))
    if looked.factor != 1:
        parts.append(
            t(
                "lab.geometry.pair_stretched",
                factor=f"{looked.factor:g}",
                dot=num(product.dot),
                degrees=num(product.degrees, 0),
            )
        )
    return "\n\n".join(parts)


def about_keys(looked: Looked) -> str:
    """Who wins by product and who by angle, and what stretching does to the weights."""
    visible = [index for index, seen in enumerate(looked.visible.tolist()) if seen]
    parts = [t("lab.geometry.around")]
    if not visible:
        parts.append(t("lab.geometry.nothing_visible"))
        return "\n\n".join(parts)
    best = max(visible, key=lambda index: looked.products[index].dot)
    nearest = max(visible, key=lambda index: _or_least(looked.products[index].cosine))
    name = "same_winner" if best == nearest else "other_winner"
    parts.insert(
        0,
        t(
            f"lab.geometry.{name}",
            best=looked.labels[best],
            dot=num(looked.products[best].dot),
            nearest=looked.labels[nearest],
            cosine=num(looked.products[nearest].cosine),
            long=num(looked.products[best].key),
            short=num(looked.products[nearest].key),
        ),
    )
    if looked.factor != 1:
        parts.insert(1, _stretched(looked))
    return "\n\n".join(parts)


def _stretched(looked: Looked) -> str:
    before, after = looked.weights, looked.stretched_weights
    values = {"factor": f"{looked.factor:g}"}
    if looked.stretched == "query":
        return t(
            "lab.geometry.query_stretched",
            largest_before=num(float(before.max())),
            largest=num(float(after.max())),
            entropy_before=num(entropy(before)),
            entropy=num(entropy(after)),
            **values,
        )
    return t(
        "lab.geometry.key_stretched",
        name=looked.labels[looked.j],
        before=num(float(before[looked.j])),
        after=num(float(after[looked.j])),
        **values,
    )


def _or_least(cosine: float) -> float:
    return -2.0 if math.isnan(cosine) else cosine
