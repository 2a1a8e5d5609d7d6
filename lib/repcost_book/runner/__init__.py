"""Executing chapters: which must run again, in which processes, and what became of them.

The way of a chapter through this room, module by module:

- `project` and `chapters` find it; `environment` is what its processes start from.
- `keys` compares what it was run with last time with what is there now. If nothing has changed,
  the executed notebook of last time is taken.
- `places` sends it to a process here or to a worker of a Dask scheduler. There `execute` runs it by
  papermill, between the two cells of `records` that note what it depends on.
- `store` keeps the executed notebook, and `results` and `paper_runs` what it found and how long it
  took; `references` makes of it the notebook that the tests compare.

`runs` has the whole of it in one function, `run(project, request)`. `locks` lets one process at a
time do it, `processes` sees to it that no kernel outlives its run, and `files` that no file is ever
seen half written.
"""
