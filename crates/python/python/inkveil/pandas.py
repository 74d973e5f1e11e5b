"""pandas: ``inkveil.pandas.veil(df, veil, "body")``."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from inkveil._veil import Veil


def veil(
    frame: pd.DataFrame,
    veil: Veil,
    column: str | Sequence[str],
    *,
    id: str | None = None,
    task_column: str | None = None,
) -> pd.DataFrame:
    """Veils columns of a frame. The index and the types of columns stay."""
    return veil.arrow(frame, column, id=id, task_column=task_column)
