"""LlamaIndex: nodes are veiled before a language model sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TextNode

from inkveil._inputs import names_of
from inkveil._veil import Veil


class VeilNodes(BaseNodePostprocessor):  # type: ignore[misc]
    """Veils the text of nodes. A node gets the same replacements each time, by its id.

    Metadata is not veiled. It stays in the nodes for your program, and neither a language model nor
    an encoder is shown it. ``shown`` names values that they may see, if they hold nothing private.
    """

    _veil: Veil = PrivateAttr()
    _shown: list[str] = PrivateAttr()

    def __init__(self, veil: Veil, *, shown: str | Sequence[str] = (), **options: Any) -> None:
        super().__init__(**options)
        self._veil = veil
        self._shown = names_of(shown, "names of metadata")

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
            NodeWithScore(node=self._node(one.node, text), score=one.score)
            for one, text in zip(nodes, veiled, strict=True)
        ]

    def _node(self, node: BaseNode, text: str) -> TextNode:
        """A node with a veiled text. It has no vector, which would show the original."""
        hidden = [name for name in node.metadata if name not in self._shown]
        return TextNode(
            text=text,
            id_=node.node_id,
            metadata=node.metadata,
            excluded_llm_metadata_keys=sorted({*hidden, *node.excluded_llm_metadata_keys}),
            excluded_embed_metadata_keys=sorted({*hidden, *node.excluded_embed_metadata_keys}),
        )
