"""LangChain: documents and prompts are veiled, and answers are restored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableLambda

from inkveil._errors import DataError, SettingsError
from inkveil._results import Batch
from inkveil._veil import Veil

_MESSAGES = (HumanMessage, SystemMessage, AIMessage)


class VeilDocuments(BaseDocumentTransformer):  # type: ignore[misc]
    """Veils the text of documents. Their metadata is kept and not veiled.

    ``id_key`` names a value of the metadata that identifies a document: it then gets the same
    replacements each time. It must be another one for each part of a document that was split.
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


def runnable(veil: Veil) -> Runnable[Any, Any]:
    """Returns a step that veils a prompt: ``prompt | runnable(veil) | model``.

    A text becomes a text. The prompt of a template and a list of messages become messages.
    """
    return RunnableLambda(lambda prompt: _veiled(veil, prompt)[0])


def around(model: Runnable[Any, Any], veil: Veil) -> Runnable[Any, str]:
    """Returns a step that veils a prompt, asks the model, and restores its answer.

    The veil must be restorable. A prompt is what :func:`runnable` takes.
    """
    if not veil.is_restorable:
        raise SettingsError("answers are restored only by a veil with restorable=True")
    answers = model | StrOutputParser()

    def ask(prompt: Any) -> str:
        veiled, batch = _veiled(veil, prompt)
        return batch.map.restore(answers.invoke(veiled))

    return RunnableLambda(ask)


def _veiled(veil: Veil, prompt: Any) -> tuple[Any, Batch]:
    """A prompt as the model may see it. What is not known to be text alone is refused."""
    if isinstance(prompt, str):
        batch = veil.batch([prompt])
        return batch.texts[0], batch
    messages: Any = prompt.to_messages() if isinstance(prompt, PromptValue) else prompt
    if not isinstance(messages, (list, tuple)):
        raise DataError(f"a prompt is a text or messages, not of type {type(prompt).__name__}")
    for at, one in enumerate(messages):
        if type(one) not in _MESSAGES or not isinstance(one.content, str):
            raise DataError(
                f"message {at} ({type(one).__name__}) is no text of a user, system or model"
            )
        if getattr(one, "tool_calls", None):
            raise DataError(f"message {at} calls tools; their arguments would not be veiled")
    batch = veil.batch([one.content for one in messages])
    # Names and other values of a message are not veiled, so they are left out.
    pairs = zip(messages, batch.texts, strict=True)
    return [type(one)(content=text) for one, text in pairs], batch
