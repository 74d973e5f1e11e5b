"""A drop-in for Presidio: ``from inkveil.presidio import AnalyzerEngine, AnonymizerEngine``.

The analyzer finds what inkveil finds, under Presidio's names. Recognizers of your own keep working.
The anonymizer is Presidio's own, and records each text in the ledger, if there is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal

from presidio_analyzer import AnalysisExplanation, EntityRecognizer, RecognizerResult
from presidio_anonymizer import AnonymizerEngine as _AnonymizerEngine
from presidio_anonymizer import BatchAnonymizerEngine
from presidio_anonymizer.entities import EngineResult, OperatorConfig

from inkveil import _inkveil
from inkveil._detect import Detector, Span

__all__ = [
    "AnalyzerEngine",
    "AnonymizerEngine",
    "BatchAnonymizerEngine",
    "InkveilRecognizer",
    "OperatorConfig",
    "RecognizerRegistry",
    "RecognizerResult",
]

_NAMES = dict(_inkveil.presidio_names())
_NO_RECOGNIZERS = "No matching recognizers were found to serve the request."


def _name(kind: str) -> str:
    return _NAMES.get(kind, kind)


def _result(span: Span, explain: bool) -> RecognizerResult:
    explanation = None
    if explain:
        explanation = AnalysisExplanation(
            recognizer=f"inkveil {span.source}",
            original_score=span.score,
            pattern_name=span.name,
            textual_explanation=span.why,
        )
    metadata = {
        RecognizerResult.RECOGNIZER_NAME_KEY: f"inkveil {span.source}",
        RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: f"inkveil {span.name}",
    }
    return RecognizerResult(
        _name(span.kind), span.start, span.end, span.score, explanation, metadata
    )


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
        self, text: str, entities: Sequence[str] | None = None, nlp_artifacts: object = None
    ) -> list[RecognizerResult]:
        """Returns the findings of these entities."""
        found = [_result(span, True) for span in self._detector(text)]
        return [result for result in found if not entities or result.entity_type in entities]


class RecognizerRegistry:
    """The recognizers of your own."""

    def __init__(self, recognizers: Sequence[EntityRecognizer] = ()) -> None:
        self.recognizers: list[EntityRecognizer] = list(recognizers)

    def add_recognizer(self, recognizer: EntityRecognizer) -> None:
        """Adds a recognizer."""
        self.recognizers.append(recognizer)

    def remove_recognizer(self, name: str) -> None:
        """Removes recognizers of this name."""
        self.recognizers = [one for one in self.recognizers if one.name != name]


class AnalyzerEngine:
    """Finds what is sensitive, with the interface of ``presidio_analyzer.AnalyzerEngine``."""

    def __init__(
        self,
        registry: RecognizerRegistry | None = None,
        *,
        detector: Detector | None = None,
        default_score_threshold: float = 0.0,
        **_: Any,
    ) -> None:
        self.registry = registry or RecognizerRegistry()
        self.default_score_threshold = default_score_threshold
        self._detector = detector or Detector()

    def analyze(
        self,
        text: str,
        language: str = "en",
        entities: Sequence[str] | None = None,
        correlation_id: str | None = None,
        score_threshold: float | None = None,
        return_decision_process: bool | None = False,
        ad_hoc_recognizers: Sequence[EntityRecognizer] | None = None,
        context: Sequence[str] | None = None,
        allow_list: Sequence[str] | None = None,
        allow_list_match: str | None = "exact",
        regex_flags: int | None = re.DOTALL | re.MULTILINE | re.IGNORECASE,
        nlp_artifacts: object = None,
    ) -> list[RecognizerResult]:
        """Returns the findings in a text. Only English has a tagger."""
        if language != "en":
            raise ValueError(_NO_RECOGNIZERS)
        own = [*self.registry.recognizers, *(ad_hoc_recognizers or ())]
        supported = set(self.get_supported_entities()) | {
            e for o in own for e in o.supported_entities
        }
        if entities and not supported.intersection(entities):
            raise ValueError(_NO_RECOGNIZERS)
        found = [_result(span, bool(return_decision_process)) for span in self._detector(text)]
        for recognizer in own:
            found.extend(
                recognizer.analyze(text, list(entities or recognizer.supported_entities), None)
                or ()
            )
        least = self.default_score_threshold if score_threshold is None else score_threshold
        allowed = _allowed(allow_list, allow_list_match, regex_flags)
        kept = [
            result
            for result in found
            if (not entities or result.entity_type in entities)
            and result.score >= least
            and not allowed(text[result.start : result.end])
        ]
        unique: list[RecognizerResult] = EntityRecognizer.remove_duplicates(kept)
        if not return_decision_process:
            for result in unique:
                result.analysis_explanation = None
        return sorted(unique, key=lambda result: (result.start, result.end))

    def get_supported_entities(self, language: str | None = None) -> list[str]:
        """Returns the names of everything that can be found."""
        own = {entity for one in self.registry.recognizers for entity in one.supported_entities}
        return sorted({_name(kind) for kind in self._detector.kinds} | own)

    def get_recognizers(self, language: str | None = None) -> list[EntityRecognizer]:
        """Returns the recognizers."""
        return [InkveilRecognizer(self._detector), *self.registry.recognizers]


def _allowed(words: Sequence[str] | None, match: str | None, flags: int | None) -> Any:
    if not words:
        return lambda value: False
    if match == "exact":
        return set(words).__contains__
    if match == "regex":
        pattern = re.compile("|".join(words), flags or 0)
        return lambda value: pattern.search(value) is not None
    raise ValueError("allow_list_match must either be set to 'exact' or 'regex'.")


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
        analyzer_results: list[RecognizerResult],
        operators: dict[str, OperatorConfig] | None = None,
        **options: Any,
    ) -> EngineResult:
        """Replaces findings in a text."""
        result = super().anonymize(text, analyzer_results, operators, **options)
        _inkveil.charge_masked(*self._account)
        return result
