"""Interfaces of other libraries, against the libraries themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import TEXT

import inkveil


def test_presidio(ledger: inkveil.Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    analyzer_module = pytest.importorskip("presidio_analyzer")
    pytest.importorskip("presidio_anonymizer")
    from inkveil.presidio import (
        AnalyzerEngine,
        AnonymizerEngine,
        BatchAnalyzerEngine,
        BatchAnonymizerEngine,
        InkveilRecognizer,
        OperatorConfig,
    )

    analyzer = AnalyzerEngine()
    found = analyzer.analyze(TEXT, language="en")
    by_text = {TEXT[one.start : one.end]: one.entity_type for one in found}
    assert by_text["Ana Lima"] == "PERSON" and by_text["ana@example.org"] == "EMAIL_ADDRESS"
    assert all(one.analysis_explanation is None for one in found)
    explained = analyzer.analyze(TEXT, "en", return_decision_process=True)
    assert explained[0].analysis_explanation.recognizer.startswith("inkveil")
    only = analyzer.analyze(TEXT, "en", entities=["EMAIL_ADDRESS"])
    assert [one.entity_type for one in only] == ["EMAIL_ADDRESS"]
    assert (
        analyzer.analyze(TEXT, "en", entities=["EMAIL_ADDRESS"], allow_list=["ana@example.org"])
        == []
    )
    assert analyzer.analyze(TEXT, "en", score_threshold=1.1) == []
    for wrong in ({"language": "xx"}, {"language": "en", "entities": ["NOT_THERE"]}):
        with pytest.raises(ValueError, match="No matching recognizers"):
            analyzer.analyze(TEXT, **wrong)
    pattern = analyzer_module.Pattern("knee", "knee", 0.8)
    own = analyzer_module.PatternRecognizer("BODY", patterns=[pattern])
    with_own = analyzer.analyze(TEXT, "en", ad_hoc_recognizers=[own], entities=["BODY"])
    assert [TEXT[one.start : one.end] for one in with_own] == ["knee"]
    analyzer.registry.add_recognizer(own)
    assert "BODY" in analyzer.get_supported_entities()
    assert InkveilRecognizer().analyze(TEXT, ["PERSON"])[0].entity_type == "PERSON"

    anonymizer = AnonymizerEngine(ledger=ledger, dataset="letters")
    result = anonymizer.anonymize(
        TEXT, found, {"PERSON": OperatorConfig("replace", {"new_value": "X"})}
    )
    assert result.text.startswith("I am X from <LOCATION>.")
    assert len(ledger.releases(dataset="letters")) == 1
    # Without an engine of their own, these use inkveil's, and charge the environment's ledger.
    monkeypatch.setenv("INKVEIL_LEDGER", str(ledger.path))
    lists = list(BatchAnalyzerEngine().analyze_iterator([TEXT], language="en"))
    assert lists[0][0].entity_type == "PERSON"
    assert "Ana" not in BatchAnonymizerEngine().anonymize_list([TEXT], lists)[0]
    assert len(ledger.releases()) == 2
    ledger.limit(dataset="letters", epsilon=5.0)
    with pytest.raises(inkveil.LimitError):
        anonymizer.anonymize(TEXT, found)


def test_langchain() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda

    from inkveil.langchain import VeilDocuments, around, runnable

    veil = inkveil.Veil(restorable=True, ledger=False)
    documents = [Document(page_content=TEXT, metadata={"id": 7})]
    veiled = VeilDocuments(veil, id_key="id").transform_documents(documents)
    assert "Ana Lima" not in veiled[0].page_content and veiled[0].metadata == {"id": 7}
    assert veiled == VeilDocuments(veil, id_key="id").transform_documents(documents)
    assert "Ana Lima" not in runnable(veil).invoke(TEXT)
    seen = []

    def model(prompt: str) -> str:
        seen.append(prompt)
        return prompt.upper()

    assert "ANA LIMA" in around(RunnableLambda(model), veil).invoke("Who is Ana Lima?")
    assert "Ana Lima" not in seen[0]


def test_langchain_prompts_and_messages() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableLambda

    from inkveil.langchain import around, runnable

    veil = inkveil.Veil(restorable=True, ledger=False)
    prompt = ChatPromptTemplate.from_messages([("system", "Be brief."), ("human", "{question}")])
    seen = []

    def model(messages: list[Any]) -> AIMessage:
        seen.extend(messages)
        return AIMessage([{"type": "text", "text": f"Again: {messages[-1].content}"}])

    answer = (prompt | around(RunnableLambda(model), veil)).invoke({"question": TEXT})
    assert answer == f"Again: {TEXT}"
    assert [type(one) for one in seen] == [SystemMessage, HumanMessage]
    assert "Ana Lima" not in str(seen)
    veiled = runnable(veil).invoke([HumanMessage(TEXT, name="Ana Lima")])
    assert "Ana Lima" not in str(veiled)
    call = {"name": "find", "args": {"who": "Ana Lima"}, "id": "1"}
    for wrong in (
        [HumanMessage([{"type": "text", "text": TEXT}])],
        [AIMessage("", tool_calls=[call])],
        [ToolMessage(TEXT, tool_call_id="1")],
        [TEXT],
        {"question": TEXT},
    ):
        with pytest.raises(inkveil.DataError) as caught:
            runnable(veil).invoke(wrong)
        assert "Ana" not in str(caught.value)
    # The model would be asked before anybody finds out.
    with pytest.raises(inkveil.SettingsError, match="restorable"):
        around(RunnableLambda(model), inkveil.Veil(preset="placeholders", ledger=False))


def test_llama_index() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import NodeWithScore, TextNode

    from inkveil.llama_index import VeilNodes

    nodes = [NodeWithScore(node=TextNode(text=TEXT, id_="n1", metadata={"a": 1}), score=0.5)]
    veiled = VeilNodes(inkveil.Veil(ledger=False)).postprocess_nodes(nodes)
    assert "Ana Lima" not in veiled[0].node.get_content() and veiled[0].score == 0.5
    assert veiled[0].node.metadata == {"a": 1} and veiled[0].node.node_id == "n1"


def test_a_language_model_sees_no_metadata_of_llama_index() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

    from inkveil.llama_index import VeilNodes

    metadata = {"author": "Ana Lima", "path": "/home/ana", "page": "7"}
    node = TextNode(
        text=TEXT, metadata=metadata, excluded_llm_metadata_keys=["path"], embedding=[1.0]
    )
    veil = inkveil.Veil(ledger=False)
    for shown, pages in (([], 0), (["page", "path"], 1)):
        one = VeilNodes(veil, shown=shown).postprocess_nodes([NodeWithScore(node=node)])[0].node
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            content = one.get_content(mode)
            assert "Ana Lima" not in content and content.count("page: 7") == pages
        assert "/home/ana" not in one.get_content(MetadataMode.LLM)
        assert one.metadata == metadata and one.embedding is None


def test_spacy() -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("inkveil", config={"entities": True})
    doc = nlp(TEXT)
    first = doc.spans["inkveil"][0]
    assert (first.text, first.label_) == ("Ana Lima", "person")
    assert "ana@example.org" in [span.text for span in doc.ents]
    # One token for spaCy, two findings for inkveil.
    doc = nlp("Write to ana@example.org/ben@example.org today.")
    assert len(doc.spans["inkveil"]) == 2 and len(doc.ents) == 1


def test_sklearn() -> None:
    pytest.importorskip("sklearn")
    pd = pytest.importorskip("pandas")
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    from inkveil.sklearn import TextVeiler, VectorVeiler

    dense = FunctionTransformer(lambda rows: rows.toarray())
    pipeline = make_pipeline(
        TextVeiler(inkveil.Veil(ledger=False)),
        HashingVectorizer(n_features=8),
        dense,
        VectorVeiler(50.0),
    )
    assert pipeline.fit_transform([TEXT, "Nothing here."]).shape == (2, 8)
    with pytest.raises(inkveil.DataError, match="is a table"):
        TextVeiler(inkveil.Veil(ledger=False)).fit_transform(pd.DataFrame({"body": [TEXT]}))
    for one in (TextVeiler(), VectorVeiler()):
        with pytest.raises(NotFittedError):
            one.transform([TEXT])
    assert clone(VectorVeiler(3.0)).epsilon == 3.0
    assert VectorVeiler().fit_transform(np.ones((2, 3))).shape == (2, 3)


def test_datasets() -> None:
    datasets = pytest.importorskip("datasets")
    veil = inkveil.Veil(insecure_seed=1, ledger=False)
    rows = datasets.Dataset.from_dict({"id": [1, 2], "text": [TEXT, "Ask Ben Cole."]})
    veiled = rows.map(
        lambda part: {"text": veil.batch(part["text"], ids=part["id"]).texts}, batched=True
    )
    assert veiled["text"][:] == veil.batch(rows["text"][:], ids=[1, 2]).texts
