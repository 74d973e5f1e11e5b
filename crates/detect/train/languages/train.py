"""Trains the fast tagger of the languages on a GPU with PyTorch.

    python train.py DATA.json LISTS TEMPLATES ENGLISH_LISTS OUT [MINUTES] [EMPHASIS] [NAME] [OPTION=VALUE ...]

Options: person=1 (the weight of words of persons beside EMPHASIS), forget_words=0 (the share of words whose own row is
hidden), average=0 (the decay of averaged weights, which are then the result; 0: none), own_labels=0 (the epoch from which
the network labels capitalised words of unlabelled sentences itself, where it is sure; 0: never), sure=0.9, epochs=40.

The network, its features and its file are those of `crates/detect/src/tagger` (features.rs, net.rs): tests there open
the file. Checkpoints go to OUT/tagger-languages.safetensors after every epoch, and measurements to OUT/log.txt.
"""

import json
import math
import os
import random
import re
import sys
import time
import unicodedata
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from values import LANGUAGES, Values, fill, is_held_out, part, read_lists, read_templates

WORD_ROWS, PART_ROWS, SHAPE_ROWS, PARTS, FLAGS, REACH = 1 << 15, 1 << 15, 1 << 11, 12, 16, 7
TABLE, WIDTH, STEPS, FORGET = 64, 128, (1, 2, 4), 0.35
TAGGED = ["Person", "Title", "Username", "Job", "Trait", "Age", "Organisation", "Location", "Address", "PostalCode", "Date",
          "Time", "Phone", "CardCode", "BankAccount", "Money", "Id", "Password", "Health", "Medication"]
IDENTIFIERS = {"Email", "Url", "IpAddress", "Iban", "CreditCard", "NationalId", "Passport", "Plate"}
LABELS = 1 + 2 * len(TAGGED)
ANY = (1 << LABELS) - 1
NAMED = ["Person", "Location", "Organisation"]
ABSENT = ["Password", "CardCode", "BankAccount", "PostalCode", "Username", "Id", "Phone", "Address", "Health", "Medication"]
COMPLETE = {
    "template": TAGGED,
    "plain": TAGGED,
    "wikiann": NAMED + ABSENT,
    "germeval": NAMED + ABSENT,
    "meddocan": ["Person", "Location", "Organisation", "Date", "Age", "Address", "PostalCode", "Phone", "Id", "Password", "CardCode", "BankAccount", "Username", "Money"],
    "weak": NAMED + ABSENT,
}
GAZETTEER_FLAGS = {"given-f": 0, "given-m": 0, "family": 1, "city": 2, "region": 3, "country": 4, "origin": 5, "religion": 5,
                   "company-suffix": 7, "company-word": 7, "hospital": 7, "school": 7, "agency": 7, "street": 8, "job": 9,
                   "disease": 10, "title-m": 12, "title-f": 12, "doctor": 12, "month": 13, "month-short": 13, "weekday": 13}
ENGLISH = {"given-": 0, "family-": 1, "cities": 2, "countries": 4, "nationalities": 5, "drugs": 11, "regions": 3}
MOST_ENGLISH = {"given-us": 4000, "family-us": 8000}
WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+|\S")
LINE = set("\n\r\u2028\u2029")


def key(text):
    return " ".join(text.strip().rstrip(".").replace("\u2019", "'").lower().split())


def gazetteer(lists, english):
    """Entries and their flags. The held-out fifth of names and cities is left out."""
    entries = {}

    def add(text, bit):
        k = key(text)
        plain = "".join(c for c in unicodedata.normalize("NFD", k) if not unicodedata.combining(c))
        for k in {k, plain}:
            if k:
                entries[k] = entries.get(k, 0) | 1 << bit

    for language in LANGUAGES:
        for section, bit in GAZETTEER_FLAGS.items():
            for entry in lists[language].get(section, []):
                if bit > 2 or not is_held_out(entry):
                    add(entry, bit)
    for path in sorted(Path(english).glob("*.txt")):
        for start, bit in ENGLISH.items():
            if path.stem.startswith(start):
                for line in path.read_text("utf-8").splitlines()[:MOST_ENGLISH.get(path.stem, 1 << 30)]:
                    entry = line.split("\t")[0].strip()
                    if entry and (bit > 2 or not is_held_out(entry)):
                        add(entry, bit)
    return entries


def row(salt, data, rows):
    h = 0xCBF29CE484222325
    for byte in bytes([salt]) + data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    h = ((h ^ h >> 32) * 0xD6E8FEB86659FD93) & 0xFFFFFFFFFFFFFFFF
    return 1 + (h >> 32) % (rows - 1)


def shape(raw):
    out, last, run = [], None, 0
    for c in raw:
        k = b"d" if c.isascii() and c.isdigit() else b"X" if c.isupper() else b"x" if c.isalpha() else c.encode() if c.isascii() else b"?"
        run = run + 1 if k == last else 1
        last = k
        if run <= (9 if k == b"d" else 2):
            out.append(k)
    return b"".join(out)


CACHE = {}


def word_features(raw):
    """Rows of the word, its parts and its shape, and the part of its form that needs no context."""
    found = CACHE.get(raw)
    if found is None:
        lower = raw.lower()
        n = len(lower)
        digits = bytes(b"0"[0] if 48 <= b <= 57 else b for b in lower.encode())
        parts = []
        for size in range(2, min(4, n) + 1):
            parts += [row(1, lower[:size].encode(), PART_ROWS), row(2, lower[n - size:].encode(), PART_ROWS)]
        for start in range(1, min(max(n - 3, 0), 7)):
            parts.append(row(3, lower[start:start + 3].encode(), PART_ROWS))
        parts += [0] * (PARTS - len(parts))
        letters = sum(c.isalpha() for c in raw)
        upper = sum(c.isupper() for c in raw)
        number = sum(c.isascii() and c.isdigit() for c in raw)
        form = [float(upper > 0 and raw[0].isupper()), float(upper > 1 and upper == letters), float(number > 0),
                float(number > 0 and letters > 0), min(number, 16) / 8.0, min(len(raw.encode()), 32) / 16.0]
        found = (row(0, digits, WORD_ROWS), parts, row(7, shape(raw), SHAPE_ROWS), form)
        if len(CACHE) < 400000:
            CACHE[raw] = found
    return found


def tag_of(kind):
    return TAGGED.index("Id" if kind in IDENTIFIERS else kind) if kind else None


OPEN_LABELS = {}
for _source, _complete in COMPLETE.items():
    _set = 1
    for _n, _kind in enumerate(TAGGED):
        if _kind not in _complete:
            _set |= 1 << (1 + 2 * _n) | 1 << (2 + 2 * _n)
    OPEN_LABELS[_source] = _set
GAZ, STARTERS = {}, {}


def setup(gaz):
    global GAZ, STARTERS
    GAZ = gaz
    for k in gaz:
        found = WORD.findall(k)
        if len(found) > 1:
            STARTERS[found[0]] = max(STARTERS.get(found[0], 0), len(found))


def featurise(item):
    """One text as rows of features, with rows of zeros behind it."""
    source, text, spans = item
    words, at, previous = [], 0, None
    for m in WORD.finditer(text):
        gap = text[at:m.start()]
        kind = 2 if at == 0 and not words else 0
        if gap:
            kind = 2 if any(c in LINE for c in gap) or not words else 1
        words.append((m.start(), m.end(), kind))
        at = m.end()
    n = len(words)
    if n == 0:
        return None
    total = n + REACH
    w = np.zeros(total, np.int32)
    p = np.zeros((total, PARTS), np.int32)
    s = np.zeros(total, np.int32)
    f = np.zeros((total, 2), np.int32)
    d = np.zeros((total, 8), np.float16)
    allowed = np.full(total, ANY, np.int64)
    spans = sorted(spans)
    outside, at, begun = OPEN_LABELS[source], 0, None
    name_end, name_bits = 0, 0
    for n, (start, end, gap) in enumerate(words):
        raw = text[start:end]
        w[n], p[n], s[n], form = word_features(raw)
        d[n, 0], d[n, 1], d[n, 2:] = gap == 1, gap == 2, form
        if start >= name_end:
            name_end = 0
            first = key(raw)
            for more in range(STARTERS.get(first, 0), 1, -1):
                if n + more <= len(words):
                    stop = words[n + more - 1][1]
                    bits = GAZ.get(key(text[start:stop]))
                    if bits is not None and "\n\n" not in text[start:stop]:
                        name_end, name_bits = stop, bits
                        break
        f[n, 0] = GAZ.get(key(raw), 0)
        f[n, 1] = name_bits if start < name_end else 0
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        if at < len(spans) and spans[at][0] < end:
            begins = begun != spans[at][0]
            begun = spans[at][0]
            tag = tag_of(spans[at][2])
            allowed[n] = ANY if tag is None else 1 << (1 + 2 * tag if begins else 2 + 2 * tag)
        elif source == "weak" and raw[:1].isupper():
            allowed[n] = ANY
        else:
            allowed[n] = outside
    return w, p, s, f, d, allowed, len(words)


def pack(items):
    made = [x for x in map(featurise, items) if x is not None]
    return [np.concatenate([m[k] for m in made]) for k in range(6)] + [np.array([m[6] for m in made], np.int32)]


UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}


def rewritten(text, spans, change):
    out, places, total = [], [], 0
    for c in text:
        places.append(total)
        c = change(c)
        out.append(c)
        total += len(c)
    places.append(total)
    return "".join(out), [(places[s], places[e], k) for s, e, k in spans]


def plain_letter(c):
    return "".join(x for x in unicodedata.normalize("NFD", c) if not unicodedata.combining(x)) or c


def augment(text, spans, rng):
    x = rng.random()
    if x < 0.09:
        return rewritten(text, spans, str.lower)
    if x < 0.13:
        return rewritten(text, spans, str.upper)
    if x < 0.18:
        return rewritten(text, spans, plain_letter)
    if x < 0.21:
        return rewritten(text, spans, lambda c: UMLAUTS.get(c, c))
    if x < 0.25 and len(text) > 8:
        at = rng.randrange(1, len(text) - 1)
        if text[at].isalpha() and text[at - 1].isalpha():
            return rewritten(text, spans, lambda c: c)[0][:at] + text[at + 1:], [(s - (s > at), e - (e > at), k) for s, e, k in spans]
    return text, spans


def renamed(text, spans, values, rng):
    """Replaces some names of people and places by others."""
    out, moved, at = "", [], 0
    for start, end, kind in sorted(map(tuple, spans)):
        if start < at:
            continue
        out += text[at:start]
        old = text[start:end]
        new = old
        if kind == "Person" and rng.random() < 0.5:
            new = values.full() if " " in old else rng.choice([values.given(), values.family()])
        elif kind == "Location" and rng.random() < 0.3 and "," not in old:
            new = values.city()
        moved.append((len(out), len(out) + len(new), kind))
        out += new
        at = end
    return out + text[at:], moved


TRAIN = {}


def start_worker(gaz, data, lists, templates, drugs):
    setup(gaz)
    TRAIN.update(data=data, lists=lists, templates=templates, drugs=drugs)


def job(args):
    """Makes and packs one piece of a variant: texts of the sets, or filled templates."""
    what, seed, start, stop, variant = args
    rng = random.Random(seed)
    items = []
    if what == "sets":
        for source, language, text, spans in TRAIN["data"][start:stop]:
            if source in ("wikiann", "germeval") and variant > 0 and spans and rng.random() < 0.6:
                values = Values(TRAIN["lists"], language if language in LANGUAGES else rng.choice(LANGUAGES), TRAIN["drugs"], rng)
                text, spans = renamed(text, spans, values, rng)
            if variant > 0:
                text, spans = augment(text, [tuple(s) for s in spans], rng)
            items.append((source, text, [tuple(s) for s in spans]))
    else:
        for language, template in TRAIN["templates"][start:stop]:
            for n in range(30 if "{" in template else 6):
                text, spans = fill(template, Values(TRAIN["lists"], language, TRAIN["drugs"], rng))
                items.append(("template", *augment(text, spans, rng)))
    return pack(items)


def quantise(tensors, path):
    """Writes the file of `inkveil_nn::quantise`: rows of 8-bit integers with a scale each."""
    floats, integers = {}, {}
    for name, value in tensors.items():
        value = value.astype(np.float32)
        if value.ndim == 2 and value.shape[0] >= 16:
            best = np.full(value.shape[0], np.inf, np.float32)
            scales = np.zeros(value.shape[0], np.float32)
            top = np.abs(value).max(1)
            for share in (1.0, 0.97, 0.94, 0.9, 0.85, 0.8):
                scale = np.maximum(top * share / 127, 1e-12)
                q = np.clip(np.round(value / scale[:, None]), -127, 127)
                error = ((q * scale[:, None] - value) ** 2).sum(1)
                better = error < best
                best, scales = np.where(better, error, best), np.where(better, scale, scales)
            integers[name] = np.clip(np.round(value / scales[:, None]), -127, 127).astype(np.int8)
            floats[name + ".scale"] = scales.astype(np.float32)
        else:
            floats[name] = value
    header, body, at = {}, [], 0
    for dtype, group in (("F32", floats), ("I8", integers)):
        for name in sorted(group):
            data = group[name].tobytes()
            header[name] = {"dtype": dtype, "shape": list(group[name].shape), "data_offsets": [at, at + len(data)]}
            at += len(data)
            body.append(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + b"".join(body))


def main(data_file, lists_folder, templates_folder, english, out, minutes=7.0, emphasis=2.0, seed=4, name="tagger-languages",
         person=1.0, forget_words=0.0, average=0.0, own_labels=0.0, sure=0.9, epochs=40):
    import torch
    import torch.nn.functional as F

    began = time.time()
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    log_file = open(out / f"{name}.log", "a")

    def log(*parts):
        line = f"{time.time() - began:6.0f}s " + " ".join(str(p) for p in parts)
        print(line, flush=True)
        log_file.write(line + "\n")
        log_file.flush()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    cores = len(os.sched_getaffinity(0))
    log("device", device, "cores", cores, "torch", torch.__version__)
    all_lists = read_lists(lists_folder)
    lists = part(all_lists, False)
    drugs_all = [d for d in (Path(english) / "drugs.txt").read_text("utf-8").splitlines() if d.strip()]
    drugs = [d for d in drugs_all if not is_held_out(d)]
    gaz = gazetteer(all_lists, english)
    loaded = json.load(open(data_file, encoding="utf-8"))
    random.Random(3).shuffle(loaded["train"])
    templates = [(language, t) for language, ts in read_templates(templates_folder, False).items() for t in ts]
    log(len(gaz), "gazetteer entries,", len(loaded["train"]), "texts,", len(templates), "templates")

    variants = 10 if device == "cuda" else 1
    jobs = []
    for variant in range(variants):
        size = len(loaded["train"])
        step = max(1, size // 64)
        jobs += [("sets", seed * 1000003 + variant * 7919 + at, at, min(size, at + step), variant) for at in range(0, size, step)]
        jobs += [("templates", seed * 999983 + variant * 104729 + at, at, at + 12, variant) for at in range(0, len(templates), 12)]
    pools = {v: [] for v in range(variants)}
    with Pool(cores, start_worker, (gaz, loaded["train"], lists, templates, drugs)) as pool:
        for args, made in zip(jobs, pool.imap(job, jobs, chunksize=1)):
            pools[args[4]].append(made)
        held = {}
        held_lists, held_templates = part(all_lists, True), read_templates(templates_folder, True)
        rng = random.Random(77)
        held_drugs = [d for d in drugs_all if is_held_out(d)] or drugs
        for language in LANGUAGES:
            values = Values(held_lists, language, held_drugs, rng)
            held["own-" + language] = [("template", *fill(t, values)) for t in held_templates[language] for _ in range(10)]
        for test, texts in loaded["tests"].items():
            source = "meddocan" if test == "meddocan" else "wikiann"
            held[test] = [(source, text, [tuple(s) for s in spans]) for text, spans in texts]
        tests = {}
        for test, made in zip(held, pool.map(pack, list(held.values()))):
            tests[test] = made
    log("features made")

    def to_device(pieces):
        made = [np.concatenate([p[k] for p in pieces]) for k in range(7)]
        rows = torch.from_numpy(made[6]).long().to(device)
        starts = torch.cumsum(rows + REACH, 0) - (rows + REACH)
        return [torch.from_numpy(m).to(device) for m in made[:6]] + [rows, starts]

    pools = {v: to_device(p) for v, p in pools.items()}
    tests = {t: to_device([p]) for t, p in tests.items()}
    log("words of a variant:", int(pools[0][6].sum()), "texts:", len(pools[0][6]))

    torch.manual_seed(seed)
    bits = torch.arange(FLAGS, device=device)
    label_bits = torch.arange(LABELS, device=device)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.parts, self.shapes = (torch.nn.Embedding(n, TABLE) for n in (WORD_ROWS, PART_ROWS, SHAPE_ROWS))
            for table in (self.words, self.parts, self.shapes):
                torch.nn.init.normal_(table.weight, std=0.1 if table is not self.parts else 0.05)
            self.input = torch.nn.Linear(3 * TABLE + 2 * FLAGS + 8, WIDTH)
            self.maps = torch.nn.ModuleList(torch.nn.Linear(3 * WIDTH, WIDTH) for _ in STEPS)
            self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(WIDTH, eps=1e-5) for _ in STEPS)
            self.output = torch.nn.Linear(WIDTH, LABELS)

        def forward(self, w, p, s, f, d, keep, train):
            flags = (f.unsqueeze(2) >> bits & 1).float()
            if train:
                w = torch.where(torch.rand(len(w), device=device) < forget_words, 0, w)
                flags = flags * (torch.rand(len(w), 1, 1, device=device) >= FORGET).float()
            x = torch.cat([self.words(w), self.parts(p).sum(1), self.shapes(s), flags.flatten(1), d.float()], 1)
            x = F.gelu(self.input(F.dropout(x, 0.2, train))) * keep
            for step, change, norm in zip(STEPS, self.maps, self.norms):
                wide = F.pad(x, (0, 0, step, step))
                seen = torch.cat([wide[:len(x)], x, wide[2 * step:]], 1)
                x = norm(x + F.dropout(F.gelu(change(seen)), 0.2, train)) * keep
            return self.output(x)

        def tensors(self):
            names = {"words.weight": self.words.weight, "parts.weight": self.parts.weight, "shapes.weight": self.shapes.weight,
                     "input.weight": self.input.weight, "input.bias": self.input.bias, "output.weight": self.output.weight, "output.bias": self.output.bias}
            for n, (change, norm) in enumerate(zip(self.maps, self.norms)):
                names |= {f"layer.{n}.map.weight": change.weight, f"layer.{n}.map.bias": change.bias, f"layer.{n}.norm.weight": norm.weight, f"layer.{n}.norm.bias": norm.bias}
            return {k: v.detach().float().cpu().numpy() for k, v in names.items()}

    net = Net().to(device)
    averaged = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(average)) if average else None

    def result():
        return averaged.module if averaged else net
    rank2 = [v for v in net.parameters() if v.ndim > 1]
    rank1 = [v for v in net.parameters() if v.ndim <= 1]
    optimiser = torch.optim.AdamW([{"params": rank2, "weight_decay": 0.01}, {"params": rank1, "weight_decay": 0.0}], lr=2e-3)
    batch = 8192 if device == "cuda" else 2048
    limit = minutes * 60

    def gather(pool, texts):
        w, p, s, f, d, allowed, rows, starts = pool
        lengths = rows[texts] + REACH
        ends = torch.cumsum(lengths, 0)
        index = torch.arange(int(ends[-1]), device=device)
        owner = torch.searchsorted(ends, index, right=True)
        offset = index - (ends - lengths)[owner]
        at = starts[texts][owner] + offset
        keep = (offset < rows[texts][owner]).float().unsqueeze(1)
        return w[at].long(), p[at].long(), s[at].long(), f[at], d[at], keep, allowed[at]

    @torch.no_grad()
    def measure():
        for test, pool in tests.items():
            named = [0] if test.startswith("own") or test == "meddocan" else None
            counts = torch.zeros(5, device=device)
            for start in range(0, len(pool[6]), 512):
                texts = torch.arange(start, min(start + 512, len(pool[6])), device=device)
                *inputs, keep, allowed = gather(pool, texts)
                scores = result()(*inputs, keep, False).softmax(1)
                real = keep[:, 0] > 0
                sensitive = scores[:, 0] < 0.5
                if named is None:
                    wanted = torch.tensor([1, 2, 13, 14, 15, 16], device=device)
                    sensitive &= (scores[:, wanted].sum(1) > 0.5)
                gold = (allowed & 1) == 0
                skip = allowed == ANY
                person = (allowed == 2) | (allowed == 4)
                real &= ~skip
                counts += torch.stack([(gold & sensitive & real).sum(), (~gold & sensitive & real).sum(), (gold & ~sensitive & real).sum(),
                                       (person & sensitive & real).sum(), (person & real).sum()]).float()
            hit, wrong, miss, found, persons = counts.tolist()
            precision, recall = hit / max(hit + wrong, 1), hit / max(hit + miss, 1)
            f2 = 5 * precision * recall / max(4 * precision + recall, 1e-9)
            log(f"  {test:16} P {precision:.3f} R {recall:.3f} F2 {f2:.3f} person {found / max(persons, 1):.3f}")

    @torch.no_grad()
    def label(pool):
        """Labels words that may have any label, where the network is sure of one."""
        labelled = 0
        for start in range(0, len(pool[6]), 2048):
            texts = torch.arange(start, min(start + 2048, len(pool[6])), device=device)
            *inputs, keep, allowed = gather(pool, texts)
            open_words = (allowed == ANY) & (keep[:, 0] > 0)
            if not bool(open_words.any()):
                continue
            most, which = result()(*inputs, keep, False).softmax(1).max(1)
            chosen = open_words & (most >= sure)
            lengths = pool[6][texts] + REACH
            owner = torch.repeat_interleave(torch.arange(len(texts), device=device), lengths)
            at = pool[7][texts][owner] + torch.arange(len(owner), device=device) - (torch.cumsum(lengths, 0) - lengths)[owner]
            pool[5][at[chosen]] = torch.ones_like(which[chosen]) << which[chosen]
            labelled += int(chosen.sum())
        return labelled

    train_began = time.time()
    epochs = int(epochs) if device == "cuda" else 1
    per_epoch = math.ceil(float((pools[0][6] + REACH).sum()) / batch)
    total_steps, step = epochs * per_epoch, 0
    log("steps of an epoch:", per_epoch)
    for epoch in range(epochs):
        if own_labels and epoch == own_labels:
            log("labelled by itself:", sum(label(pool) for pool in pools.values()), "words")
        pool = pools[epoch % variants]
        order = torch.randperm(len(pool[6]), device=device)
        ends = torch.cumsum(pool[6][order] + REACH, 0)
        cuts = torch.searchsorted(ends, torch.arange(batch, int(ends[-1]) + batch, batch, device=device)).tolist()
        sums, at = torch.zeros(2, device=device), 0
        for cut in cuts:
            texts = order[at:cut + 1]
            at = cut + 1
            if len(texts) == 0:
                continue
            used = (time.time() - began) / limit
            rate = 2e-3 * min(1.0, (step + 1) / (total_steps / 20)) * max(0.0, min(1 - step / total_steps, 1.0 if used < 0.5 else 2 * (1 - used)))
            for group in optimiser.param_groups:
                group["lr"] = rate
            *inputs, keep, allowed = gather(pool, texts)
            scores = net(*inputs, keep, True)
            mask = (allowed.unsqueeze(1) >> label_bits & 1).float()
            possible = scores + (mask - 1) * 1e4
            weight = keep[:, 0] * torch.where((allowed & 1) == 0, emphasis, 1.0)
            weight = weight * torch.where((allowed == 2) | (allowed == 4), person, 1.0)
            loss = ((scores.logsumexp(1) - possible.logsumexp(1)) * weight).sum() / keep.sum()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            if averaged:
                averaged.update_parameters(net)
            sums += torch.stack([loss.detach(), torch.ones((), device=device)])
            step += 1
            if time.time() - began > limit:
                break
        log(f"epoch {epoch} steps {step} loss {sums[0].item() / max(sums[1].item(), 1):.4f} rate {rate:.5f}")
        quantise(result().tensors(), out / f"{name}.safetensors")
        if epoch % 10 == 9 or epoch == epochs - 1 or time.time() - began > limit:
            measure()
        if time.time() - began > limit:
            break
    log("done after", round(time.time() - train_began), "s of training")


if __name__ == "__main__":
    minutes = float(sys.argv[6]) if len(sys.argv) > 6 else 7.0
    emphasis = float(sys.argv[7]) if len(sys.argv) > 7 else 2.0
    name = sys.argv[8] if len(sys.argv) > 8 else "tagger-languages"
    options = {option: float(value) for option, value in (word.split("=") for word in sys.argv[9:])}
    main(*sys.argv[1:6], minutes=minutes, emphasis=emphasis, name=name, **options)
