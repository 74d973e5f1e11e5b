from os import PathLike
from typing import Any, Callable, Protocol

import numpy as np
import numpy.typing as npt

__version__: str

_Path = str | PathLike[str]
_Progress = Callable[[int], object] | None
_Place = tuple[int, int, str | None, str | None, str, float, int, int]
_Finding = tuple[int, int, str, float, str, str, str]

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Released:
    def __len__(self) -> int: ...
    def text(self, index: int) -> str: ...
    def texts(self) -> list[str]: ...
    def receipt(self, index: int | None) -> str: ...
    def rendered(self, index: int | None) -> str: ...
    def places(self, index: int) -> list[_Place]: ...
    def map(self, index: int | None) -> Map: ...

class TextVeil:
    def __new__(
        cls,
        text: dict[str, Any],
        detect: dict[str, Any],
        restorable: bool,
        key: bytes | None,
        seed: int | None,
        ledger: _Path | bool | None,
        dataset: str | None,
        subject: str | None,
        ticket: bytes | None,
        copied: bool,
    ) -> TextVeil: ...
    @property
    def is_charged(self) -> bool: ...
    def release(
        self,
        texts: list[str],
        ids: list[int | str] | None,
        tasks: list[str] | None,
        progress: _Progress,
    ) -> Released: ...
    def document(
        self, name: str, content: bytes, task: str | None
    ) -> tuple[bytes, str, str, str, tuple[str, str], list[tuple[str, int]], list[_Place], Map]: ...
    def arrow(
        self,
        data: object,
        columns: list[str],
        id: str | None,
        task: str | None,
        receipts: bool,
        progress: _Progress,
    ) -> tuple[_ArrowStream, str]: ...
    def arrow_stream(
        self, data: object, columns: list[str], id: str | None, task: str | None, receipts: bool
    ) -> _ArrowStream: ...
    def plan(
        self,
        data: object,
        columns: list[str],
        id: str | None,
        task: str | None,
        progress: _Progress,
    ) -> str: ...
    def receipt(self, tallies: list[str]) -> str: ...
    def charge_job(self, tallies: list[str]) -> bytes: ...

class Detector:
    def __new__(cls, pack: str, settings: dict[str, Any]) -> Detector: ...
    @property
    def kinds(self) -> list[str]: ...
    def detect(self, texts: list[str], progress: _Progress) -> list[list[_Finding]]: ...

class Map:
    @staticmethod
    def of_pairs(pairs: list[tuple[str, str, str]]) -> Map: ...
    @staticmethod
    def open(path: _Path, key_file: _Path | None, passphrase: str | None) -> Map: ...
    def save(
        self, path: _Path, key_file: _Path | None, passphrase: str | None, overwrite: bool
    ) -> None: ...
    def __len__(self) -> int: ...
    def pairs(self) -> list[tuple[str, str, str]]: ...
    def restore(self, text: str, parts: bool, json: bool) -> tuple[str, int, list[str]]: ...
    def restore_document(self, name: str, content: bytes, parts: bool) -> tuple[bytes, int]: ...

class Ledger:
    def __new__(cls, path: _Path) -> Ledger: ...
    def limit(
        self,
        subject: str | None,
        dataset: str | None,
        epsilon: float | None,
        counted: str,
        delta: float,
        within: float,
    ) -> None: ...
    def releases(self, subject: str | None, dataset: str | None) -> list[str]: ...
    def totals(
        self, subject: str | None, dataset: str | None
    ) -> list[tuple[str, str, float, float, int, float | None, float | None]]: ...
    def verify(self) -> list[str]: ...

class VectorVeil:
    def __new__(
        cls,
        dim: int,
        epsilon: float,
        noise: str | None,
        masks: list[_Path],
        floor: float | None,
        axes: int | None,
        bound: float | None,
        after: str | None,
        key: bytes | None,
        seed: int | None,
        ledger: _Path | bool | None,
        dataset: str | None,
        subject: str | None,
        copied: bool,
    ) -> VectorVeil: ...
    def apply(
        self, rows: npt.NDArray[np.float32], ids: list[int | str] | None, progress: _Progress
    ) -> str: ...

class StyleMemory:
    def __new__(cls, pack: str, memory: _Path | None, encoder: _Path | None) -> StyleMemory: ...
    def risk(
        self, texts: list[str], compare: list[str], habits: int, progress: _Progress
    ) -> list[str]: ...

def set_models_folder(folder: _Path) -> None: ...
def new_key() -> bytes: ...
def document_text(name: str, content: bytes) -> tuple[str, list[tuple[str, int]]]: ...
def run_command(words: list[str]) -> int: ...
def attack_text(
    originals: list[str],
    released: list[str],
    attackers: list[tuple[str, object]],
    rows: int,
    seed: int,
    model: str | None,
    pack: str,
    progress: _Progress,
) -> str: ...
def attack_style(
    originals: list[str],
    released: list[str],
    authors: list[str],
    seed: int,
    pack: str,
    progress: _Progress,
) -> str: ...
def attack_vectors(
    originals: npt.NDArray[np.float32],
    released: npt.NDArray[np.float32],
    texts: list[str],
    kinds: list[str],
    words: list[str],
    patterns: list[str],
    min_count: int,
    epochs: int | None,
    seed: int,
    progress: _Progress,
) -> str: ...
def presidio_names() -> list[tuple[str, str]]: ...
def charge_masked(
    ledger: _Path | bool | None, dataset: str | None, subject: str | None
) -> None: ...
def fit_mask(
    texts: list[str],
    output: _Path,
    method: str,
    kinds: list[str],
    words: list[str],
    patterns: list[str],
    name: str | None,
    tier: str,
    pack: str,
    public: bool,
    epochs: int,
    seed: int,
    overwrite: bool,
    progress: _Progress,
) -> tuple[int, int, float]: ...
def encode(texts: list[str], pack: str, progress: _Progress) -> npt.NDArray[np.float32]: ...
