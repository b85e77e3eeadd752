"""Training steps of a model of ours against the same model built from PyTorch's layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn

from benchmarks.report import Row, Section
from benchmarks.timing import interleaved
from models.attention import MultiHeadAttention
from models.masks import causal
from models.training.tasks import TASKS, Task
from models.training.trainer import BETAS, CLIP, DECAY, Trainer, loss_of
from models.transformer.blocks import Block
from models.transformer.config import Config
from models.transformer.model import Transformer

REPEATS = 30
AIM = 1.3
TOLERANCE = 1e-4  # between the logits of the same model in float32
WIDE = 512  # of the feed-forward layers

_COLUMNS = {"model": "", "PyTorch ms": ".1f", "ours ms": ".1f", "ours ×": ".2f", "steps per s": ".1f"}


class Peer(nn.Module):
    """A decoder of ours, rebuilt with nn.TransformerEncoderLayer, or nn.MultiheadAttention where there is no
    feed-forward layer."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        config = model.config
        self.config = config
        self.token = nn.Embedding(config.vocabulary, config.d_model)
        self.position = nn.Embedding(config.context, config.d_model)
        self.layers = nn.ModuleList(_layer(config) for _ in range(config.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(config.d_model) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.d_model)
        self.predict = nn.Linear(config.d_model, config.vocabulary, bias=False)
        self.register_buffer("hidden", ~causal(config.context))
        self._take(model)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token(ids) + self.position.weight[: ids.shape[-1]]
        for layer, norm in zip(self.layers, self.norms, strict=True):
            if self.config.d_ff:
                x = layer(x, src_mask=self.hidden, is_causal=True)
            else:
                y = norm(x)
                x = x + layer(y, y, y, attn_mask=self.hidden, is_causal=True, need_weights=False)[0]
        return self.predict(self.norm(x))  # type: ignore[no-any-return]

    @torch.no_grad()
    def _take(self, model: Transformer) -> None:
        """The weights of our model."""
        assert model.decoder is not None
        self.token.load_state_dict(model.embedding.token.state_dict())
        self.position.load_state_dict(model.embedding.position.state_dict())  # type: ignore[union-attr]
        self.predict.load_state_dict(model.predict.state_dict())
        self.norm.load_state_dict(model.decoder.norm.state_dict())
        for layer, norm, block in zip(self.layers, self.norms, model.decoder.blocks, strict=True):
            assert isinstance(block, Block)
            norm.load_state_dict(block.around_self.norm.state_dict())
            if isinstance(layer, nn.TransformerEncoderLayer):
                take_block(layer, block)
            elif isinstance(layer, nn.MultiheadAttention):
                take_attention(layer, block.self_attention)


@torch.no_grad()
def take_block(peer: nn.TransformerEncoderLayer, block: Block) -> None:
    """The weights of our block."""
    assert block.feed_forward is not None
    assert block.around_feed_forward is not None
    take_attention(peer.self_attn, block.self_attention)
    peer.norm1.load_state_dict(block.around_self.norm.state_dict())
    peer.norm2.load_state_dict(block.around_feed_forward.norm.state_dict())
    peer.linear1.load_state_dict(block.feed_forward.widen.state_dict())
    peer.linear2.load_state_dict(block.feed_forward.narrow.state_dict())


def _layer(config: Config) -> nn.Module:
    if not config.d_ff:
        return nn.MultiheadAttention(config.d_model, config.heads, bias=False, batch_first=True)
    return nn.TransformerEncoderLayer(
        config.d_model, config.heads, config.d_ff, dropout=0.0, batch_first=True, norm_first=True
    )


@torch.no_grad()
def take_attention(peer: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    """Our weights; PyTorch's attention then has no biases, as ours has none."""
    peer.in_proj_weight.copy_(torch.cat([ours.w_q.T, ours.w_k.T, ours.w_v.T]))
    peer.out_proj.weight.copy_(ours.w_o.T)
    peer.in_proj_bias = peer.out_proj.bias = None  # type: ignore[assignment]


def step_of(peer: Peer, trainer: Trainer, task: Task) -> Callable[[], object]:
    """A training step of PyTorch's model: the same batches, loss, clipping and optimizer as ours."""
    parameters = [p for p in peer.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        parameters, lr=trainer.recipe.rate, betas=BETAS, weight_decay=DECAY, fused=True
    )
    generator = torch.Generator().manual_seed(0)

    def step() -> None:
        batch = task.sample(trainer.recipe.batch, generator)
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(peer(batch.ids), batch)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()

    return step


def run() -> list[Section]:
    """Measure on one thread, as the app computes. Raises AssertionError if the two compute different things."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        repeat = TASKS["repeat"]
        rows = [
            _measure("repeat", repeat, repeat.config),
            _measure(f"repeat, feed-forward {WIDE}", repeat, replace(repeat.config, d_ff=WIDE)),
        ]
    finally:
        torch.set_num_threads(threads)
    return [Section("Training steps against the same model of torch.nn layers", _COLUMNS, rows, _NOTES)]


def _measure(name: str, task: Task, config: Config) -> Row:
    trainer = Trainer(task, 0, config)
    peer = Peer(trainer.model)
    ids = task.sample(4, torch.Generator().manual_seed(1)).ids
    torch.testing.assert_close(trainer.model(ids), peer(ids), rtol=TOLERANCE, atol=TOLERANCE)
    found = interleaved({"peer": step_of(peer, trainer, task), "ours": trainer.step}, REPEATS)
    return {
        "model": name,
        "PyTorch ms": 1000 * found["peer"].median,
        "ours ms": 1000 * found["ours"].median,
        "ours ×": found["ours"].median / found["peer"].median,
        "ours ×, least": found["ours"].least / found["peer"].least,
        "steps per s": 1 / found["ours"].median,
    }


_NOTES = (
    f"Median processor time of {REPEATS} steps in turns, one thread; ours with its report (accuracy, gradient norms).",
    f"Aim: {AIM}. repeat has no feed-forward layers: its peer is built from nn.MultiheadAttention, the other one from",
    "nn.TransformerEncoderLayer; both without biases in the attention, as ours.",
)
