"""Settings of all tests."""

import os
from collections.abc import Iterator

# One thread per test process: two processes share two cores, and small products are faster without a thread pool.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.pop("ATTENTION_OWN_MODELS", None)  # what it says here is no test's business

import pytest
from hypothesis import settings

# No deadline: a busy machine is not a bug. In CI the same examples each time, so that a red run can be repeated.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))


@pytest.fixture(autouse=True)
def _rough() -> Iterator[None]:
    """With TESTS_ROUGH=1 products are rounded as on another machine (see `tests.rough`)."""
    if os.environ.get("TESTS_ROUGH") != "1":
        yield
        return
    from tests.rough import Rough

    with Rough():
        yield
