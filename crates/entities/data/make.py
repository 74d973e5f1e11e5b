"""Makes given-names.txt: given names and the gender that most of their bearers have.

    pip download --no-deps mimesis==22.2.0      # MIT; unpack the wheel into PACKAGES
    python make.py PACKAGES > given-names.txt

A name is kept if an English list has it or at least two lists do, and if three quarters of the
lists agree on its gender. Each line is the gender (f or m) and a name; common names come first.
"""

import json
import re
import sys
from pathlib import Path

# Names that men and women have, although the lists name one gender only.
EITHER = set(
    "Alex Andrea Ariel Ashley Avery Blair Cameron Casey Charlie Chris Dana Drew Eden Elliot Frankie Gabi Jackie Jamie Jean "
    "Jesse Jo Jordan Kai Kelly Kerry Kim Lee Leslie Logan Lou Max Mel Morgan Nicky Nico Nikita Noel Pat Quinn Remy Riley "
    "Robin Rowan Sam Sandy Sasha Shannon Shawn Sidney Simone Sky Stevie Sunny Sydney Tay Taylor Terry Toni Val Vivian Yuki".split()
)
LATIN = re.compile(r"^[A-ZÀ-Ž][a-zà-ž]+$")

votes = {}
for file in sorted(Path(sys.argv[1]).glob("mimesis/datasets/*/person.json")):
    names = json.loads(file.read_text("utf-8")).get("names")
    for gender, found in names.items() if isinstance(names, dict) else []:
        for name in {name.strip() for name in found}:
            if LATIN.match(name) and name not in EITHER and gender in ("female", "male"):
                votes.setdefault(name, []).append((gender[0], file.parent.name))

lines = []
for name, found in votes.items():
    women = sum(gender == "f" for gender, _ in found)
    share = women / len(found)
    english = any(place.startswith("en") for _, place in found)
    if (english or len(found) > 1) and (share >= 0.75 or share <= 0.25):
        lines.append((-len(found), name, "f" if share >= 0.75 else "m"))
for _, name, gender in sorted(lines):
    print(gender, name)
