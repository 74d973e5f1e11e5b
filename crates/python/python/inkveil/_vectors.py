"""The veil over vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from inkveil import _inkveil
from inkveil._errors import DataError, SettingsError
from inkveil._inputs import ids_of, names_of, numpy, rows_of, texts_of, unicode, unique
from inkveil._progress import Progress, callback
from inkveil._receipt import Receipt

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class VeiledVectors:
    """Veiled vectors, one in each row, and their receipt."""

    vectors: npt.NDArray[np.float32]
    receipt: Receipt


class VectorVeil:
    """A veil over vectors: what masks say is erased or gets more noise, or the same noise for all.

    >>> import inkveil, numpy as np
    >>> veil = inkveil.VectorVeil(400.0, ledger=False)
    >>> veil.apply(np.ones((2, 3), np.float32)).shape
    (2, 3)

    epsilon: the budget of each vector.
    masks: files of masks (:meth:`fit`).
    noise: what the masks say by default, and ``round`` without masks. ``erased``, ``masked``,
        ``round`` or ``turning`` choose it.
    floor: the least noise in any direction, from 0 to 1, for ``masked``.
    axes: how many principal axes are kept after erasure, for ``erased``. 0 keeps all.
    bound: the length to which longer vectors are cut. Vectors are scaled to length 1 by default.
    after: ``as-is``, ``unit`` or ``shrink``.
    The other arguments are those of :class:`inkveil.Veil`.
    """

    def __init__(
        self,
        epsilon: float,
        *,
        masks: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
        noise: Literal["erased", "masked", "round", "turning"] | None = None,
        floor: float | None = None,
        axes: int | None = None,
        bound: float | None = None,
        after: Literal["as-is", "unit", "shrink"] | None = None,
        ledger: str | PathLike[str] | Literal[False] | None = None,
        dataset: str | None = None,
        subject: str | None = None,
        key: bytes | None = None,
        insecure_seed: int | None = None,
    ) -> None:
        # The rest is checked when the length of the vectors is known.
        if not epsilon >= 0:
            raise SettingsError("epsilon is a number of at least 0")
        files = [masks] if isinstance(masks, (str, PathLike)) else list(masks)
        self._settings: dict[str, Any] = {
            "epsilon": epsilon,
            "noise": noise,
            "masks": files,
            "floor": floor,
            "axes": axes,
            "bound": bound,
            "after": after,
            "key": key,
            "seed": insecure_seed,
            "ledger": ledger,
            "dataset": unicode(dataset, "dataset"),
            "subject": unicode(subject, "subject"),
        }
        self._open(copied=False)

    def _open(self, *, copied: bool) -> None:
        # A veil that was pickled and opened again takes the same records of the same key.
        self._copied = copied
        self._cores: dict[int, _inkveil.VectorVeil] = {}

    @classmethod
    def fit(
        cls,
        texts: Iterable[str],
        output: str | PathLike[str],
        *,
        epsilon: float,
        method: str = "erase",
        kinds: Sequence[str] = (),
        words: Sequence[str] = (),
        patterns: Sequence[str] = (),
        name: str | None = None,
        tier: str = "fast",
        pack: str = "en",
        public: bool = False,
        epochs: int = 100,
        seed: int = 1,
        overwrite: bool = False,
        progress: Progress = None,
        **settings: Any,
    ) -> VectorVeil:
        """Fits the mask of a concept on texts, writes it to a file, and returns a veil with it.

        The concept is what ``kinds``, ``words`` and ``patterns`` find. ``method`` is ``"erase"``
        (the directions that tell its words apart are erased), ``"mask"`` (the dimensions that carry
        it get more noise) or ``"both"``. ``public`` declares that the texts are public; receipts
        say if they are not. ``progress`` gets percent.
        """
        _inkveil.fit_mask(
            texts_of(texts),
            output,
            method,
            names_of(kinds, "kinds"),
            names_of(words, "words"),
            names_of(patterns, "patterns"),
            name,
            tier,
            pack,
            public,
            epochs,
            seed,
            overwrite,
            callback(progress),
        )
        return cls(epsilon, masks=[output], **settings)

    def veil(
        self,
        vectors: object,
        *,
        ids: Iterable[int | str] | None = None,
        progress: Progress = None,
    ) -> VeiledVectors:
        """Veils vectors and returns them with their receipt. The input is not changed.

        The vectors are a 2-D array of numpy, torch or any library with DLPack, or an Arrow array of
        lists. A vector with an id gets the same noise in every order.
        """
        rows, known = rows_of(vectors), ids_of(ids)
        if known is not None and len(known) != len(rows):
            raise DataError(f"there are {len(rows)} vectors and {len(known)} ids")
        if known is not None:
            unique(known, rows, lambda one, other: bool((one == other).all()))
        dim = int(rows.shape[1])
        if dim not in self._cores:
            self._cores[dim] = _inkveil.VectorVeil(dim, **self._settings, copied=self._copied)
        receipt = self._cores[dim].apply(rows, known, callback(progress))
        return VeiledVectors(rows, Receipt.from_json(receipt))

    def apply(
        self,
        vectors: object,
        *,
        ids: Iterable[int | str] | None = None,
        progress: Progress = None,
    ) -> npt.NDArray[np.float32]:
        """Veils vectors, as :meth:`veil` does, and returns the array alone."""
        return self.veil(vectors, ids=ids, progress=progress).vectors

    def __getstate__(self) -> dict[str, Any]:
        return self._settings

    def __setstate__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._open(copied=True)

    def __repr__(self) -> str:
        return f"VectorVeil(epsilon={self._settings['epsilon']})"


def encode(
    texts: Iterable[str], *, pack: str = "en", progress: Progress = None
) -> npt.NDArray[np.float32]:
    """Returns the vectors of texts by the encoder of a pack. They are not veiled."""
    numpy()
    return _inkveil.encode(texts_of(texts), pack, callback(progress))
