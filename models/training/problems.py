"""What can go wrong with tasks, training and saved models: one table of sentences, which the locale files repeat."""

from __future__ import annotations

from models.errors import InputError

SENTENCES = {
    "task_unknown": "“{name}” is no task. One of {tasks} was expected. Choose one of these.",
    "task_empty": "There is nothing in the text yet. Expected: {allowed}. Type some, or take the example {example}.",
    "task_symbol": (
        "“{symbol}” is not among what this task knows. Expected: {allowed}. Take “{symbol}” out of the text."
    ),
    "task_too_long": "The text has {count:,} symbols, at most {limit} were expected. Shorten it.",
    "task_length": "A length from {low} to {high} was expected, received {received}. Choose one in this range.",
    "task_brackets": (
        "The bracket at place {place} has no partner. Expected: every bracket closed by one of its kind, such as "
        "{example}. Add the missing one, or take this one out."
    ),
    "task_number": "“{text}” is no number from 0 to {largest:,}. Write it in digits, without signs or spaces.",
    "task_words": "“{text}” is not among the words of this task. Expected: words such as “{example}”. Replace it.",
    "task_config": (
        "{name}: {expected} was expected for the task {task}, received {received}. Choose sizes that fit the task."
    ),
    "training_no_memory": (
        "Training a model of {parameters:,} numbers needs about {needed:,} MB of memory, {free:,} MB are free. "
        "Choose smaller sizes (d_model, layers or length), or stop other trainings."
    ),
    "training_diverged": (
        "Training ran away: at step {step:,} the loss was {loss}, where guessing gives {chance}. The learning rate "
        "{rate} is too large for it. Start again with a smaller one, such as {advice}."
    ),
    "training_failed": (
        "Training ended at step {step:,}, because something went wrong that should not ({detail}). What was learned "
        "until then is kept. Start again, with smaller sizes if memory is short."
    ),
    "checkpoint_not_safetensors": (
        "The file cannot be read as a saved model: it is no safetensors file, or was cut short ({count:,} bytes). "
        "Choose a file that the training page saved, whole."
    ),
    "checkpoint_too_large": (
        "The file has {count:,} bytes, at most {limit:,} were expected. Choose a file that the training page saved."
    ),
    "checkpoint_no_config": (
        "The file has weights, but not the sizes of a model that they belong to ({detail}). Choose a file that the "
        "training page saved."
    ),
    "checkpoint_names": (
        "Weights and sizes in the file do not belong together: {expected} weights were expected, received "
        "{received}; the first that differs is {first}. Choose a file that the training page saved."
    ),
    "checkpoint_shape": (
        "The weight {name} has the shape {received}, expected was {expected}. The file does not fit the sizes it "
        "names. Choose a file that the training page saved."
    ),
    "checkpoint_not_finite": (
        "{count:,} numbers in the weight {name} are not finite, so the model would only give NaN. Choose another file."
    ),
}


def problem(key: str, **values: object) -> InputError:
    """The error of a key of `SENTENCES`, with the places of its sentence filled."""
    return InputError(key, SENTENCES[key].format(**values), **values)
