"""A full trace against PyTorch's own multi-head attention with per-head weights."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from benchmarks.report import Row, Section
from benchmarks.timing import Timing, interleaved
from models.attention import MultiHeadAttention
from models.trace import Trace

D_MODEL, HEADS = 512, 8
REPEATS = {16: 100, 64: 60, 256: 30, 1024: 12}
AIM = 1.2
TOLERANCE = 1e-5  # between results of the same computation in float32

_COLUMNS = {
    "tokens": "d",
    "PyTorch ms": ".2f",
    "fast ×": ".2f",
    "exact ×": ".2f",
    "PyTorch float64 ×": ".2f",
    "exact ÷ float64": ".2f",
}


def run() -> list[Section]:
    """Measure on one thread, as the app computes. Raises AssertionError if the two compute different things."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            rows = [_measure(tokens, repeats) for tokens, repeats in REPEATS.items()]
    finally:
        torch.set_num_threads(threads)
    title = f"Full trace against nn.MultiheadAttention with per-head weights (d = {D_MODEL}, {HEADS} heads, float32)"
    return [Section(title, _COLUMNS, rows, _NOTES)]


def _measure(tokens: int, repeats: int) -> Row:
    module = MultiHeadAttention(D_MODEL, HEADS)
    peer, wide_peer = peer_of(module), peer_of(module).double()
    x = torch.randn(tokens, D_MODEL, generator=torch.Generator().manual_seed(tokens))
    wide = x.double()
    for exact in (True, False):
        compare(module.trace(x, exact=exact), *ask(peer, x))
    found = interleaved(
        {
            "peer": lambda: ask(peer, x),
            "peer, batch of one": lambda: ask(peer, x[None]),  # PyTorch takes another way through its code
            "fast": lambda: module.trace(x, exact=False),
            "exact": lambda: module.trace(x),
            "wide peer": lambda: ask(wide_peer, wide),
        },
        repeats,
    )
    return _row(tokens, found)


def _row(tokens: int, found: dict[str, Timing]) -> Row:
    peers = (found["peer"], found["peer, batch of one"])
    least, middle = min(peer.least for peer in peers), min(peer.median for peer in peers)
    return {
        "tokens": tokens,
        "PyTorch ms": 1000 * least,
        "fast ×": found["fast"].least / least,
        "exact ×": found["exact"].least / least,
        "PyTorch float64 ×": found["wide peer"].least / least,
        "exact ÷ float64": found["exact"].least / found["wide peer"].least,
        "fast ×, medians": found["fast"].median / middle,
        "exact ×, medians": found["exact"].median / middle,
    }


def peer_of(module: MultiHeadAttention) -> nn.MultiheadAttention:
    """PyTorch's module with the same weights."""
    peer = nn.MultiheadAttention(module.d_model, module.heads, bias=False, batch_first=True).eval()
    with torch.no_grad():
        peer.in_proj_weight.copy_(torch.cat([module.w_q.T, module.w_k.T, module.w_v.T]))
        peer.out_proj.weight.copy_(module.w_o.T)
    return peer


def ask(peer: nn.MultiheadAttention, x: Tensor) -> tuple[Tensor, Tensor]:
    """Output (N × D) and weights (H × N × N) of PyTorch's module."""
    output, weights = peer(x, x, x, need_weights=True, average_attn_weights=False)
    return output, weights


def compare(trace: Trace, output: Tensor, weights: Tensor) -> None:
    """Raises AssertionError unless the trace ends in the same numbers."""
    torch.testing.assert_close(trace["output"].value, output, rtol=TOLERANCE, atol=TOLERANCE)
    torch.testing.assert_close(trace["weights"].value, weights, rtol=TOLERANCE, atol=TOLERANCE)


_NOTES = (
    f"×: smallest processor time of {min(REPEATS.values())} to {max(REPEATS.values())} repeats in turns, one thread,",
    "by that of the faster of PyTorch's two ways (with and without a batch dimension).",
    f"Aim: {AIM} from 64 tokens up. The trace keeps every step, PyTorch its output and weights.",
    "fast (exact=False): float32 throughout. exact (the default): every sum in float64, so that each cell follows from",
    "the numbers shown to 1e-6. What that width costs PyTorch itself stands beside it.",
)
