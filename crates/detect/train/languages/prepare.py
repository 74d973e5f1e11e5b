"""Converts the public sets into one file of texts with spans for `train.py`.

    python prepare.py RAW OUT.json

RAW holds wikiann-{de,fr,nl,pt}.txt and data/wikiann/{es,en} (WikiANN, ODC-BY), germeval-{dev,test}.tsv (GermEval 2014,
CC BY 4.0), corpus/ (MEDDOCAN, CC BY 4.0), sentences-*.txt (Leipzig Corpora Collection, CC BY 4.0), plain-*.txt (messages of Django
and JupyterLab, BSD), and ev/ for evaluation
only (WikiNEuRal, CC BY-NC-SA: never trained on).
"""

import json
import random
import sys
from pathlib import Path

NO_SPACE_BEFORE = set(",.;:!?)]}%»”…")
NO_SPACE_AFTER = set("([{«„")
TAGS = {"PER": "Person", "LOC": "Location", "ORG": "Organisation"}
MEDDOCAN = {
    "NOMBRE_SUJETO_ASISTENCIA": "Person", "NOMBRE_PERSONAL_SANITARIO": "Person", "EDAD_SUJETO_ASISTENCIA": "Age",
    "SEXO_SUJETO_ASISTENCIA": "Trait", "FECHAS": "Date", "CALLE": "Address", "TERRITORIO": "Location", "PAIS": "Location",
    "HOSPITAL": "Organisation", "INSTITUCION": "Organisation", "CENTRO_SALUD": "Organisation", "CORREO_ELECTRONICO": "Email",
    "NUMERO_TELEFONO": "Phone", "NUMERO_FAX": "Phone", "PROFESION": "Job",
}


def join(tokens):
    """Joins tokens and returns the text and the place of each token."""
    text, places = "", []
    for n, token in enumerate(tokens):
        space = n > 0 and token[0] not in NO_SPACE_BEFORE and tokens[n - 1][-1] not in NO_SPACE_AFTER
        if n > 0 and (tokens[n - 1].endswith(("'", "’")) and len(tokens[n - 1]) > 1 or token in ("'s", "’s")):
            space = False
        text += " " if space else ""
        places.append((len(text), len(text) + len(token)))
        text += token
    return text, places


def labelled(rows):
    tokens, tags = zip(*rows)
    text, places = join(tokens)
    spans, open_tag = [], None
    for (start, end), tag in zip(places, tags):
        kind = tag[2:] if tag != "O" else None
        if kind is None:
            open_tag = None
        elif tag.startswith("B-") or open_tag != kind:
            spans.append([start, end, TAGS.get(kind)])
            open_tag = kind
        else:
            spans[-1][1] = end
    return text, spans


def conll(path, column, tag_column, prefix=""):
    rows = []
    for line in Path(path).read_text("utf-8").splitlines() + [""]:
        cells = line.split("\t") if "\t" in line else line.split()
        if not line.strip() or line.startswith("#\t"):
            if rows:
                yield labelled(rows)
            rows = []
        elif len(cells) > tag_column and cells[column].removeprefix(prefix):
            rows.append((cells[column].removeprefix(prefix), cells[tag_column].strip()))


def meddocan(folder):
    for path in sorted(Path(folder).glob("*.txt")):
        text = path.read_text("utf-8")
        spans = []
        for line in path.with_suffix(".ann").read_text("utf-8").splitlines():
            if not line.startswith("T"):
                continue
            _, where, value = line.split("\t", 2)
            label, start, end = where.split()[0], int(where.split()[1]), int(where.split()[-1])
            kind = MEDDOCAN.get(label, "Id" if label.startswith("ID_") else "Url" if label == "URL_WEB" else None)
            if label == "TERRITORIO" and value.isdigit():
                kind = "PostalCode"
            spans.append((start, end, kind))
        at = 0
        chunk_start = 0
        for line in text.splitlines(keepends=True):
            at += len(line)
            if at - chunk_start > 500 or at >= len(text):
                inner = [[s - chunk_start, e - chunk_start, k] for s, e, k in spans if s >= chunk_start and e <= at]
                yield text[chunk_start:at], inner
                chunk_start = at


def main(raw, out):
    raw = Path(raw)
    rng = random.Random(1)
    train, tests = [], {}

    def add(source, language, texts):
        n = 0
        for text, spans in texts:
            train.append([source, language, text, spans])
            n += 1
        print(source, language, n)

    def test(name, texts, most):
        texts = list(texts)
        rng.shuffle(texts)
        tests[name] = texts[:most]
        print("test", name, len(tests[name]))

    for language in ["de", "fr", "nl", "pt"]:
        add("wikiann", language, conll(raw / f"wikiann-{language}.txt", 0, 1, language + ":"))
        test(f"wikiann-{language}", conll(raw / f"wikiann-{language}-test.txt", 0, 1, language + ":"), 3000)
    for language in ["es", "en"]:
        add("wikiann", language, conll(raw / f"data/wikiann/{language}/train.conllu", 1, 2))
    test("wikiann-es", conll(raw / "data/wikiann/es/test.conllu", 1, 2), 3000)
    add("germeval", "de", conll(raw / "germeval-dev.tsv", 1, 2))
    test("germeval", conll(raw / "germeval-test.tsv", 1, 2), 5100)
    for folder in ["train", "dev"]:
        add("meddocan", "es", meddocan(raw / f"corpus/{folder}/brat"))
    test("meddocan", meddocan(raw / "corpus/test/brat"), 100000)
    for language in ["de", "fr", "es", "it", "pt", "nl"]:
        path = raw / f"sentences-{language}.txt"
        if path.exists():
            add("weak", language, ((line, []) for line in path.read_text("utf-8").splitlines() if line.strip()))
        path = raw / f"plain-{language}.txt"
        if path.exists():
            add("plain", language, ((line, []) for line in path.read_text("utf-8").splitlines() if line.strip()))
        test(f"wikineural-{language}", conll(raw / f"ev/{language}/test.conllu", 1, 2), 3000)
    json.dump({"train": train, "tests": tests}, open(out, "w", encoding="utf-8"), ensure_ascii=False)


main(sys.argv[1], sys.argv[2])
