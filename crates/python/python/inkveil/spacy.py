"""spaCy: ``nlp.add_pipe("inkveil")`` puts findings into ``doc.spans["inkveil"]``."""

from __future__ import annotations

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import filter_spans

from inkveil._detect import Detector


class Finder:
    """A component that finds what is sensitive."""

    def __init__(self, detector: Detector, entities: bool) -> None:
        self._detector = detector
        self._entities = entities

    def __call__(self, doc: Doc) -> Doc:
        """Adds the findings to a document."""
        spans = [
            doc.char_span(span.start, span.end, label=span.kind, alignment_mode="expand")
            for span in self._detector(doc.text)
        ]
        found = [span for span in spans if span is not None]
        doc.spans["inkveil"] = found
        if self._entities:
            # Two findings may share a token, and an entity may not.
            doc.set_ents(filter_spans(found), default="outside")
        return doc


@Language.factory(  # type: ignore[untyped-decorator]
    "inkveil", default_config={"tier": "accurate", "entities": False}
)
def make(nlp: Language, name: str, tier: str, entities: bool) -> Any:
    """Makes the component. ``entities`` also writes the findings to ``doc.ents``."""
    return Finder(Detector(tier=tier), entities)
