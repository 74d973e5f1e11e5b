"""scikit-learn: veils as steps of a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from inkveil._vectors import VectorVeil
from inkveil._veil import Veil


class TextVeiler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Veils texts."""

    def __init__(self, veil: Veil | None = None) -> None:
        self.veil = veil

    def fit(self, X: Any, y: Any = None) -> TextVeiler:
        """Opens the default veil if none was given."""
        self.veil_ = self.veil or Veil()
        return self

    def transform(self, X: Any) -> Any:
        """Returns veiled texts."""
        check_is_fitted(self)
        return np.array(self.veil_.batch(X).texts, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags


class VectorVeiler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Veils vectors, one in each row."""

    def __init__(self, epsilon: float = 400.0, veil: VectorVeil | None = None) -> None:
        self.epsilon = epsilon
        self.veil = veil

    def fit(self, X: Any, y: Any = None) -> VectorVeiler:
        """Opens a veil with ``epsilon`` if none was given."""
        self.veil_ = self.veil or VectorVeil(self.epsilon)
        return self

    def transform(self, X: Any) -> Any:
        """Returns veiled vectors."""
        check_is_fitted(self)
        return self.veil_.apply(X)
