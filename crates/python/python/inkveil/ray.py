"""Ray Data: ``inkveil.ray.veil(dataset, veil, "body", id="id")``. Workers need this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import ray.data

from inkveil._job import OnReceipt, Task
from inkveil._veil import Veil


def veil(
    dataset: ray.data.Dataset,
    veil: Veil,
    column: str | Sequence[str],
    *,
    id: str,
    task_column: str | None = None,
    on_receipt: OnReceipt = None,
    **options: Any,
) -> ray.data.Dataset:
    """Veils columns of a dataset on the workers (``map_batches``, which gets the options).

    If a ledger is charged, the job is planned first, which reads the dataset once, and charged
    once. A limit stops it before it starts. A task that is repeated writes the same bytes.
    ``on_receipt`` is a function that gets the receipt of the whole job before it starts; the job is
    then planned without a ledger, too.
    """
    job = veil.job(column, id=id, task_column=task_column)

    def plan(task: Task) -> list[str]:
        def one(batch: pa.Table) -> pa.Table:
            return pa.table({"plan": [task.plan(batch)]})

        plans = dataset.map_batches(one, batch_format="pyarrow", **options).take_all()
        return [row["plan"] for row in plans]

    # An object with __call__ would be taken for an actor.
    task = job.start(plan, on_receipt=on_receipt)

    def change(batch: pa.Table) -> pa.Table:
        return task(batch)

    return dataset.map_batches(change, batch_format="pyarrow", **options)
