"""LangChain: documents and prompts are veiled, and answers are restored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import Runnable, RunnableLambda

from inkveil._veil import Veil


class VeilDocuments(BaseDocumentTransformer):  # type: ignore[misc]
    """Veils the text of documents. Their metadata is kept.

    ``id_key`` names a value of the metadata that identifies a document: it then gets the same
    replacements each time.
    """

    def __init__(self, veil: Veil, *, id_key: str | None = None) -> None:
        self.veil = veil
        self.id_key = id_key

    def transform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        """Returns veiled copies."""
        ids = None if self.id_key is None else [one.metadata[self.id_key] for one in documents]
        veiled = self.veil.batch([one.page_content for one in documents], ids=ids).texts
        return [
            one.model_copy(update={"page_content": text})
            for one, text in zip(documents, veiled, strict=True)
        ]


def runnable(veil: Veil) -> Runnable[str, str]:
    """Returns a step that veils a text: ``runnable(veil) | model``."""
    return RunnableLambda(lambda text: veil(text).text)


def around(model: Runnable[Any, Any], veil: Veil) -> Runnable[str, str]:
    """Returns a step that veils a prompt, asks the model, and restores its answer.

    The veil must be restorable.
    """

    def ask(prompt: str) -> str:
        veiled = veil(prompt)
        answer = model.invoke(veiled.text)
        return veiled.restore(str(getattr(answer, "content", answer)))

    return RunnableLambda(ask)
