from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from conftest import TEXT

import inkveil


def test_a_pickled_veil_has_settings_only_and_opens_its_own_models() -> None:
    veil = inkveil.Veil(preset="strict", insecure_seed=3, ledger=False)
    data = pickle.dumps(veil)
    assert len(data) < 1000
    first = veil("The green house by the river.").text
    assert pickle.loads(data)("The green house by the river.").text == first
    assert pickle.loads(pickle.dumps(inkveil.Detector(tier="rules")))(TEXT)
    assert pickle.loads(pickle.dumps(inkveil.VectorVeil(10.0))).apply([[1.0, 0.0]]).shape == (1, 2)
    with pytest.raises(TypeError, match="private"):
        pickle.dumps(veil(TEXT))
    with pytest.raises(TypeError, match="encrypts"):
        pickle.dumps(inkveil.Map.of_pairs([("a", "b", "c")]))


def _veil_in_child(veil: inkveil.Veil) -> str:
    return veil(TEXT, id=1).text


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(method: str, placeholders: inkveil.Veil) -> None:
    expected = placeholders(TEXT, id=1).text
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        assert pool.map_async(_veil_in_child, [placeholders] * 3).get(120) == [expected] * 3


def test_a_forked_process_uses_the_veil_of_its_parent(placeholders: inkveil.Veil) -> None:
    expected = placeholders(TEXT, id=1).text
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, placeholders(TEXT, id=1).text.encode())
        os._exit(0)
    assert os.read(read, 1000).decode() == expected
    os.waitpid(child, 0)


def _in_a_fork(work: Callable[[], str]) -> str:
    """Returns what work returns in a forked process, or the name of its exception."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = work()
        except BaseException as error:
            answer = type(error).__name__
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


NOISED = "The green house by the river has a small garden and an old well."


def test_a_forked_process_draws_its_own_noise_and_is_charged(ledger: inkveil.Ledger) -> None:
    veil = inkveil.Veil(preset="strict", ledger=ledger, dataset="letters")
    veil("A first text.")
    # Both would be the second text of the same key, and the second part of the same release.
    child = _in_a_fork(lambda: veil(NOISED).text)
    assert "Error" not in child and child != veil(NOISED).text
    assert len(ledger.releases()) == 3 and ledger.verify() == []

    vectors = inkveil.VectorVeil(50.0, ledger=ledger, dataset="vectors")
    vectors.apply([[1.0, 0.0]])
    child = _in_a_fork(lambda: str(vectors.apply([[0.0, 1.0]]).tolist()))
    assert "Error" not in child and child != str(vectors.apply([[0.0, 1.0]]).tolist())
    assert len(ledger.releases(dataset="vectors")) == 3


def test_copies_with_a_key_need_ids() -> None:
    veil = inkveil.Veil(preset="strict", key=inkveil.new_key(), ledger=False)
    copy = pickle.loads(pickle.dumps(veil))
    assert copy(NOISED, id=1).text == veil(NOISED, id=1).text
    for call in (
        lambda: copy(NOISED),
        lambda: copy.batch([NOISED]),
        lambda: copy.document(NOISED.encode(), name="a.md"),
    ):
        with pytest.raises(inkveil.SettingsError, match="ids"):
            call()
    assert _in_a_fork(lambda: veil(NOISED).text) == "SettingsError"
    assert _in_a_fork(lambda: veil(NOISED, id=1).text) == veil(NOISED, id=1).text
    assert veil(NOISED).text

    vectors = inkveil.VectorVeil(50.0, key=inkveil.new_key(), ledger=False)
    rows = [[1.0, 0.0]]
    copied = pickle.loads(pickle.dumps(vectors))
    assert (copied.apply(rows, ids=[1]) == vectors.apply(rows, ids=[1])).all()
    with pytest.raises(inkveil.SettingsError, match="ids"):
        copied.apply(rows)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_an_executor_of_processes(method: str) -> None:
    veil = inkveil.Veil(preset="placeholders", ledger=False)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(_veil_in_child, [veil] * 4))[3] == veil(TEXT).text


def test_threads_share_a_veil(placeholders: inkveil.Veil) -> None:
    expected = placeholders(TEXT, id=1).text
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda _: placeholders(TEXT, id=1).text, range(40)))
    assert set(texts) == {expected}


def test_other_threads_go_on(placeholders: inkveil.Veil) -> None:
    ticks, stop = [0], threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    placeholders.batch([TEXT] * 600)
    stop.set()
    thread.join()
    assert ticks[0] > 5


def test_ctrl_c_stops_long_work() -> None:
    program = """
        import inkveil, sys
        veil = inkveil.Veil(ledger=False)
        print("ready", flush=True)
        try:
            veil.batch(["I am Ana Lima from Porto. My knee hurts since Monday."] * 400_000)
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.0)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "stopped\n"
    assert time.monotonic() - started < 20


def test_ctrl_c_stops_asyncio() -> None:
    program = """
        import asyncio, inkveil
        veil = inkveil.Veil(ledger=False)
        texts = ["I am Ana Lima from Porto. My knee hurts since Monday."] * 400_000
        print("ready", flush=True)
        try:
            asyncio.run(veil.abatch(texts))
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.0)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=120)
    assert out == "stopped\n"
    assert time.monotonic() - started < 60


def test_no_references_leak(placeholders: inkveil.Veil) -> None:
    text = TEXT + " once"
    before = sys.getrefcount(text)
    for _ in range(50):
        placeholders.batch([text])
    assert sys.getrefcount(text) == before
