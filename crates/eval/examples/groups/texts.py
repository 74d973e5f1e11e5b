"""Texts for the example `groups`: python3 texts.py DATA OUT

From the folder DATA of public datasets it writes OUT/news.txt (AG News), OUT/medical.txt (sentences of BC5CDR and NCBI-disease) and
OUT/diseases.txt (the 60 commonest words of four letters or more inside disease spans there). None of them may be committed.
"""

import collections
import csv
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
