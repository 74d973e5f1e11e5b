"""Writes age.jsonl, education.jsonl and sex.jsonl for `style attributes` from a folder of SynthPAI: synthpai.py FOLDER OUT

"author" is the value of the attribute, "topic" the person. Comments of one person are joined to passages of about 100 words.
"""
import json
import sys
from collections import defaultdict
from pathlib import Path

folder, out = Path(sys.argv[1]), Path(sys.argv[2])
profiles = json.loads((folder / "user_bot_profiles_300.json").read_text())
passages = defaultdict(list)
for line in (folder / "comments_eval.jsonl").read_text().splitlines():
    row = json.loads(line)
    person = row["author"]
    for comment in row["comments"]:
        text = comment["text"]
        if passages[person] and len(passages[person][-1].split()) < 80:
            passages[person][-1] += " " + text
        else:
            passages[person].append(text)


def age(profile):
    years = int(profile["age"])
    return next(name for limit, name in ((26, "18-25"), (36, "26-35"), (46, "36-45"), (56, "46-55"), (200, "56+")) if years < limit)


def education(profile):
    words = profile["education"].lower()
    for key, name in (("phd", "doctor"), ("doctor", "doctor"), ("master", "master"), ("bachelor", "bachelor"), ("college", "bachelor")):
        if key in words:
            return name
    return "school"


for name, value in (("age", age), ("education", education), ("sex", lambda profile: profile["sex"].lower())):
    with open(out / f"{name}.jsonl", "w") as file:
        for person, texts in sorted(passages.items()):
            if person in profiles:
                for text in texts:
                    print(json.dumps({"author": value(profiles[person]), "topic": person, "text": text}), file=file)
