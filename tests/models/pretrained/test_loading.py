"""Loading from folders and hub ids: what works, and a clear sentence for everything that does not."""

from __future__ import annotations

import errno
import gc
import json
import shutil
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import transformers as hf
from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError

from models import collector
from models.errors import InputError
from models.memory import free_memory, total_memory
from models.pretrained import PretrainedModel, hub, load_model, loading, weights
from models.pretrained.assemble import model_class
from models.pretrained.folder import ModelFolder, open_folder
from models.pretrained.loading import unload_models
from tests.models.pretrained import folders
from tests.models.pretrained.folders import save


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    unload_models()


@pytest.fixture(scope="module")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("llama"), folders.llama())


@pytest.fixture
def copy(llama_folder: Path, tmp_path: Path) -> Path:
    """A folder that may be spoilt."""
    shutil.copytree(llama_folder, tmp_path / "model")
    return tmp_path / "model"


def refused(name: str | Path) -> InputError:
    with pytest.raises(InputError) as caught:
        load_model(name)
    return caught.value


def rewrite(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))


# What works


@pytest.mark.parametrize(
    ("make", "scheme", "layers", "heads", "kv_heads", "positions", "limit"),
    [
        (folders.llama, "byte_level", {("decoder", "self"): 2}, 4, 2, "rotary", 64),
        (folders.bert, "wordpiece", {("encoder", "self"): 2}, 4, 4, "learned", 64),
        (folders.roberta, "wordpiece", {("encoder", "self"): 2}, 4, 4, "learned", 64),
        (folders.bloom, "byte_level", {("decoder", "self"): 2}, 4, 4, "alibi", None),
        (
            folders.t5,
            "metaspace",
            {("encoder", "self"): 2, ("decoder", "self"): 3, ("decoder", "cross"): 3},
            4,
            4,
            "relative",
            None,
        ),
        (
            folders.marian,
            "metaspace",
            {("encoder", "self"): 2, ("decoder", "self"): 1, ("decoder", "cross"): 1},
            4,
            4,
            "sinusoidal",
            40,
        ),
    ],
)
def test_a_folder_says_what_it_is(
    make: Callable[[], Any],
    scheme: str,
    layers: dict[tuple[str, str], int],
    heads: int,
    kv_heads: int,
    positions: str,
    limit: int | None,
    tmp_path: Path,
) -> None:
    original = make()
    model = load_model(save(tmp_path / "tiny", original, scheme))
    info = model.info
    assert (info.name, info.architecture) == ("tiny", type(original).__name__)
    assert (info.layers, info.heads, info.kv_heads) == (layers, heads, kv_heads)
    assert (info.d_model, info.head_dim, info.vocabulary) == (32, 8, 400)
    assert (info.positions, info.max_positions) == (positions, limit)
    assert info.parameters == original.num_parameters()
    assert not model.module.training
    trace = model.trace("the quick brown fox")
    assert trace.layers == layers
    for call in trace.calls:
        assert call.query_labels == trace.tokens[call.stream].labels
        assert call.key_labels == trace.tokens["encoder" if call.kind == "cross" else call.stream].labels
        assert call.weights(0).shape == (len(call.query_labels or ()), len(call.key_labels or ()))


def test_weights_are_those_of_the_file(llama_folder: Path) -> None:
    loaded, original = load_model(llama_folder).module, folders.llama().eval()
    ids = torch.tensor([[3, 4, 5, 6]])
    with torch.inference_mode():
        # weights mapped from a file lie elsewhere in memory, and products may depend on that in their last bits
        torch.testing.assert_close(loaded(ids).logits, original(ids).logits, rtol=1e-5, atol=1e-6)
    for name, weight in original.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], weight)
    assert not any(parameter.requires_grad for parameter in loaded.parameters())


@pytest.mark.parametrize(
    ("dtype", "computed_in"), [("float32", "float32"), ("bfloat16", "bfloat16"), ("float16", "float32")]
)
def test_dtype_is_kept_but_for_float16(dtype: str, computed_in: str, tmp_path: Path) -> None:
    info = load_model(save(tmp_path, folders.llama().to(getattr(torch, dtype)))).info
    assert (info.dtype, info.computed_in) == (dtype, computed_in)
    weights = load_model(tmp_path).trace("the fox").layer(1).weights(0)
    assert torch.allclose(weights.sum(-1), torch.ones(len(weights)), atol=1e-5)


def test_several_weight_files(tmp_path: Path) -> None:
    folders.llama().save_pretrained(tmp_path, max_shard_size="30KB")
    save(tmp_path / "tokenizer", folders.bert())
    for file in (tmp_path / "tokenizer").glob("tokenizer*"):
        shutil.copy(file, tmp_path)
    assert len(open_folder(tmp_path).files) > 1
    assert load_model(tmp_path).info.heads == 4
    next(tmp_path.glob("model-00002*.safetensors")).unlink()
    assert refused(tmp_path).key == "model_weights_broken"


@pytest.mark.filterwarnings("ignore:Recommended")
def test_a_tokenizer_written_in_python(tmp_path: Path) -> None:
    """It knows no places: they are found in the text."""
    model = load_model(folders.opus(tmp_path))
    assert not model.encoder.fast
    tokens = model.trace("the quick brown fox", target="over it").tokens
    assert [word.label for word in tokens["encoder"].groups] == ["the", "quick", "brown", "fox", "</s>"]
    assert [word.label for word in tokens["decoder"].groups] == ["</s>", "over", "it"]  # its start is id 0


def test_the_licence_comes_from_the_model_card(copy: Path) -> None:
    assert load_model(copy).info.licence is None
    (copy / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\n# A model")
    unload_models()
    assert load_model(copy).info.licence == "mit"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (hf.LlamaConfig(architectures=["LlamaModel"]), hf.LlamaModel),
        (hf.LlamaConfig(architectures=["NoSuchModel"]), hf.LlamaForCausalLM),
        (hf.LlamaConfig(architectures=["AutoConfig"]), hf.LlamaForCausalLM),  # not a model
        (hf.LlamaConfig(), hf.LlamaForCausalLM),
        (hf.BertConfig(), hf.BertForMaskedLM),
        (hf.T5Config(), hf.T5ForConditionalGeneration),
        (hf.ViTConfig(), hf.AutoModel),
    ],
)
def test_the_class_comes_from_the_configuration(config: Any, expected: Any) -> None:
    assert model_class(config) is expected


def test_one_copy_serves_all(llama_folder: Path) -> None:
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(load_model(llama_folder))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len({id(model) for model in found}) == 1


class Slow:
    """A load that goes on until it is told to end."""

    def __init__(self, slow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.end = threading.Event(), threading.Event()
        self.count = 0
        real = weights._read

        def read(folder: ModelFolder) -> Any:
            if folder.path == slow:
                self.count += 1
                self.begun.set()
                assert self.end.wait(60)
            return real(folder)

        monkeypatch.setattr(weights, "_read", read)


def test_a_model_that_loads_holds_up_nobody(
    llama_folder: Path, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, slow = load_model(llama_folder), Slow(copy, monkeypatch)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(load_model(copy))) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert slow.begun.wait(60)
    try:
        assert load_model(llama_folder) is first, "a loaded one"
        assert load_model(save(tmp_path / "other", folders.bert())).info.heads == 4, "another one"
        assert refused(tmp_path / "nothing").key == "model_folder_missing"
        assert found == []
    finally:
        slow.end.set()
        for thread in threads:
            thread.join()
    assert slow.count == 1
    assert len({id(model) for model in found}) == 1


def test_who_waits_for_a_load_that_fails_tries_it_too(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite(copy, intermediate_size=128)
    slow = Slow(copy, monkeypatch)
    keys: list[str] = []
    threads = [threading.Thread(target=lambda: keys.append(refused(copy).key)) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert slow.begun.wait(60)
    slow.end.set()
    for thread in threads:
        thread.join()
    assert keys == ["model_shapes_differ"] * 2


def test_models_load_one_by_one_where_there_is_memory_for_one(
    llama_folder: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = int(1.5 * open_folder(copy).bytes)
    monkeypatch.setattr("models.pretrained.shelf.free_memory", lambda: free)
    slow = Slow(copy, monkeypatch)
    done: list[Path] = []
    threads = [
        threading.Thread(target=lambda path=path: (load_model(path), done.append(path)))  # type: ignore[misc]
        for path in (copy, llama_folder)
    ]
    threads[0].start()
    assert slow.begun.wait(60)
    threads[1].start()
    threads[1].join(0.5)
    assert done == []
    slow.end.set()
    for thread in threads:
        thread.join()
    assert done == [copy, llama_folder]


def test_a_changed_folder_is_loaded_anew(copy: Path) -> None:
    first = load_model(copy)
    assert load_model(str(copy)) is first
    save(copy, folders.llama(num_hidden_layers=3))
    assert load_model(copy).info.layers == {("decoder", "self"): 3}
    assert len(loading.shelf) == 1, "the old one is let go"


def test_an_old_model_makes_room_for_a_new_one(
    llama_folder: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_model(llama_folder)
    monkeypatch.setattr("models.pretrained.shelf.free_memory", lambda: 0 if len(loading.shelf) else 10**9)
    load_model(copy)
    assert [key[0] for key in loading.shelf._kept] == [str(copy)]


def test_models_kept_have_a_bound_together(
    llama_folder: Path, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room for two of three: the one used least recently goes, and its memory is given back."""
    third = tmp_path / "third"
    shutil.copytree(llama_folder, third)
    monkeypatch.setattr("models.pretrained.shelf.total_memory", lambda: 5 * open_folder(copy).bytes)
    modules = []
    for folder in (llama_folder, copy):
        model = load_model(folder)
        assert isinstance(model, PretrainedModel)
        modules.append(weakref.ref(model.module))
    del model
    load_model(llama_folder)
    load_model(third)
    assert [key[0] for key in loading.shelf._kept] == [str(llama_folder), str(third)]
    assert [seen() is None for seen in modules] == [False, True]


def test_one_model_may_be_larger_than_the_bound(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.pretrained.shelf.total_memory", lambda: 100)
    assert load_model(copy).info.heads == 4
    assert len(loading.shelf) == 1


def test_a_model_that_is_let_go_is_freed_though_everything_was_frozen(llama_folder: Path) -> None:
    collector.freeze()
    try:
        model = load_model(llama_folder)
        assert isinstance(model, PretrainedModel)
        assert all(part is not model.module for part in gc.get_objects()), "a loaded model is frozen, too"
        seen = weakref.ref(model.module)
        model.trace("hello")
        del model
        unload_models()
        assert seen() is None
    finally:
        gc.unfreeze()


def test_free_memory_heeds_a_container(tmp_path: Path) -> None:
    assert free_memory(tmp_path) > 10_000_000
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("500\n")
    assert free_memory(tmp_path) > 10_000_000
    (tmp_path / "memory.max").write_text("2000\n")
    assert total_memory(tmp_path) == 2000
    assert free_memory(tmp_path) == 1500
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 100\n")
    assert free_memory(tmp_path) == 1600


# What does not


def test_no_such_thing(tmp_path: Path) -> None:
    assert refused(tmp_path / "nothing").key == "model_folder_missing"
    assert refused("~/no such folder/x").key == "model_folder_missing"
    for name in ("", "a b", "a/b/c", "<script>", "\0"):
        assert refused(name).key == "model_name_unknown"
    assert "smollm2" in str(refused("what is this"))


@pytest.mark.parametrize(
    "name", ["~nosuchuser", "~nosuchuser/model", "/" + "x" * 5000, "/tmp/" + "y/" * 3000, "/a\0b"]
)
def test_names_that_no_folder_can_have(name: str) -> None:
    assert refused(name).key == "model_folder_missing"


def denied(folder: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a user without the right: the tests may run as root, who has every right."""
    error = PermissionError(errno.EACCES, "Permission denied", str(folder))

    def deny(*_: object, **__: object) -> Any:
        raise error

    monkeypatch.setattr(Path, what, deny)


@pytest.mark.parametrize("what", ["exists", "is_dir", "iterdir", "read_text"])
def test_folders_that_may_not_be_read(what: str, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    denied(copy, what, monkeypatch)
    error = refused(copy)
    monkeypatch.undo()
    assert error.key == "model_folder_unreadable"
    assert error.values == {"folder": str(copy), "detail": "Permission denied"}


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"model_type": ' + "1" * 10_000 + "}"])
def test_a_configuration_that_cannot_be_read_through(text: str, copy: Path) -> None:
    (copy / "config.json").write_text(text)
    assert refused(copy).key == "model_config_broken"


def test_folders_that_are_none(tmp_path: Path, llama_folder: Path) -> None:
    assert refused(llama_folder / "config.json").key == "model_not_folder"
    assert refused(tmp_path).key == "model_folder_empty"
    (tmp_path / "notes.txt").write_text("no model")
    assert refused(tmp_path).key == "model_config_missing"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"model_type": 5}', "\udcff"])
def test_a_broken_configuration(text: str, copy: Path) -> None:
    (copy / "config.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert refused(copy).key == "model_config_broken"


def test_a_configuration_with_impossible_values(copy: Path) -> None:
    rewrite(copy, hidden_size="wide")
    assert refused(copy).key == "model_config_broken"


def test_code_of_its_own_is_never_run(copy: Path) -> None:
    (copy / "evil.py").write_text(f"open({str(copy / 'ran')!r}, 'w').close()")
    auto_map = {"AutoConfig": "evil.C", "AutoModelForCausalLM": "evil.M", "AutoTokenizer": ["evil.T", None]}
    rewrite(copy, auto_map=auto_map)
    assert load_model(copy).info.heads == 4  # transformers' own code serves
    rewrite(copy, model_type="unheard-of")
    assert refused(copy).key == "model_needs_own_code"
    assert not (copy / "ran").exists()


def test_a_kernel_that_a_file_asks_for_is_not_fetched(copy: Path) -> None:
    rewrite(copy, attn_implementation="somebody/kernel")
    assert load_model(copy).module.config._attn_implementation == "sdpa"


def test_pickles_are_refused(copy: Path) -> None:
    (copy / "model.safetensors").unlink()
    assert refused(copy).key == "model_weights_missing"
    (copy / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'echo'\ntR.")
    error = refused(copy)
    assert error.key == "model_weights_pickle"
    assert "save_pretrained" in str(error)


@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_truncated_weights(keep: int, copy: Path) -> None:
    data = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(data[:keep])
    error = refused(copy)
    assert error.key == "model_weights_broken"
    assert error.values == {"file": str(copy / "model.safetensors")}


@pytest.mark.parametrize("index", ["{", "{}", '{"weight_map": {"a": "../other/model.safetensors"}}', "[]"])
def test_a_broken_index(index: str, copy: Path) -> None:
    (copy / "model.safetensors").unlink()
    (copy / "model.safetensors.index.json").write_text(index)
    assert refused(copy).key == "model_weights_broken"


def test_shapes_that_differ_are_not_ignored(copy: Path) -> None:
    rewrite(copy, intermediate_size=128)
    assert refused(copy).key == "model_shapes_differ"


def test_missing_weights_are_not_made_up(copy: Path) -> None:
    rewrite(copy, num_hidden_layers=3)
    error = refused(copy)
    assert error.key == "model_weights_incomplete"
    assert str(error.values["first"]).startswith("model.layers.2.")


def test_a_missing_head_does_not_matter(tmp_path: Path) -> None:
    save(tmp_path, folders.bert(), "wordpiece")
    rewrite(tmp_path, architectures=["BertForMaskedLM"])
    assert load_model(tmp_path).info.layers == {("encoder", "self"): 2}


@pytest.mark.parametrize("make", [folders.llama, folders.bert, folders.t5])
def test_no_tokenizer(make: Callable[[], Any], tmp_path: Path) -> None:
    assert refused(save(tmp_path, make(), None)).key == "model_no_tokenizer"


def test_a_broken_tokenizer(copy: Path) -> None:
    (copy / "tokenizer.json").write_text("{")
    assert refused(copy).key == "model_no_tokenizer"


def test_no_attention(tmp_path: Path) -> None:
    error = refused(save(tmp_path, folders.mamba()))
    assert error.key == "no_attention"
    assert "Mamba" in str(error)


def test_a_model_for_pictures(tmp_path: Path) -> None:
    assert refused(save(tmp_path, folders.vit())).key == "model_reads_pictures"


def test_too_little_memory(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.pretrained.shelf.free_memory", lambda: 1000)
    error = refused(copy)
    assert error.key == "model_no_memory"
    assert error.values["free"] == 0


# Hub


@pytest.fixture
def hub_files(monkeypatch: pytest.MonkeyPatch, llama_folder: Path) -> dict[str, Any]:
    """A hub with one model, whose files are those of a folder; nothing goes over the network."""
    sizes = {file.name: file.stat().st_size for file in llama_folder.iterdir()}
    state: dict[str, Any] = {"sizes": sizes, "fetched": [], "error": None}

    def model_info(*_: object, **__: object) -> Any:
        if state["error"] is not None:
            raise state["error"]
        files = [SimpleNamespace(rfilename=name, size=size) for name, size in state["sizes"].items()]
        return SimpleNamespace(siblings=files, sha="abc")

    def download(_: str, file: str, **__: object) -> str:
        state["fetched"].append(file)
        return str(llama_folder / file)

    def before(*_: object, **__: object) -> str:
        raise LocalEntryNotFoundError("nothing here")

    monkeypatch.setattr(hub.HfApi, "model_info", model_info)
    monkeypatch.setattr(hub, "hf_hub_download", download)
    monkeypatch.setattr(hub, "snapshot_download", before)
    return state


def test_a_hub_model_is_loaded_from_the_files_it_needs(hub_files: dict[str, Any]) -> None:
    hub_files["sizes"] |= {"pytorch_model.bin": 10**9, "onnx/model.onnx": 10**9, "flax_model.msgpack": 10**9}
    told: list[Any] = []
    model = load_model("somebody/tiny", told.append)
    assert (model.info.name, model.info.heads) == ("tiny", 4)
    assert "model.safetensors" in hub_files["fetched"]
    assert not [name for name in hub_files["fetched"] if name.endswith((".bin", ".onnx", ".msgpack"))]
    assert told[-1].done == told[-1].total > 0


def test_a_hub_model_with_pickles_only_is_not_downloaded(hub_files: dict[str, Any]) -> None:
    hub_files["sizes"] = {"config.json": 5, "pytorch_model.bin": 10**9}
    assert refused("somebody/old").key == "model_weights_pickle"
    assert "pytorch_model.bin" not in hub_files["fetched"]


def test_a_hub_id_that_does_not_exist(hub_files: dict[str, Any]) -> None:
    response: Any = SimpleNamespace(headers={}, request=None, status_code=404, url="")
    hub_files["error"] = RepositoryNotFoundError("404", response=response)
    error = refused("nobody/nothing")
    assert error.key == "model_hub_unknown"
    assert error.values == {"name": "nobody/nothing", "ready": "minilm, smollm2, en-pt"}


def test_no_network(hub_files: dict[str, Any]) -> None:
    hub_files["error"] = ConnectionError("no route")
    assert refused("somebody/tiny").key == "model_hub_unreachable"


def test_offline_a_model_that_was_downloaded_before_is_used(
    hub_files: dict[str, Any], llama_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub_files["error"] = ConnectionError("no route")
    monkeypatch.setattr(hub, "snapshot_download", lambda *_, **__: str(llama_folder))
    assert load_model("somebody/tiny").info.heads == 4


def test_a_hub_model_that_does_not_fit_on_the_disk(hub_files: dict[str, Any]) -> None:
    hub_files["sizes"]["model.safetensors"] = 10**18
    assert refused("somebody/huge").key == "model_no_space"
    assert "model.safetensors" not in hub_files["fetched"]


@pytest.mark.parametrize(
    "index",
    [
        "{",
        "[]",
        "[" * 100_000,
        '{"weight_map": {"a": "../../x.safetensors"}}',
        '{"weight_map": {"a": "/etc/passwd"}}',
        '{"weight_map": {"a": 5}}',
    ],
)
def test_an_index_on_the_hub_names_files_of_its_repository(
    index: str, hub_files: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.json").write_text(index)
    hub_files["sizes"] = {"config.json": 5, hub.INDEX: 5}
    fetched: list[str] = []

    def download(_: str, file: str, **__: object) -> str:
        fetched.append(file)
        return str(tmp_path / "index.json")

    monkeypatch.setattr(hub, "hf_hub_download", download)
    assert refused("somebody/sharded").key == "model_weights_broken"
    assert fetched == [hub.INDEX]


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "{}", "null"])
@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "generation_config.json"])
def test_other_files_that_cannot_be_read_through(name: str, text: str, copy: Path) -> None:
    """A sentence, or the file is not needed; never anything else."""
    (copy / name).write_text(text)
    try:
        load_model(copy)
    except InputError as error:
        assert error.key in ("model_no_tokenizer", "model_cannot_load")  # noqa: PT017
