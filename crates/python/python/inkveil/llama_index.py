"""LlamaIndex: nodes are veiled before a language model sees them."""

from __future__ import annotations

from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from inkveil._veil import Veil


class VeilNodes(BaseNodePostprocessor):  # type: ignore[misc]
    """Veils the text of nodes. A node gets the same replacements each time, by its id and text."""

    _veil: Veil = PrivateAttr()

    def __init__(self, veil: Veil, **options: Any) -> None:
        super().__init__(**options)
        self._veil = veil

    @classmethod
    def class_name(cls) -> str:
        """The name of the class in stored settings."""
        return "VeilNodes"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        veiled = self._veil.batch(
            [one.node.get_content() for one in nodes], ids=[one.node.node_id for one in nodes]
        ).texts
        return [
            NodeWithScore(
                node=TextNode(text=text, id_=one.node.node_id, metadata=one.node.metadata),
                score=one.score,
            )
            for one, text in zip(nodes, veiled, strict=True)
        ]
