"""Measures llama.cpp on a GGUF file, for comparison with `cargo bench -p inkveil-nn --bench generate`.

usage: llama_cpp_speed.py MODEL.gguf [threads [prompt [tokens]]]

Needs the package llama-cpp-python, built on the measured machine, so that it uses all features of the processor.
Prints the time to read a prompt and to generate one continuation, and four of them in a batch, always with the
likeliest token. The prompt is read once and shared by all four.
"""

import ctypes
import sys
import time

import llama_cpp as lc
import numpy as np

path = sys.argv[1].encode()
threads, prompt, tokens = ([int(a) for a in sys.argv[2:]] + [2, 250, 130][len(sys.argv) - 2 :])[:3]

quiet = lc.llama_log_callback(lambda *_: None)
lc.llama_log_set(quiet, ctypes.c_void_p(0))
lc.llama_backend_init()
model = lc.llama_model_load_from_file(path, lc.llama_model_default_params())
vocabulary = lc.llama_vocab_n_tokens(lc.llama_model_get_vocab(model))
ids = [1000 + (i * 7919) % 19000 for i in range(prompt)]


def run(rows):
    params = lc.llama_context_default_params()
    params.n_ctx = 4096
    params.n_batch = params.n_ubatch = 512
    params.n_seq_max = rows
    params.kv_unified = True
    params.n_threads = params.n_threads_batch = threads
    context = lc.llama_init_from_model(model, params)
    memory = lc.llama_get_memory(context)

    def decode(batch, count):
        if lc.llama_decode(context, batch) != 0:
            sys.exit("llama.cpp could not decode")
        where = range(batch.n_tokens - count, batch.n_tokens)
        logits = [np.ctypeslib.as_array(lc.llama_get_logits_ith(context, i), (vocabulary,)) for i in where]
        return [int(row.argmax()) for row in logits]

    def fill(batch, entries):
        batch.n_tokens = len(entries)
        for i, (token, position, row, wanted) in enumerate(entries):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, position, 1
            batch.seq_id[i][0], batch.logits[i] = row, wanted
        return batch

    batch = lc.llama_batch_init(512, 0, 1)
    start = time.perf_counter()
    last = decode(fill(batch, [(t, i, 0, i == prompt - 1) for i, t in enumerate(ids)]), 1) * rows
    read = time.perf_counter() - start
    for row in range(1, rows):
        lc.llama_memory_seq_cp(memory, 0, row, -1, -1)
    for step in range(1, tokens):
        last = decode(fill(batch, [(t, prompt + step - 1, row, True) for row, t in enumerate(last)]), rows)
    whole = time.perf_counter() - start
    lc.llama_batch_free(batch)
    lc.llama_free(context)
    return read, whole


run(1)
for rows in (1, 4):
    read, whole = min((run(rows) for _ in range(3)), key=lambda times: times[1])
    speed = rows * (tokens - 1) / (whole - read)
    print(f"rows {rows}: read {prompt / read:.0f} tokens/s, wrote {speed:.1f} tokens/s, whole {whole:.3f} s")
