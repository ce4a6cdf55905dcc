"""Where work runs: executors, the ledger of what is finished, progress, and clips drawn in parts.

    with Workers(count, scheduler) as workers, Ledger(path) as ledger:
        for done in work(items, function, ledger, workers):
            ...

`workers` is this process, a pool of processes, or a Dask cluster; the rows and bytes that result
are the same. A run that is stopped or killed goes on where it was; a second run does nothing.
"""
