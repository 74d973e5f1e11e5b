"""Jobs on several machines.

The driver plans the job, charges the ledger once, and gives its workers a ticket. The noise of a
row follows from the key, the job and the id of the row, so a task that is repeated writes the same
bytes. A limit stops the job before it starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from inkveil import _inkveil
from inkveil._receipt import Receipt

if TYPE_CHECKING:
    from inkveil._veil import Veil

#: The veils that this process has opened for jobs. A worker that lives for many jobs keeps the last
#: ones: that which plans a job, and that which veils it.
_OPEN: dict[object, _inkveil.TextVeil] = {}
_KEPT = 2

#: What gets the receipt of a whole job, before the job starts.
OnReceipt = Callable[[Receipt], object] | None


class Task:
    """A part of a job on a worker: it plans or veils Arrow tables. It can be pickled."""

    def __init__(
        self,
        settings: dict[str, Any],
        ticket: bytes | None,
        columns: list[str],
        id: str,
        task_column: str | None,
    ) -> None:
        # The worker charges nothing: the driver has done so.
        self._settings = {**settings, "ledger": False, "key": None, "seed": None}
        self._ticket = ticket
        self._columns = columns
        self._id = id
        self._task_column = task_column

    def _veil(self) -> _inkveil.TextVeil:
        name = (repr(self._settings), self._ticket)
        veil = _OPEN.get(name)
        if veil is None:
            for oldest in list(_OPEN)[: len(_OPEN) - _KEPT + 1]:
                _OPEN.pop(oldest, None)
            veil = _inkveil.TextVeil(**self._settings, ticket=self._ticket, copied=True)
            _OPEN[name] = veil
        return veil

    def plan(self, data: object) -> str:
        """Returns what a table would cost."""
        return self._veil().plan(data, self._columns, self._id, self._task_column, None)

    def veil(self, data: object) -> Any:
        """Veils a table of Arrow."""
        return self._veil().arrow(data, self._columns, self._id, self._task_column, False, None)[0]

    def __call__(self, batch: Any) -> Any:
        """Veils a ``pyarrow.Table`` or ``pyarrow.RecordBatch``."""
        import pyarrow as pa

        veiled = pa.table(self.veil(batch))
        if isinstance(batch, pa.RecordBatch):
            batches = veiled.combine_chunks().to_batches()
            return batches[0] if batches else batch.slice(0, 0)
        return veiled

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Veils record batches, for ``mapInArrow``."""
        for batch in batches:
            yield self(batch)

    def plans(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Plans record batches, for ``mapInArrow``."""
        import pyarrow as pa

        for batch in batches:
            yield pa.RecordBatch.from_arrays([pa.array([self.plan(batch)])], names=["plan"])


class Job:
    """A job that the driver prepares."""

    def __init__(self, veil: Veil, columns: list[str], id: str, task_column: str | None) -> None:
        self._veil = veil
        self.columns = columns
        self._parts = (columns, id, task_column)
        #: What the whole job costs. None if nothing was planned.
        self.receipt: Receipt | None = None

    def start(self, plan: Callable[[Task], Iterable[str]], *, on_receipt: OnReceipt = None) -> Task:
        """Charges the job and returns the task of its workers.

        ``plan`` gets a task, plans all tables with it, and returns the plans. It is called only if
        a ledger is charged or if ``on_receipt`` wants the receipt.
        """
        settings, core = self._veil._settings, self._veil._core
        planned = core.is_charged or on_receipt is not None
        plans = list(plan(Task(settings, None, *self._parts))) if planned else []
        ticket = core.charge_job(plans)
        if planned:
            self.receipt = Receipt.from_json(core.receipt(plans))
            if on_receipt is not None:
                on_receipt(self.receipt)
        return Task(settings, ticket, *self._parts)
