"""The veil over words."""

from __future__ import annotations

import asyncio
import operator
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from inkveil import _document, _frames, _inkveil
from inkveil._detect import listed_kinds
from inkveil._document import Document, VeiledDocument
from inkveil._errors import DataError, without_lines
from inkveil._inputs import ids_of, names_of, texts_of, unicode, unicode_settings, unique
from inkveil._map import Map
from inkveil._progress import Progress, Stopped, callback
from inkveil._receipt import Receipt
from inkveil._results import Batch, Change, Veiled

if TYPE_CHECKING:
    from inkveil._job import Job

Data = TypeVar("Data")

#: The column that ``receipts`` adds.
RECEIPT_COLUMN = "inkveil_receipt"

Preset = Literal[
    "prompt",
    "corpus",
    "placeholders",
    "strict",
    "paper-1",
    "paper-2",
    "paper-3",
    "paper-4",
    "paper-5",
]


@dataclass(frozen=True)
class VeiledTable(Generic[Data]):
    """A veiled table and its receipt."""

    data: Data
    receipt: Receipt


class Veil:
    """A veil over words: what is sensitive is replaced, and the words that the task needs are kept.

    >>> import inkveil
    >>> veil = inkveil.Veil(task="What helps against a sore knee?", ledger=False)
    >>> veiled = veil("I am Ana Lima from Porto. My knee hurts since Monday.")
    >>> "Ana Lima" in veiled.text
    False

    The arguments are the settings of ``[text]`` in a settings file, and of ``inkveil text``.

    task: what the text is for, or a list of that.
    preset: ``prompt`` (the default), ``corpus``, ``placeholders``, ``strict``, ``paper-1`` to
        ``paper-5``.
    epsilon, budgets, uniform, target_survival: budgets instead of a preset.
    certify: whether receipts state the true worst case of noised words, which takes tens of
        seconds. For the mechanisms ``exponential``, ``tem`` and ``randomized-response``.
    tier: the effort of detection: ``rules``, ``fast`` or ``accurate``.
    language: the language of all texts: ``en``, ``de``, ``fr``, ``es``, ``it``, ``pt`` or ``nl``.
        By default it is found for each passage. ``detect`` has all other settings of detection.
    restorable: keeps replacements, so that ``.map`` and ``.restore`` work.
    ledger: the file of a ledger. The ledger of the environment (``INKVEIL_LEDGER``) by default;
        False records nothing, for texts that stay on this machine.
    dataset, subject: the names in the ledger.
    key: a noise key of :func:`inkveil.new_key`. The same key and the same ids give the same bytes.
    insecure_seed: a fixed seed, for tests. It protects nothing, and receipts say so.

    Each call takes the next record of the noise key, so the same text gets fresh noise each time.
    Ids fix the record, and a number is the record itself. So give ids to all texts of a veil or to
    none: the first text without an id and the text with the id 0 would get the same noise. Two
    texts must not have the same id.

    A veil can be used from several threads. A forked process draws noise of its own. A pickled veil
    has its settings only, and opens its own models. With a ``key``, copies in other processes need
    ids.
    """

    def __init__(
        self,
        task: str | Sequence[str] | None = None,
        preset: Preset | None = None,
        *,
        epsilon: float | None = None,
        budgets: Sequence[float] | None = None,
        uniform: float | None = None,
        target_survival: float | None = None,
        mechanism: str | None = None,
        calibration: str | None = None,
        decoding: str | None = None,
        certify: bool = False,
        at_zero: str | None = None,
        shape: str | None = None,
        consistent: str | None = None,
        link: str | None = None,
        identifiers: str | None = None,
        punctuation: str | None = None,
        casing: str | None = None,
        lexicon: str | None = None,
        grouping: str | None = None,
        relevance: Mapping[str, float] | None = None,
        tier: str | None = None,
        language: str | None = None,
        detect: Mapping[str, Any] | None = None,
        pack: str | None = None,
        model: str | None = None,
        restorable: bool = False,
        ledger: str | PathLike[str] | Literal[False] | None = None,
        dataset: str | None = None,
        subject: str | None = None,
        key: bytes | None = None,
        insecure_seed: int | None = None,
    ) -> None:
        tasks = [task] if isinstance(task, str) else None if task is None else list(task)
        text: dict[str, Any] = {
            "tasks": tasks,
            "preset": preset,
            "epsilon": epsilon,
            "budgets": None if budgets is None else list(budgets),
            "uniform": uniform,
            "target_survival": target_survival,
            "mechanism": mechanism,
            "calibration": calibration,
            "decoding": decoding,
            "certify": True if certify else None,
            "at_zero": at_zero,
            "shape": shape,
            "consistent": consistent,
            "link": link,
            "identifiers": identifiers,
            "punctuation": punctuation,
            "casing": casing,
            "lexicon": lexicon,
            "grouping": grouping,
            "relevance": None if relevance is None else dict(relevance),
            "pack": pack,
            "model": model,
        }
        found = listed_kinds(detect or {})
        if tier is not None:
            found["tier"] = tier
        if language is not None:
            found["language"] = language
        unicode_settings([text, found])
        self._settings: dict[str, Any] = {
            "text": {name: value for name, value in text.items() if value is not None},
            "detect": found,
            "restorable": restorable,
            "key": key,
            "seed": insecure_seed,
            "ledger": ledger,
            "dataset": unicode(dataset, "dataset"),
            "subject": unicode(subject, "subject"),
        }
        self._open(copied=False)

    def _open(self, *, copied: bool) -> None:
        # A veil that was pickled and opened again takes the same records of the same key.
        self._core = without_lines(
            lambda: _inkveil.TextVeil(**self._settings, ticket=None, copied=copied)
        )

    @property
    def is_charged(self) -> bool:
        """Whether a ledger records the releases of this veil."""
        return self._core.is_charged

    @property
    def is_restorable(self) -> bool:
        """Whether this veil keeps replacements."""
        return bool(self._settings["restorable"])

    def __call__(
        self, text: str, *, id: int | str | None = None, task: str | None = None
    ) -> Veiled:
        """Veils a text."""
        return self.batch(
            [text], ids=None if id is None else [id], tasks=None if task is None else [task]
        )[0]

    def batch(
        self,
        texts: Iterable[str],
        *,
        ids: Iterable[int | str] | None = None,
        tasks: Iterable[str] | None = None,
        progress: Progress = None,
    ) -> Batch:
        """Veils texts on all cores. They are charged together.

        A text with an id gets the same replacements in every order and on every machine that has
        the same key.
        """
        listed, known = texts_of(texts), ids_of(ids)
        if known is not None:
            if len(known) != len(listed):
                raise DataError("there must be one id for each text")
            unique(known, listed, operator.eq)
        released = self._core.release(
            listed,
            known,
            None if tasks is None else texts_of(tasks),
            callback(progress),
        )
        return Batch(released, self.is_restorable)

    def document(
        self, document: Document, *, name: str | None = None, task: str | None = None
    ) -> VeiledDocument:
        """Veils a document: the path of a file, or bytes with a name that says the format.

        The whole document is one text, so a person has one identity in all of it. What hides text
        is removed and listed: comments, tracked changes, properties, attachments.

        >>> import inkveil
        >>> veil = inkveil.Veil(preset="placeholders", ledger=False)
        >>> page = b"<p>I am <b>Ana Lima</b>.</p><!-- draft -->"
        >>> veiled = veil.document(page, name="letter.html")
        >>> veiled.content
        b'<p>I am <b>[person 1]</b>.</p>'
        >>> veiled.removed
        {'comments': 1}
        """
        name, content = _document.read(document, name)
        released = self._core.document(name, content, unicode(task, "the task"))
        content, media_type, extension, text, (receipt, rendered), removed, places, pairs = released
        return VeiledDocument(
            content,
            media_type,
            extension,
            text,
            Receipt.from_json(receipt),
            dict(removed),
            tuple(Change(*place) for place in places),
            rendered,
            Map(pairs) if self.is_restorable else None,
        )

    async def aveil(
        self, text: str, *, id: int | str | None = None, task: str | None = None
    ) -> Veiled:
        """Veils a text without blocking the event loop."""
        return await asyncio.to_thread(self, text, id=id, task=task)

    async def abatch(
        self,
        texts: Iterable[str],
        *,
        ids: Iterable[int | str] | None = None,
        tasks: Iterable[str] | None = None,
        progress: Progress = None,
    ) -> Batch:
        """Veils texts without blocking the event loop. See :meth:`batch`.

        If the awaiting task is cancelled, for example by Ctrl-C, the work stops.
        """
        told, stopped = callback(progress), threading.Event()

        def move(done: int) -> None:
            if stopped.is_set():
                raise Stopped
            if told is not None:
                told(done)

        try:
            return await asyncio.to_thread(self.batch, texts, ids=ids, tasks=tasks, progress=move)
        finally:
            stopped.set()

    def table(
        self,
        data: Data,
        column: str | Sequence[str],
        *,
        id: str | None = None,
        task_column: str | None = None,
        receipts: bool = False,
        progress: Progress = None,
    ) -> VeiledTable[Data]:
        """Veils columns of a table, and returns a table of the same library with its receipt.

        The table is anything with the Arrow PyCapsule interface: pyarrow, pandas, Polars, DuckDB.
        All other columns are copied. ``receipts`` adds a column ``inkveil_receipt``.
        Errors name columns and rows, and quote no value.
        """
        columns = _columns(column)
        added = [RECEIPT_COLUMN] if receipts else []
        veiled, tally = self._core.arrow(
            _frames.arrow_of(data, [*columns, id, task_column, *added]),
            columns,
            id,
            task_column,
            receipts,
            callback(progress),
        )
        receipt = Receipt.from_json(self._core.receipt([tally]))
        return VeiledTable(_frames.like(data, veiled, [*columns, *added]), receipt)

    def arrow(
        self,
        data: Data,
        column: str | Sequence[str],
        *,
        id: str | None = None,
        task_column: str | None = None,
        receipts: bool = False,
        progress: Progress = None,
    ) -> Data:
        """Veils columns of a table, as :meth:`table` does, and returns the table alone.

        A stream (``pyarrow.RecordBatchReader``) stays a stream: each batch is veiled and charged
        when it is read. What fails then, such as a limit, is raised by the library that reads.
        """
        if _frames.is_stream(data):
            columns = _columns(column)
            veiled = self._core.arrow_stream(data, columns, id, task_column, receipts)
            return _frames.like(data, veiled, columns)
        return self.table(
            data, column, id=id, task_column=task_column, receipts=receipts, progress=progress
        ).data

    def job(self, column: str | Sequence[str], *, id: str, task_column: str | None = None) -> Job:
        """Prepares a job on several machines; see the modules for Spark, Ray and Daft."""
        from inkveil._job import Job

        return Job(self, _columns(column), id, task_column)

    def __getstate__(self) -> dict[str, Any]:
        return self._settings

    def __setstate__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._open(copied=True)

    def __repr__(self) -> str:
        preset = self._settings["text"].get("preset", "prompt")
        return f"Veil(preset={preset!r})"


def _columns(column: str | Sequence[str]) -> list[str]:
    return names_of(column, "names of columns")
