"""Texts for the example `groups`: python3 texts.py DATA OUT

From the folder DATA of public datasets it writes OUT/news.txt (AG News), OUT/medical.txt (sentences of BC5CDR and NCBI-disease),
OUT/diseases.txt (the 60 commonest words of four letters or more inside disease spans there) and OUT/personal.jsonl (texts of pii-masking-200k
with the places of sex, age, city, state and county that their makers marked). None of them may be committed.
"""

import collections
import csv
import json
import pathlib
import re
import sys

data, out = map(pathlib.Path, sys.argv[1:])
out.mkdir(parents=True, exist_ok=True)

news = {}
for name in ("train_first2000.csv", "subset_lst11111/train.csv", "test.csv"):
    with open(data / "ag_news" / name, newline="") as file:
        for row in csv.reader(file):
            news[" ".join(" ".join(row[1:]).replace("\\", " ").split())] = None
(out / "news.txt").write_text("\n".join(news) + "\n")

# Words of spans that say nothing about a disease by themselves.
PLAIN = {"with", "type", "from", "onset", "early", "induced", "associated", "deficiency", "related"}
sentences, counts = [], collections.Counter()
for corpus in ("BC5CDR-disease-IOB", "NCBI-disease-IOB"):
    for part in ("train", "devel", "test"):
        sentence = []
        for line in [*open(data / "bioner" / corpus / f"{part}.tsv"), "\n"]:
            if not line.strip():
                sentences += [" ".join(sentence)] if sentence else []
                sentence = []
                continue
            word, tag = line.rstrip("\n").split("\t")[:2]
            sentence.append(word)
            if tag != "O" and re.fullmatch("[A-Za-z]{4,}", word) and word.lower() not in PLAIN:
                counts[word.lower()] += 1
(out / "medical.txt").write_text("\n".join(sentences) + "\n")
(out / "diseases.txt").write_text("\n".join(word for word, _ in counts.most_common(60)) + "\n")


def mark(label, value):
    """The group of a gold label, and what counts as its word. Sexes and ages are told apart; hardly a place comes twice, so all of a kind are one."""
    value = value.lower()
    if label == "SEX":
        return "sex", "female" if "female" in value else "male"
    if label == "AGE" and (number := re.search("[0-9]+", value)):
        years = int(number.group())
        return "age", "minor" if years < 18 else "adult" if years < 65 else "old"
    if label in ("CITY", "STATE", "COUNTY"):
        return label.lower(), f"a {label.lower()}"
    return None


rows = []
for line in open(data / "pii_masking_200k_subset" / "aligned.jsonl"):
    row = json.loads(line)
    text, marks = row["source_text"], []
    for span in sorted(row["privacy_mask"], key=lambda span: span["start"]):
        if kind := mark(span["label"], span["value"]):
            start, end = (len(text[: span[side]].encode()) for side in ("start", "end"))
            marks.append({"start": start, "end": end, "group": kind[0], "word": kind[1]})
    rows.append({"text": " ".join(text.split("\n")), "marks": marks})
# Those with marks first: the example may read only so many.
rows.sort(key=lambda row: not row["marks"])
(out / "personal.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
