# Attention Microscope: `make` lists what there is to make.
#   make run PORT=8600            another port
#   make run ADDRESS=0.0.0.0      reachable from other machines
#   make run PYTHON=python3.12    another interpreter (3.11 or newer)
#   make run TORCH_INDEX=         PyTorch from pip's own index only

PORT ?= 8501
ADDRESS ?= 127.0.0.1
PYTHON ?= python3
VENV ?= .venv
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
PYTEST_FLAGS ?=

BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# $(call install,FILE): a requirements file, with PyTorch's CPU build where its index can be reached
install = $(BIN)/python -m pip install --quiet $$($(BIN)/python scripts/torch_index.py "$(TORCH_INDEX)") -r $(1)

# A server for other machines is reached under names that are not known here.
hosts = $(if $(filter 127.% localhost ::1,$(ADDRESS)),,--server.allowedHosts '*')

.DEFAULT_GOAL := help
.PHONY: help run models test lint format bench screenshots clean distclean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 22

run: $(VENV)/.run ## install what is needed and start the app
	@echo "Attention Microscope: http://$(ADDRESS):$(PORT) (Ctrl-C stops it)"
	@exec $(BIN)/python -m streamlit run app/server.py --server.address $(ADDRESS) --server.port $(PORT) $(hosts)

models: $(VENV)/.run ## fetch the ready models ahead (ATTENTION_HOME says where to), for a classroom or an image
	$(BIN)/python -m models.pretrained

# The browser tests run by themselves: their event loop would disturb the other tests of one process.
test: lint models ## lint, then unit, property, page and browser tests
	@scripts/browser_packages.sh
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not browser" $(PYTEST_FLAGS)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m browser $(PYTEST_FLAGS)

lint: $(VENV)/.dev ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## measure: speed, payloads, click-to-painted, memory
	@scripts/browser_packages.sh
	$(BIN)/python -m benchmarks

screenshots: $(VENV)/.dev models ## pictures of every page into build/shots
	@scripts/browser_packages.sh
	$(BIN)/python -m scripts.screenshots

clean: ## remove caches and everything that was built
	rm -rf build test-results .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -exec rm -rf {} +

distclean: clean ## and the virtual environment
	rm -rf $(VENV)

# Stamps: a requirements file is installed again only when it has changed.
$(VENV)/.run: requirements.txt | $(BIN)/python
	@echo "installing requirements.txt into $(VENV) (some minutes the first time)"
	@$(call install,requirements.txt)
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	@echo "installing requirements-dev.txt into $(VENV)"
	@$(call install,requirements-dev.txt)
	@touch $@

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) not found: install Python 3.11 or newer, or set PYTHON"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) -V): set PYTHON"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	    rm -rf $(VENV); echo "No virtual environment (Debian, Ubuntu: apt-get install python3-venv)"; exit 1; }
