# Every target is a one-liner of `python -m repcost_book`; the Makefile only adds the environment.
# An environment that exists already is used instead with `make book PYTHON=python`.
# Which Python makes the environment is chosen with `make book PYTHON3=/path/to/python`.
PYTHON3 ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
EXTRAS := torch,book,test

# The environment is made again when the pins or the requirements (all before the tools' settings) change in content:
# a touched file changes nothing.
KEY := $(shell (cat requirements.lock; sed '/^\[tool.pytest/,$$d' pyproject.toml) | cksum | cut -d' ' -f1)
ifdef PYTHON
READY :=
READY_LAB :=
else
PYTHON := $(BIN)/python
READY := $(VENV)/.ready-$(KEY)
READY_LAB := $(VENV)/.lab-$(KEY)
endif
RUN := $(PYTHON) -m repcost_book

.DEFAULT_GOAL := help
.PHONY: help setup book paper chapter new test fuzz floors elsewhere doubt lab serve bench references pdf map lock wheel downloads release clean

help:           ## this list
	@awk -F'## ' '/^[a-z]+:.*## /{split($$1, name, ":"); printf "  make %-12s %s\n", name[1], $$2}' Makefile

setup: $(READY) ## make .venv with everything the other targets need

book: $(READY)  ## run every chapter (quick profile), build the pages, print the one to open
	$(RUN) book

paper: $(READY) ## the same at the papers' own sizes (hours; a GPU helps)
	$(RUN) book --profile paper

chapter: $(READY) ## run one chapter: make chapter NAME=savarese-2019/cost
	$(RUN) run $(NAME)

new: $(READY)   ## begin a chapter: make new NAME=savarese-2019/widths
	$(RUN) new $(NAME)

test: $(READY)  ## lint, types, spelling, unit tests, references; of one chapter: make test NAME=savarese-2019/cost
	$(RUN) test $(if $(NAME),--chapter $(NAME))

fuzz: $(READY)  ## attack the library with hostile inputs: make fuzz ARGS="--minutes 60 --only function_cost"
	$(RUN) fuzz $(ARGS)

floors: $(READY) ## test at the oldest versions that pyproject.toml allows, in an environment of its own
	$(RUN) floors $(ARGS)

elsewhere: $(READY) ## run chapters with other seeds, BLAS kernels, threads: make elsewhere ARGS="--seeds 0-7"
	$(RUN) elsewhere $(ARGS)

doubt: $(READY) ## put faults into chapters and see which their checks notice: make doubt ARGS="savarese-2019/cost"
	$(RUN) doubt $(ARGS)

lab: $(READY_LAB) ## JupyterLab on the chapters
	$(RUN) lab

serve: $(READY) ## build, then serve the pages on this machine
	$(RUN) serve

bench: $(READY) ## benchmarks: ours against theirs, as ratios
	$(RUN) bench

references: $(READY) ## make the reference notebooks of tests/reference again
	$(RUN) references

pdf: $(READY)   ## build, then the whole book as one PDF (needs Chromium)
	$(RUN) pdf

map: $(READY)   ## lay the map of statements out again (needs Graphviz)
	$(RUN) map

lock: $(READY)  ## resolve requirements.lock again (keeps pins that still fit)
	$(RUN) lock

wheel: $(READY) ## build the wheel that the workers of a cluster install (docs/CLUSTER.md)
	$(RUN) wheel

downloads: $(READY) ## run three downloaded notebooks by the command they print, in empty environments
	$(RUN) downloads $(ARGS)

release: $(READY) ## make wheel and sdist in dist/, install them alone; uploads nothing
	$(RUN) release $(ARGS)

clean:          ## remove what was built (.venv stays; remove it by hand)
	rm -rf _build

# Two at once wait for each other; what can go wrong is said there.
$(VENV)/.ready-$(KEY):
	@$(PYTHON3) tools/setup.py $(VENV) $@ $(EXTRAS)

$(VENV)/.lab-$(KEY): $(VENV)/.ready-$(KEY)
	@$(PYTHON3) tools/setup.py $(VENV) $@ $(EXTRAS),lab --add
