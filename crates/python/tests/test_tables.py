from __future__ import annotations

import numpy as np
import pytest
from conftest import TEXT

import inkveil

pa = pytest.importorskip("pyarrow")


@pytest.fixture()
def table() -> pa.Table:
    return pa.table(
        {
            "id": [11, 12, 13],
            "body": [TEXT, None, "Ask Ben Cole."],
            "note": pa.array(["Call Eva Novak.", "x", "x"]).dictionary_encode(),
        }
    )


@pytest.fixture()
def veil() -> inkveil.Veil:
    return inkveil.Veil(insecure_seed=5, ledger=False)


def test_a_table_keeps_everything_but_its_texts(table: pa.Table, veil: inkveil.Veil) -> None:
    result = veil.table(table, ["body", "note"], id="id", receipts=True)
    veiled = result.data
    assert isinstance(veiled, pa.Table)
    assert veiled.column_names == [*table.column_names, "inkveil_receipt"]
    assert (
        veiled["id"] == table["id"]
        and veiled.schema.field("note").type == table.schema.field("note").type
    )
    assert "Ana" not in veiled["body"][0].as_py() and veiled["body"][1].as_py() is None
    assert "Eva" not in veiled["note"][0].as_py()
    assert inkveil.Receipt.from_json(veiled["inkveil_receipt"][2].as_py().split("\n")[0]).digest
    assert sum(group.count for group in result.receipt.groups) > 0
    with pytest.raises(inkveil.DataError, match="no column"):
        veil.arrow(table, "text")
    with pytest.raises(inkveil.DataError, match="does not hold texts"):
        veil.arrow(table, "id")
    with pytest.raises(inkveil.DataError, match="no Arrow interface"):
        veil.arrow([1], "id")


def test_streams_batches_and_slices_give_the_same_bytes(
    table: pa.Table, veil: inkveil.Veil
) -> None:
    whole = veil.arrow(table, "body", id="id")
    stream = veil.arrow(table.to_reader(max_chunksize=1), "body", id="id")
    assert isinstance(stream, pa.RecordBatchReader)
    assert stream.read_all()["body"].to_pylist() == whole["body"].to_pylist()
    last = veil.arrow(table.slice(2), "body", id="id")
    assert last["body"][0] == whole["body"][2]
    batch = veil.arrow(table.to_batches()[0], "body", id="id")
    assert (
        isinstance(batch, pa.RecordBatch) and batch["body"].to_pylist() == whole["body"].to_pylist()
    )
    assert veil.batch([TEXT], ids=[11]).texts[0] == whole["body"][0].as_py()
    shared = pa.table({"id": [1, 2, 1], "body": ["Ask Ana.", "Ask Ana.", "Ask Ben."]})
    with pytest.raises(inkveil.DataError, match="text 3 has the same id as text 1"):
        veil.arrow(shared, "body", id="id")


def test_frames_give_the_same_bytes(table: pa.Table, veil: inkveil.Veil) -> None:
    expected = veil.arrow(table, "body", id="id")["body"].to_pylist()
    pd = pytest.importorskip("pandas")
    import inkveil.pandas

    frame = table.to_pandas().set_index(pd.Index(["a", "b", "c"]))
    veiled = inkveil.pandas.veil(frame, veil, "body", id="id")
    assert list(veiled.index) == ["a", "b", "c"] and list(veiled.columns) == list(frame.columns)
    assert list(veiled.dtypes) == list(frame.dtypes)
    assert [None if pd.isna(text) else text for text in veiled["body"]] == expected

    pl = pytest.importorskip("polars")
    import inkveil.polars

    frame = pl.DataFrame(table)
    assert inkveil.polars.veil(frame, veil, "body", id="id")["body"].to_list() == expected
    lazy = inkveil.polars.veil(frame.lazy(), veil, "body", id="id")
    assert lazy.select("body").collect()["body"].to_list() == expected

    duckdb = pytest.importorskip("duckdb")
    import inkveil.duckdb

    connection = duckdb.connect()
    relation = connection.from_arrow(table)
    veiled = inkveil.duckdb.veil(relation, veil, "body", id="id", connection=connection)
    assert [row[0] for row in veiled.select("body").fetchall()] == expected
    inkveil.duckdb.register(connection, veil)
    rows = connection.sql("SELECT veil(body, id) FROM relation ORDER BY id").fetchall()
    assert [row[0] for row in rows] == expected


def test_a_frame_of_pandas_may_hold_anything(veil: inkveil.Veil) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "body": pd.Categorical([TEXT, None, "Ask Ben Cole."]),
            "mixed": [1, "one", object()],
            7: [1, 2, 3],
        },
        index=[5, 5, 6],
    )
    veiled = inkveil.pandas.veil(frame, veil, "body")
    assert "Ana" not in veiled["body"].iloc[0] and pd.isna(veiled["body"].iloc[1])
    assert "Ben" not in veiled["body"].iloc[2]
    assert frame["body"].iloc[0] == TEXT
    assert veiled[["mixed", 7]].equals(frame[["mixed", 7]]) and list(veiled.index) == [5, 5, 6]
    with pytest.raises(inkveil.DataError, match="'mixed' holds values of several types") as caught:
        veil.arrow(frame.assign(mixed=[1, TEXT, 2]), "mixed")
    error: BaseException | None = caught.value
    while error is not None:
        assert TEXT not in repr(error)
        error = error.__context__
    with pytest.raises(inkveil.DataError, match="no column"):
        veil.arrow(frame, "text")
    with pytest.raises(inkveil.DataError, match="same name"):
        veil.arrow(pd.concat([frame, frame], axis=1), "body")
    with pytest.raises(inkveil.DataError, match="inkveil_receipt"):
        veil.arrow(frame.assign(inkveil_receipt="x"), "body", receipts=True)


def test_columns_are_lists_of_texts(table: pa.Table, veil: inkveil.Veil) -> None:
    expected = veil.arrow(table.slice(2), "body", id="id")["body"].to_pylist()
    part = table.slice(2)
    assert veil.batch(part["body"], ids=part["id"]).texts == expected
    assert veil.batch(np.array(["Ask Ben Cole."]), ids=np.array([13])).texts == expected
    for name in ("pandas", "polars"):
        library = pytest.importorskip(name)
        assert veil.batch(library.Series(["Ask Ben Cole."]), ids=[13]).texts == expected
        with pytest.raises(inkveil.DataError, match="is a table"):
            veil.batch(library.DataFrame({"body": ["x"]}))


def test_vectors() -> None:
    rows = np.random.default_rng(1).normal(size=(50, 8)).astype(np.float32)
    veil = inkveil.VectorVeil(50.0, insecure_seed=1, ledger=False)
    ids = [f"row {i}" for i in range(50)]
    one = veil.veil(rows, ids=ids)
    assert one.vectors.shape == rows.shape and not np.allclose(one.vectors, rows)
    assert one.receipt.total_epsilon == pytest.approx(50 * 50.0)
    assert np.array_equal(veil.apply(rows[::-1], ids=ids[::-1])[::-1], one.vectors)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), 8)
    assert np.array_equal(veil.apply(lists, ids=ids), one.vectors)
    assert np.array_equal(veil.apply(rows.astype(np.float64), ids=ids), one.vectors)
    for name in ("pandas", "polars"):
        frame = pytest.importorskip(name).DataFrame(rows)
        assert np.array_equal(veil.apply(frame, ids=ids), one.vectors)
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(rows)
    assert np.array_equal(veil.apply(tensor, ids=ids), one.vectors)
    with pytest.raises(inkveil.DataError, match="detached"):
        veil.apply(tensor.requires_grad_())


def test_wrong_vectors_are_refused() -> None:
    veil = inkveil.VectorVeil(50.0, ledger=False)
    with pytest.raises(inkveil.DataError):
        veil.apply(np.ones(3, np.float32))
    with pytest.raises(inkveil.InkveilError):
        veil.apply(np.full((1, 3), np.nan, np.float32))
    with pytest.raises(inkveil.DataError, match="2 vectors and 1 ids"):
        veil.apply(np.ones((2, 3), np.float32), ids=[1])
    with pytest.raises(inkveil.SettingsError, match="at least 0"):
        inkveil.VectorVeil(-1.0)
    # Four numbers make two rows of two, but these rows have one and three.
    for lists in (pa.array([[1.0], [2.0, 3.0, 4.0]]), pa.array([[1.0, 2.0], None]), pa.array([])):
        with pytest.raises(inkveil.DataError):
            veil.apply(lists)
    with pytest.raises(inkveil.DataError):
        veil.apply(pa.table({"a": [[1.0, 2.0]]}))
    for wrong in ({"floor": 0.5}, {"axes": 5}, {"noise": "erased"}, {"noise": "loud"}):
        with pytest.raises(inkveil.SettingsError):
            inkveil.VectorVeil(1.0, ledger=False, **wrong).apply(np.ones((1, 3)))


def test_a_mask_is_learnt_and_used(tmp_path: object) -> None:
    file = f"{tmp_path}/email.mask"
    texts = [f"Order {i} is late, write to name{i % 6}@example.org about it." for i in range(60)]
    vectors = inkveil.encode(texts[:2])
    for method in ["erase", "mask", "both"]:
        veil = inkveil.VectorVeil.fit(
            texts,
            file,
            epsilon=400.0,
            method=method,
            kinds=["email"],
            tier="rules",
            epochs=2,
            overwrite=True,
            ledger=False,
        )
        assert veil.apply(vectors).shape == vectors.shape
        # Without a choice, the mask says what happens: an eraser erases, gates get more noise.
        receipt = veil.veil(vectors).receipt.to_json()
        assert ("erased directions" in receipt) == (method != "mask")
    with pytest.raises(inkveil.SettingsError):
        inkveil.VectorVeil.fit(texts, file, epsilon=1.0, method="cut", kinds=["email"])
    with pytest.raises(inkveil.FileError):
        inkveil.VectorVeil.fit(texts, file, epsilon=1.0, kinds=["email"])
