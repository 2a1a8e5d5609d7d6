"""Executing chapters: which must run again, in which processes, and what became of them.

The way of a chapter through this room, module by module:

- `project` and `chapters` find it; `environment` is what its processes start from.
- `keys` compares what it was run with last time with what is there now. If nothing has changed,
  the executed notebook of last time is taken.
- `places` sends it to a process here, or `cluster` to a worker of a Dask scheduler, where
  `on_worker` receives it. There `execute` runs it by papermill, between the two cells of `records`
  that note what it depends on; `tethered` ends papermill and its kernel with whoever started them.
  Of many chapters the kernels are forked by the server of `warm_kernels`.
- `store` keeps the executed notebook, and `results` and `paper_runs` what it found and how long it
  took; `references` makes of it what the tests compare, and `comparisons` says what differs.
- `collecting` takes over what other machines made of the paper profile, if it is of one commit.

`runs` has the whole of it in one function, `run(project, request)`. `locks` lets one process at a
time do it, `processes` sees to it that no kernel outlives its run, and `files` that no file is ever
seen half written.
"""
