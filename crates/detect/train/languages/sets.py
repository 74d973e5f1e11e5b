"""Writes the sets that `inkveil-dev tagger score --languages` reads, one JSON object per line.

    python sets.py LISTS TEMPLATES DRUGS held-out              # held-out/de.jsonl and so on, from held-out templates
    python sets.py --tests DATA.json FOLDER                    # the public held-out sets of prepare.py
"""

import json
import random
import re
import sys
from pathlib import Path

from values import LANGUAGES, Values, fill, is_held_out, part, read_lists, read_templates

FILLS = 8


def line(text, spans):
    kebab = lambda kind: kind and re.sub("(?<!^)([A-Z])", r"-\1", kind).lower()
    return json.dumps({"text": text, "spans": [[s, e, kebab(k)] for s, e, k in sorted(spans, key=lambda x: x[0])]}, ensure_ascii=False)


def own(lists, templates, drugs, out):
    lists, templates = part(read_lists(lists), True), read_templates(templates, True)
    drugs = [d for d in Path(drugs).read_text("utf-8").splitlines() if d.strip() and is_held_out(d)]
    for language in LANGUAGES:
        rng = random.Random(77)
        values = Values(lists, language, drugs, rng)
        lines = [line(*fill(template, values)) for template in templates[language] for _ in range(FILLS)]
        (Path(out) / f"{language}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def public(data, out):
    for name, texts in json.load(open(data, encoding="utf-8"))["tests"].items():
        (Path(out) / f"{name}.jsonl").write_text("".join(line(text, spans) + "\n" for text, spans in texts), "utf-8")


if sys.argv[1] == "--tests":
    public(*sys.argv[2:])
else:
    own(*sys.argv[1:])
