"""Jobs on several machines: the same bytes, one charge, and limits that stop them."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import TEXT

import inkveil

pa = pytest.importorskip("pyarrow")

ROWS = [{"id": 100 + i, "body": f"{TEXT} Number {i}.", "other": i} for i in range(40)]


@pytest.fixture()
def driver(ledger: inkveil.Ledger) -> inkveil.Veil:
    return inkveil.Veil(preset="strict", insecure_seed=9, ledger=ledger, dataset="letters")


@pytest.fixture()
def expected() -> list[str]:
    veil = inkveil.Veil(preset="strict", insecure_seed=9, ledger=False)
    task = veil.job("body", id="id").start(lambda task: [])
    return task(pa.Table.from_pylist(ROWS))["body"].to_pylist()


def limited(ledger: inkveil.Ledger) -> None:
    ledger.limit(dataset="letters", epsilon=0.5)


def test_a_task_gives_the_same_bytes_wherever_it_runs(
    driver: inkveil.Veil, ledger: inkveil.Ledger, expected: list[str]
) -> None:
    table = pa.Table.from_pylist(ROWS)
    job = driver.job("body", id="id")
    task = job.start(lambda task: [task.plan(part) for part in table.to_batches(max_chunksize=7)])
    assert job.receipt is not None
    assert len(ledger.releases()) == 1
    for size in (40, 3):
        again = pickle.loads(pickle.dumps(task))
        parts = list(again.batches(table.to_batches(max_chunksize=size)))
        assert [text for part in parts for text in part["body"].to_pylist()] == expected
    assert len(ledger.releases()) == 1
    assert ledger.totals(dataset="letters")[0].epsilon == pytest.approx(job.receipt.total_epsilon)
    limited(ledger)
    with pytest.raises(inkveil.LimitError):
        driver.job("body", id="id").start(lambda task: [task.plan(table)])


def test_a_receipt_is_made_without_a_ledger_and_old_models_are_closed() -> None:
    from inkveil import _job

    table, receipts = pa.Table.from_pylist(ROWS[:3]), []
    for seed in (1, 2, 3):
        veil = inkveil.Veil(preset="strict", insecure_seed=seed, ledger=False)
        job = veil.job("body", id="id")
        task = job.start(lambda task: [task.plan(table)], on_receipt=receipts.append)
        task(table)
        assert len(_job._OPEN) <= 2
    assert len(receipts) == 3 and receipts[0].total_epsilon > 0
    assert receipts[0].digest == veil.table(table, "body", id="id").receipt.digest


def test_a_job_has_no_order() -> None:
    veil = inkveil.Veil(preset="corpus", restorable=True, ledger=False)
    with pytest.raises(inkveil.SettingsError, match="order"):
        veil.job("body", id="id").start(lambda task: [])


def test_spark(
    driver: inkveil.Veil, ledger: inkveil.Ledger, expected: list[str], tmp_path: Path
) -> None:
    sql = pytest.importorskip("pyspark.sql")
    if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
        pytest.skip("Spark needs Java")
    import inkveil.spark

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # Two failures are allowed: the task below is killed once.
    spark = (
        sql.SparkSession.builder.master("local[2,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    try:
        frame = spark.createDataFrame(ROWS).repartition(3)
        receipts: list[inkveil.Receipt] = []
        veiled = inkveil.spark.veil(frame, driver, "body", id="id", on_receipt=receipts.append)
        assert ledger.releases()[0]["receipt"] == receipts[0].digest
        with pytest.raises(inkveil.DataError, match="no column 'text'"):
            inkveil.spark.veil(frame, driver, "text", id="id")
        once = tmp_path / "killed"

        def kill_once(batches: Any) -> Any:
            for batch in batches:
                yield batch
                if not once.exists():
                    once.write_text("")
                    os._exit(1)

        rows = veiled.mapInArrow(kill_once, veiled.schema).orderBy("id").collect()
        assert once.exists()
        assert [row["body"] for row in rows] == expected
        assert [row["other"] for row in rows] == list(range(40))
        assert len(ledger.releases()) == 1
        limited(ledger)
        with pytest.raises(inkveil.LimitError):
            inkveil.spark.veil(frame, driver, "body", id="id")

        with pytest.raises(inkveil.SettingsError, match="ledger"):
            inkveil.spark.udf(driver)
        free = inkveil.Veil(preset="strict", insecure_seed=9, ledger=False)
        frame.createOrReplaceTempView("letters")
        spark.udf.register("veil", inkveil.spark.udf(free))
        rows = spark.sql("SELECT veil(body, id) AS body FROM letters ORDER BY id").collect()
        assert [row["body"] for row in rows] == expected
    finally:
        spark.stop()


def test_ray(driver: inkveil.Veil, ledger: inkveil.Ledger, expected: list[str]) -> None:
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    import inkveil.ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        dataset = ray.data.from_items(ROWS)
        receipts: list[inkveil.Receipt] = []
        veiled = inkveil.ray.veil(
            dataset, driver, "body", id="id", on_receipt=receipts.append, batch_size=16
        )
        assert ledger.releases()[0]["receipt"] == receipts[0].digest
        rows = sorted(veiled.take_all(), key=lambda row: row["id"])
        assert [row["body"] for row in rows] == expected
        assert len(ledger.releases()) == 1
        limited(ledger)
        with pytest.raises(inkveil.LimitError):
            inkveil.ray.veil(dataset, driver, "body", id="id")
    finally:
        ray.shutdown()


def test_daft(driver: inkveil.Veil, ledger: inkveil.Ledger) -> None:
    daft = pytest.importorskip("daft")
    import inkveil.daft

    frame = daft.from_pylist(ROWS)
    veiled = inkveil.daft.veil(frame, driver, "body", id="id").to_pydict()["body"]
    veil = inkveil.Veil(preset="strict", insecure_seed=9, ledger=False)
    task = veil.job("body", id="id").start(lambda task: [])
    assert veiled == task(pa.Table.from_pylist(ROWS))["body"].to_pylist()
    assert len(ledger.releases()) == 1
    limited(ledger)
    with pytest.raises(inkveil.LimitError):
        inkveil.daft.veil(frame, driver, "body", id="id")
