"""A drop-in for Presidio: ``from inkveil.presidio import AnalyzerEngine, AnonymizerEngine``.

The analyzer is Presidio's own, with inkveil as its recognizer in place of Presidio's, and without a
model of spaCy. Recognizers of your own, context words, lists and thresholds work as in Presidio.
The anonymizer is Presidio's own, and records each text in the ledger, if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal

import spacy
from presidio_analyzer import (
    AnalysisExplanation,
    EntityRecognizer,
    RecognizerResult,
)
from presidio_analyzer import AnalyzerEngine as _AnalyzerEngine
from presidio_analyzer import BatchAnalyzerEngine as _BatchAnalyzerEngine
from presidio_analyzer import RecognizerRegistry as _RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine, SpacyNlpEngine
from presidio_anonymizer import AnonymizerEngine as _AnonymizerEngine
from presidio_anonymizer import BatchAnonymizerEngine as _BatchAnonymizerEngine
from presidio_anonymizer.entities import EngineResult, OperatorConfig

from inkveil import _inkveil
from inkveil._detect import Detector, Span

__all__ = [
    "AnalyzerEngine",
    "AnonymizerEngine",
    "BatchAnalyzerEngine",
    "BatchAnonymizerEngine",
    "InkveilRecognizer",
    "OperatorConfig",
    "RecognizerRegistry",
    "RecognizerResult",
    "WordEngine",
]

_NAMES = dict(_inkveil.presidio_names())


def _name(kind: str) -> str:
    return _NAMES.get(kind, kind)


def _result(span: Span) -> RecognizerResult:
    explanation = AnalysisExplanation(
        recognizer=f"inkveil {span.source}",
        original_score=span.score,
        pattern_name=span.name,
        textual_explanation=span.why,
    )
    return RecognizerResult(_name(span.kind), span.start, span.end, span.score, explanation)


class InkveilRecognizer(EntityRecognizer):  # type: ignore[misc]
    """inkveil as a recognizer, for an ``AnalyzerEngine`` of Presidio itself."""

    def __init__(self, detector: Detector | None = None) -> None:
        self._detector = detector or Detector()
        super().__init__(
            supported_entities=sorted({_name(kind) for kind in self._detector.kinds}),
            name="InkveilRecognizer",
            supported_language="en",
        )

    def load(self) -> None:
        """Nothing is left to load."""

    def analyze(
        self,
        text: str,
        entities: Sequence[str] | None = None,
        nlp_artifacts: NlpArtifacts | None = None,
    ) -> list[RecognizerResult]:
        """Returns the findings of these entities."""
        found = [_result(span) for span in self._detector(text)]
        return [result for result in found if not entities or result.entity_type in entities]


class RecognizerRegistry(_RecognizerRegistry):  # type: ignore[misc]
    """Presidio's registry, in which inkveil is the predefined recognizer."""

    def __init__(
        self,
        recognizers: Iterable[EntityRecognizer] | None = None,
        *options: Any,
        detector: Detector | None = None,
        **named: Any,
    ) -> None:
        super().__init__(list(recognizers or ()), *options, **named)
        self._detector = detector

    def load_predefined_recognizers(self, *_: Any, **__: Any) -> None:
        """Adds inkveil, which is in no country's list and has one language."""
        if not any(isinstance(one, InkveilRecognizer) for one in self.recognizers):
            self.add_recognizer(InkveilRecognizer(self._detector))


class WordEngine(SpacyNlpEngine):  # type: ignore[misc]
    """Splits texts into words, for context words. It has no model, and finds no names."""

    def __init__(self) -> None:
        super().__init__()
        self.nlp: dict[str, Any] = {"en": spacy.blank("en")}

    def load(self) -> None:
        """Nothing is left to load."""

    def _doc_to_nlp_artifact(self, doc: Any, language: str) -> NlpArtifacts:
        for token in doc:
            token.lemma_ = token.lower_
        return super()._doc_to_nlp_artifact(doc, language)


class AnalyzerEngine(_AnalyzerEngine):  # type: ignore[misc]
    """Presidio's analyzer, which finds what inkveil finds and what recognizers of your own find.

    A registry of Presidio itself keeps its recognizers, and gets inkveil as one more.
    """

    def __init__(
        self,
        registry: _RecognizerRegistry | None = None,
        nlp_engine: NlpEngine | None = None,
        *options: Any,
        detector: Detector | None = None,
        **named: Any,
    ) -> None:
        known = RecognizerRegistry(detector=detector) if registry is None else registry
        super().__init__(known, nlp_engine or WordEngine(), *options, **named)
        if not any(isinstance(one, InkveilRecognizer) for one in self.registry.recognizers):
            self.registry.add_recognizer(InkveilRecognizer(detector))


class AnonymizerEngine(_AnonymizerEngine):  # type: ignore[misc]
    """Presidio's anonymizer. Each text is charged, as every text that detection alone protects."""

    def __init__(
        self,
        *,
        ledger: str | PathLike[str] | Literal[False] | None = None,
        dataset: str | None = None,
        subject: str | None = None,
    ) -> None:
        super().__init__()
        self._account = (ledger, dataset, subject)

    def anonymize(
        self,
        text: str,
        analyzer_results: list[Any],
        operators: dict[str, OperatorConfig] | None = None,
        *options: Any,
        **named: Any,
    ) -> EngineResult:
        """Replaces findings in a text."""
        result = super().anonymize(text, analyzer_results, operators, *options, **named)
        _inkveil.charge_masked(*self._account)
        return result


class BatchAnalyzerEngine(_BatchAnalyzerEngine):  # type: ignore[misc]
    """Presidio's analyzer of lists and dictionaries, with inkveil's analyzer by default."""

    def __init__(self, analyzer_engine: _AnalyzerEngine | None = None) -> None:
        super().__init__(AnalyzerEngine() if analyzer_engine is None else analyzer_engine)


class BatchAnonymizerEngine(_BatchAnonymizerEngine):  # type: ignore[misc]
    """Presidio's anonymizer of lists and dictionaries. By default, each text is charged."""

    def __init__(self, anonymizer_engine: _AnonymizerEngine | None = None) -> None:
        super().__init__(AnonymizerEngine() if anonymizer_engine is None else anonymizer_engine)
