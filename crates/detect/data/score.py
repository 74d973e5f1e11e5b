"""Measures how many names of people the lists find, on public sets in ten languages.

    python score.py SETS INKVEIL [dev] [fast]   # INKVEIL is the binary; by default the test parts and the tier rules

SETS has one folder for each language with the files of a public repository:

    ru  dialogue-evaluation/factRuEval-2016     devset, testset
    uk  lang-uk/ner-uk                          v2.0/iob
    el  nmpartzio/elNER                         IOB2 of elNER4
    zh  OYE93/Chinese-NLP-Corpus                NER/MSRA test, NER/People's Daily dev
    ja  stockmarkteam/ner-wikipedia-dataset     ner.json: the first 2,500 sentences are dev
    ko  kmounlp/NER                             2016klp
    he  OnlpLab/NEMO-Corpus                     data/spmrl/gold
    fa  HaniehP/PersianNER                      test_fold1.txt (dev), test_fold2.txt of Arman
    ar  HussamHallak/AQMAR-Arabic-NERC-Dataset  manual_NEs: the first half is dev
    hi  mirfan899/Hindi-NER                     hindi.txt: the first 20,000 sentences of each half

The sets serve for measuring only; several may not be used commercially. A name counts as found if spans cover nine tenths of it, and a span counts as
right if it overlaps a name.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def tagged(path, kinds, separator=None, joiner=" ", whole_token=True):
    """Sentences of a file with a token and its label per line."""
    tokens = []
    for line in [*path.read_text("utf-8", errors="replace").splitlines(), ""]:
        parts = line.split(separator)
        if line.strip() and len(parts) > 1:
            tokens.append((parts[0] if whole_token else parts[0][0], parts[-1]))
        elif tokens and not line.strip():
            text, spans, inside = "", [], False
            for token, label in tokens:
                text += joiner if text else ""
                start = len(text)
                text += token
                place, _, kind = label.partition("-") if "-" in label else ("I", "", label)
                if kind in kinds and inside and place in ("I", "E", "M"):
                    spans[-1][1] = len(text)
                elif kind in kinds:
                    spans.append([start, len(text)])
                inside = kind in kinds and place != "S"
            yield text, spans
            tokens = []


def russian(folder):
    for path in sorted(folder.glob("book_*.txt")):
        text = path.read_bytes().decode("utf-8")
        rows = [line.split() for line in path.with_suffix(".spans").read_text("utf-8").splitlines()]
        parts = {row[0]: (int(row[2]), int(row[2]) + int(row[3])) for row in rows if len(row) > 3 and row[1] in ("name", "surname", "patronymic")}
        spans = set()
        for line in path.with_suffix(".objects").read_text("utf-8").splitlines():
            row = line.split("#")[0].split()
            joined = []
            for start, end in sorted(parts[part] for part in row[2:] if part in parts) if row[1:2] == ["Person"] else []:
                if joined and not text[joined[-1][1] : start].strip(" ."):
                    joined[-1][1] = end
                else:
                    joined.append([start, end])
            spans.update(map(tuple, joined))
        yield text, sorted(spans)


def korean(path):
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("$"):
            text, spans, at = "", [], 1
            for found in re.finditer(r"<([^<>]*):([A-Z]{2})>", line):
                text += line[at : found.start()]
                start = len(text)
                text += found[1]
                at = found.end()
                if found[2] == "PS":
                    spans.append((start, len(text)))
            yield text + line[at:], spans


def arabic(folder):
    for path in sorted(folder.rglob("manual_NEs/*.txt")):
        if path.name.count(".txt") == 1:
            yield from tagged(path, {"PER"}, " ")


def sets(folder, dev):
    def half(rows):
        rows = list(rows)
        return rows[: len(rows) // 2] if dev else rows[len(rows) // 2 :]

    japanese = [
        (row["text"], [tuple(e["span"]) for e in row["entities"] if e["type"] == "人名"])
        for row in json.loads((folder / "ja/ner.json").read_text("utf-8"))
    ]
    yield "ru", russian(folder / "ru" / ("devset" if dev else "testset"))
    ukrainian = list(tagged(folder / "uk/v2.0/iob" / ("train.iob" if dev else "test.iob"), {"PERS", "PER"}))
    yield "uk", ukrainian[:4000] if dev else ukrainian
    yield "el", tagged(folder / "el/IOB2" / f"{'dev' if dev else 'test'}_elNER4.iob2", {"PER", "PERSON"})
    chinese = "NER/People's Daily/example.dev" if dev else "NER/MSRA/msra_test_bio.txt"
    yield "zh", tagged(folder / "zh" / chinese, {"PER"}, joiner="")
    yield "ja", japanese[:2500] if dev else japanese[2500:]
    yield "ko", korean(folder / "ko/2016klp" / ("ner.train" if dev else "ner.test"))
    yield "he", tagged(folder / "he/data/spmrl/gold" / f"token-single_gold_{'dev' if dev else 'test'}.bmes", {"PER"}, " ")
    yield "fa", tagged(folder / "fa" / f"test_fold{1 if dev else 2}.txt", {"pers", "PERS", "person", "PER"}, " ")
    yield "ar", half(arabic(folder / "ar"))
    yield "hi", half(tagged(folder / "hi/Hindi/hindi.txt", {"PERSON"}, "\t"))[:20000]


def spans_of(binary, texts, tier):
    """Returns the places of people in bytes, as the binary finds them."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("".join(text + "\n" for text in texts))
        file.flush()
        flags = ["detect", "--tier", tier, "--kind", "person", "--lines", "--format", "jsonl", "--file", file.name]
        output = subprocess.run([binary, *flags], capture_output=True, check=True).stdout.decode("utf-8")
    found = {}
    for line in output.splitlines():
        row = json.loads(line)
        found[row["line"]] = [(span["start"], span["end"]) for span in row["spans"]]
    return [found.get(at + 1, []) for at in range(len(texts))]


def main(folder, binary, dev, tier):
    for name, rows in sets(Path(folder), dev):
        rows = [(re.sub(r"[\n\r\v\f\x85\u2028\u2029]", " ", text), spans) for text, spans in rows]
        names = whole = found = right = 0
        for (text, gold), spans in zip(rows, spans_of(binary, [text for text, _ in rows], tier)):
            gold = [(len(text[:start].encode()), len(text[:end].encode())) for start, end in gold]
            names += len(gold)
            found += len(spans)
            for start, end in gold:
                covered = sum(max(0, min(end, b) - max(start, a)) for a, b in spans)
                whole += covered * 10 >= (end - start) * 9
            right += sum(any(a < end and b > start for start, end in gold) for a, b in spans)
        print(f"{name}: {len(rows)} texts, {names} names, recall {whole / names:.3f}, precision {right / max(found, 1):.3f}")


main(sys.argv[1], sys.argv[2], "dev" in sys.argv[3:], "fast" if "fast" in sys.argv[3:] else "rules")
