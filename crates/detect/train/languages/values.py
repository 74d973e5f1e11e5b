"""Values for the templates of the languages: names, addresses, numbers, dates."""

import random
import unicodedata
from pathlib import Path

LANGUAGES = ["de", "fr", "es", "it", "pt", "nl"]
OPEN = {"given-f", "given-m", "family", "city", "street", "job", "school", "disease"}


def is_held_out(entry):
    """The same fifth as `is_held_out` of inkveil-surrogates."""
    letters = "".join(c for c in unicodedata.normalize("NFD", entry) if not unicodedata.combining(c)).lower()
    hash = 0xCBF29CE484222325
    for byte in letters.encode():
        hash = ((hash ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    hash = ((hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    return (hash >> 32) % 5 == 0


def read_lists(folder):
    lists = {}
    for language in LANGUAGES:
        sections, name = {}, None
        for line in (Path(folder) / f"{language}.txt").read_text("utf-8").splitlines():
            if line.startswith("["):
                name = line[1:-1]
                sections[name] = []
            else:
                sections[name].append(line)
        lists[language] = sections
    return lists


def part(lists, held_out):
    """The part for training, or the held-out fifth of the open lists."""
    made = {}
    for language, sections in lists.items():
        made[language] = {}
        for name, entries in sections.items():
            kept = [e for e in entries if is_held_out(e) == held_out] if name in OPEN else entries
            made[language][name] = kept or entries
    return made


def luhn(digits):
    total = 0
    for n, d in enumerate(reversed(digits)):
        d = int(d) * (2 if n % 2 == 0 else 1)
        total += d - 9 if d > 9 else d
    return str(-total % 10)


class Values:
    """Draws values of one language. `drugs` are international names."""

    def __init__(self, lists, language, drugs, rng):
        self.l, self.lang, self.drugs, self.r = lists[language], language, drugs, rng

    def pick(self, name):
        entries = self.l[name]
        # Common names stand first and are drawn more often.
        if name in ("given-f", "given-m", "family", "city") and self.r.random() < 0.35:
            return self.r.choice(entries[:32])
        return self.r.choice(entries)

    def digits(self, n):
        return "".join(self.r.choice("0123456789") for _ in range(n))

    def shape(self, pattern):
        """`#` is a digit, `@` a capital, `?` either."""
        out = []
        for c in pattern:
            if c == "#":
                out.append(self.r.choice("0123456789"))
            elif c == "@":
                out.append(self.r.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            elif c == "?":
                out.append(self.r.choice("ABCDEFGHJKLMNPRSTUVWXYZ0123456789"))
            else:
                out.append(c)
        return "".join(out)

    # Names
    def given(self, gender=None):
        gender = gender or self.r.choice("fm")
        name = self.pick("given-" + gender)
        x = self.r.random()
        if self.lang == "fr" and x < 0.12:
            return name + "-" + self.pick("given-" + gender)
        if self.lang in ("es", "pt", "it") and x < 0.15:
            return name + " " + self.pick("given-" + gender)
        if self.lang in ("de", "nl") and x < 0.05:
            return name + "-" + self.pick("given-" + gender)
        return name

    def family(self):
        name, x = self.pick("family"), self.r.random()
        if self.lang == "es" and x < 0.55:
            return name + " " + self.pick("family")
        if self.lang == "pt" and x < 0.5:
            return name + " " + self.r.choice(["", "", "da ", "dos ", "de "]) + self.pick("family")
        if self.lang in ("de", "nl", "fr") and x < 0.06:
            return name + "-" + self.pick("family")
        if x > 0.95 and " " not in name and name[0].isupper():
            particle = self.r.choice(self.l["particle"])
            return particle + ("" if particle.endswith("'") else " ") + name
        return name

    def full(self, gender=None):
        given, family, x = self.given(gender), self.family(), self.r.random()
        if x < 0.80:
            return f"{given} {family}"
        if x < 0.86:
            return f"{given[0]}. {family}"
        if x < 0.90:
            return f"{given} {self.pick('given-' + self.r.choice('fm'))[0]}. {family}"
        if x < 0.94:
            return f"{given} {self.pick('given-' + self.r.choice('fm'))} {family}"
        if x < 0.97:
            return f"{family}, {given}"
        return f"{given} {family.upper()}"

    # Places
    def street_name(self):
        return self.pick("street")

    def number(self):
        n = str(self.r.choice([self.r.randint(1, 40), self.r.randint(1, 250)]))
        x = self.r.random()
        if x < 0.12:
            return n + self.r.choice({"fr": [" bis", " ter"], "it": ["/A", "/B", "/2"], "nl": ["A", "-2", " hs"]}.get(self.lang, ["a", "b", " c", "-" + str(int(n.split()[0]) + 2)]))
        return n

    def street(self):
        name, number, x = self.street_name(), self.number(), self.r.random()
        if self.lang == "fr":
            return f"{number}{',' if x < 0.2 else ''} {name}"
        if self.lang in ("es", "pt", "it") and x < 0.45:
            extra = ""
            if self.lang == "es" and self.r.random() < 0.35:
                extra = f", {self.r.randint(1, 9)}.º {self.r.choice('ABCD')}"
            if self.lang == "pt" and self.r.random() < 0.35:
                extra = self.r.choice([f", {self.r.randint(1, 9)}.º Esq.", f", apto {self.digits(3)}", f", {self.r.randint(1, 9)}º Dto"])
            return f"{name}{self.r.choice([',', ', n.º', ' nº']) if self.lang != 'it' else ','} {number}{extra}"
        return f"{name} {number}"

    def zip(self):
        r = self.r
        if self.lang == "de":
            return r.choice([self.shape("#####"), self.shape("#####"), self.shape("D-#####"), self.shape("####"), self.shape("A-####")])
        if self.lang == "nl":
            return r.choice([self.shape("#### @@"), self.shape("#### @@"), self.shape("####@@"), self.shape("####")])
        if self.lang == "pt":
            return r.choice([self.shape("####-###"), self.shape("####-###"), self.shape("#####-###"), self.shape("####")])
        return self.shape("#####")

    def city(self):
        return self.pick("city")

    # Dates
    def date(self, birth=False):
        r = self.r
        year = r.randint(1930, 2012) if birth else r.randint(1995, 2027)
        day, month = r.randint(1, 28), r.randint(1, 12)
        name = self.l["month"][month - 1]
        numeric = [f"{day:02}.{month:02}.{year}", f"{day}.{month}.{year}", f"{day:02}.{month:02}.{year % 100:02}"] if self.lang == "de" else [
            f"{day:02}/{month:02}/{year}", f"{day}/{month}/{year}", f"{day:02}-{month:02}-{year}", f"{day:02}.{month:02}.{year}", f"{day:02}/{month:02}/{year % 100:02}"]
        if self.lang == "de":
            words = [f"{day}. {name} {year}", f"{day}. {name}", f"{day}. {self.l['month-short'][month - 1]} {year}", f"{self.pick('weekday')}, {day}. {name} {year}", f"{name} {year}"]
        elif self.lang == "fr":
            d = "1er" if day == 1 or r.random() < 0.05 else str(day)
            words = [f"{d} {name} {year}", f"{d} {name}", f"{self.pick('weekday')} {d} {name} {year}", f"{d} {name}", f"{name} {year}"]
        elif self.lang in ("es", "pt"):
            words = [f"{day} de {name} de {year}", f"{day} de {name}", f"{self.pick('weekday')}, {day} de {name} de {year}", f"{day} {name} {year}", f"{name} de {year}"]
        else:
            d = "1º" if self.lang == "it" and day == 1 else str(day)
            words = [f"{d} {name} {year}", f"{d} {name}", f"{self.pick('weekday')} {d} {name} {year}", f"{d} {self.l['month-short'][month - 1]} {year}", f"{name} {year}"]
        x = r.random()
        if x < 0.40:
            return r.choice(numeric)
        if x < 0.45:
            return f"{year}-{month:02}-{day:02}"
        return r.choices(words, [5, 3, 1, 1, 1])[0]

    def time(self):
        h, m = self.r.randint(0, 23), self.r.choice([0, 0, 15, 30, 45, self.r.randint(0, 59)])
        forms = {
            "de": [f"{h:02}:{m:02}", f"{h}.{m:02} Uhr", f"{h} Uhr", f"{h:02}:{m:02} Uhr"],
            "fr": [f"{h}h{m:02}", f"{h} h {m:02}", f"{h}h", f"{h:02}:{m:02}"],
            "es": [f"{h:02}:{m:02}", f"{h}:{m:02} h", f"{h}:{m:02}"],
            "it": [f"{h:02}:{m:02}", f"{h}.{m:02}", f"ore {h:02}:{m:02}"],
            "pt": [f"{h}h{m:02}", f"{h:02}:{m:02}", f"{h}h"],
            "nl": [f"{h:02}:{m:02}", f"{h}.{m:02} uur", f"{h} uur", f"{h:02}:{m:02} uur"],
        }
        return self.r.choice(forms[self.lang])

    def age(self):
        n = self.r.randint(1, 97)
        word = {"de": ["Jahre", "Jahre alt"], "fr": ["ans"], "es": ["años"], "it": ["anni"], "pt": ["anos"], "nl": ["jaar"]}[self.lang]
        return self.r.choice([f"{n} {self.r.choice(word)}"] * 4 + [f"{n}"])

    # Numbers
    def phone(self):
        forms = {
            "de": ["0## ########", "0### ######", "+49 ### #######", "0###/######", "0### - ######", "+49 (0)## ########", "01## #######", "+49 1## ### ## ##", "+43 1 ### ## ##", "+41 44 ### ## ##", "01##########"],
            "fr": ["0# ## ## ## ##", "0#.##.##.##.##", "0#########", "+33 # ## ## ## ##", "+33 (0)# ## ## ## ##", "+32 2 ### ## ##", "06 ## ## ## ##"],
            "es": ["9## ### ###", "6## ### ###", "6########", "+34 6## ## ## ##", "9# ### ## ##", "+34 9########", "+52 55 #### ####"],
            "it": ["06 ########", "3## #######", "+39 3## #######", "+39 02 #######", "0## ######", "3#########", "02/#######"],
            "pt": ["9## ### ###", "21# ### ###", "+351 9## ### ###", "(11) 9####-####", "+55 21 9####-####", "9########", "(##) ####-####"],
            "nl": ["06-########", "06 ########", "0##-#######", "+31 6 ########", "+31 (0)20 ### ## ##", "010 ### ## ##", "0412-######", "06 ## ## ## ##", "+32 4## ## ## ##"],
        }
        return self.shape(self.r.choice(forms[self.lang]))

    def amount(self):
        n = int(10 ** self.r.uniform(0.7, 5.8))
        dot = "\u00a0" if self.lang == "fr" and self.r.random() < 0.5 else ("." if self.lang != "fr" else " ")
        whole = f"{n:,}".replace(",", dot)
        cents = f",{self.r.randint(0, 99):02}" if self.r.random() < 0.55 else ""
        unit = self.r.choice({"pt": ["€", "euros", "reais", "EUR"], "de": ["€", "Euro", "EUR", "€"], "fr": ["€", "euros", "EUR", "€"], "es": ["€", "euros", "EUR", "pesos"], "it": ["€", "euro", "EUR"], "nl": ["€", "euro", "EUR"]}[self.lang])
        if self.lang == "pt" and self.r.random() < 0.3:
            return f"R$ {whole}{cents}"
        if self.lang == "nl" and self.r.random() < 0.6:
            return f"€ {whole}{cents or ',-'}"
        if self.r.random() < 0.12:
            return f"{self.r.choice(['€', 'EUR', 'CHF'])} {whole}{cents}"
        return f"{whole}{cents} {unit}"

    def iban(self):
        code, n = {"de": ("DE", 18), "fr": ("FR", 23), "es": ("ES", 20), "it": ("IT", 23), "pt": ("PT", 21), "nl": ("NL", 14)}[self.lang]
        body = self.digits(n)
        if self.lang == "nl":
            body = self.r.choice(["ABNA", "INGB", "RABO"]) + self.digits(10)
        if self.lang == "it":
            body = self.shape("@") + self.digits(22)
        check = 98 - int("".join(str(int(c, 36)) for c in body + code + "00")) % 97
        text = f"{code}{check:02}{body}"
        return " ".join(text[n:n + 4] for n in range(0, len(text), 4)) if self.r.random() < 0.6 else text

    def national_id(self):
        forms = {
            "de": ["## ###### @ ###", "########@###", "@#########", "## ### ### ###", "###########", "#### ######"],
            "fr": ["# ## ## ## ### ### ##", "# ## ## ## ### ###", "#############", "### ### ###", "### ### ### #####"],
            "es": ["########@", "########-@", "@#######@", "## ########## ##", "##.###.###-@"],
            "it": ["@@@@@@##@##@###@", "###########"],
            "pt": ["#########", "### ### ###", "###.###.###-##", "########-#-@@#", "###########"],
            "nl": ["#########", "#### ## ###", "###.###.###", "##.##.##-###.##"],
        }
        return self.shape(self.r.choice(forms[self.lang]))

    def tax_id(self):
        forms = {"de": ["## ### ### ###", "###########", "DE#########", "###/####/####"], "fr": ["#############", "### ### ### #####", "FR## #########"],
                 "es": ["@########", "########@", "ES@########"], "it": ["###########", "IT###########", "@@@@@@##@##@###@"],
                 "pt": ["#########", "PT#########", "##.###.###/####-##"], "nl": ["NL#########B##", "#########"]}
        return self.shape(self.r.choice(forms[self.lang]))

    def passport(self):
        return self.shape(self.r.choice(["@########", "@@#######", "@##@#####", "##@@#####", "@@@######", "########"]))

    def plate(self):
        forms = {"de": ["@-@@ ####", "@@-@ ###", "@@@-@@ ###", "@@ @@ ###"], "fr": ["@@-###-@@", "@@ ### @@", "#### @@ ##"], "es": ["#### @@@", "####-@@@", "@-####-@@"],
                 "it": ["@@###@@", "@@ ### @@"], "pt": ["##-@@-##", "@@-##-@@", "@@@-####", "@@@#@##"], "nl": ["##-@@@-#", "@@-###-@", "@-###-@@", "@@@-##-@"]}
        return self.shape(self.r.choice(forms[self.lang]))

    def id(self):
        return self.shape(self.r.choice(["########", "######", "@@-#####", "20##-#####", "@#####", "@@@-####-##", "##-####/##", "?????????", "#########", "@####-@##", "@@######", "2024/####", "#-####-####", "@@@#######"]))

    def plain(self, text):
        text = unicodedata.normalize("NFD", text.lower())
        return "".join(c for c in text if c.isascii() and c.isalnum())

    def username(self):
        given, family = self.plain(self.pick("given-" + self.r.choice("fm"))), self.plain(self.pick("family"))
        return self.r.choice([f"{given}.{family}", f"{given}{self.digits(2)}", f"{given[:1]}{family}", f"{given}_{family[:4]}", f"{family}{self.digits(3)}", f"{given}{family}"])

    def email(self):
        given, family = self.plain(self.pick("given-" + self.r.choice("fm"))), self.plain(self.pick("family"))
        host = self.r.choice(["example", "mail", "post", "firma", "web", self.plain(self.pick("family")), self.plain(self.pick("company-word"))])
        end = self.r.choice([{"pt": "pt"}.get(self.lang, self.lang if self.lang != "es" else "es"), "com", "net", "org", "eu"])
        return self.r.choice([f"{given}.{family}@{host}.{end}", f"{given[:1]}.{family}@{host}.{end}", f"{given}{self.digits(2)}@{host}.{end}", f"info@{host}.{end}"])

    def password(self):
        return self.r.choice([self.pick("city").split()[0] + self.digits(3) + "!", self.shape("??#??@#") + "$", self.plain(self.pick("given-f")).capitalize() + self.digits(4), self.shape("@##??#?").lower() + "#"])

    def company(self):
        word, suffix, family, x = self.pick("company-word"), self.pick("company-suffix"), self.pick("family").split()[-1], self.r.random()
        after = self.lang in ("de", "nl")
        if x < 0.35:
            return f"{family} {word} {suffix}" if after else f"{word} {family} {suffix}"
        if x < 0.5:
            return f"{family} & {self.pick('family').split()[-1]} {suffix}"
        if x < 0.62:
            return f"{family} {suffix}"
        if x < 0.75:
            return f"{word} {self.pick('city')}"
        if x < 0.85:
            return f"{family}{word.lower()}" if self.lang == "de" else f"{word} {family}"
        return f"{word} {self.pick('city')} {suffix}"

    def hospital(self):
        name = self.pick("hospital")
        return f"{name} {self.pick('city')}" if self.r.random() < 0.4 else name

    def school(self):
        name = self.pick("school")
        return f"{name} {self.pick('city')}" if self.r.random() < 0.3 else name

    def agency(self):
        name = self.pick("agency")
        for article in ("la ", "le ", "l'", "il ", "i ", "de ", "het "):
            if name.startswith(article) and self.lang in ("fr", "it", "nl"):
                return [(article, None), (name[len(article):], "Organisation")]
        return [(name, "Organisation")]

    def card(self):
        digits = self.r.choice("45") + self.digits(14)
        digits += luhn(digits)
        return self.r.choice([digits, " ".join(digits[n:n + 4] for n in range(0, 16, 4)), "-".join(digits[n:n + 4] for n in range(0, 16, 4))])

    def titled(self, full):
        gender = self.r.choice("fm")
        title = self.pick("title-" + gender)
        name = self.full(gender) if full else self.family()
        if self.r.random() < 0.2:
            title = title + " " + self.pick("doctor")
        return [(title, "Title"), (" ", None), (name, "Person")]

    def address(self):
        parts = [(self.street(), "Address"), (self.r.choice([", ", ", ", "\n", " - "]), None), (self.zip(), "PostalCode"), (" ", None), (self.city(), "Location")]
        if self.r.random() < 0.15:
            parts += [(", ", None), (self.pick("country"), "Location")]
        return parts

    def draw(self, slot):
        one = {
            "name": ("Person", self.full), "first": ("Person", self.given), "last": ("Person", self.family),
            "fem": ("Person", lambda: self.given("f")), "masc": ("Person", lambda: self.given("m")),
            "full_f": ("Person", lambda: self.full("f")), "full_m": ("Person", lambda: self.full("m")),
            "title_m": ("Title", lambda: self.pick("doctor")), "job": ("Job", lambda: self.pick("job")),
            "company": ("Organisation", self.company), "hospital": ("Organisation", self.hospital), "school": ("Organisation", self.school),
            "city": ("Location", self.city), "country": ("Location", lambda: self.pick("country")),
            "street": ("Address", self.street), "street_name": ("Address", self.street_name), "zip": ("PostalCode", self.zip),
            "date": ("Date", self.date), "dob": ("Date", lambda: self.date(True)), "month": ("Date", lambda: self.pick("month")),
            "weekday": ("Date", lambda: self.pick("weekday")), "year": ("Date", lambda: str(self.r.randint(1920, 2026))), "time": ("Time", self.time),
            "age": ("Age", self.age), "origin": ("Trait", lambda: self.pick("origin")), "religion": ("Trait", lambda: self.pick("religion")),
            "marital": ("Trait", lambda: self.pick("marital")), "phone": ("Phone", self.phone), "email": ("Email", self.email),
            "username": ("Username", self.username), "password": ("Password", self.password), "ip": ("IpAddress", lambda: ".".join(str(self.r.randint(1, 254)) for _ in range(4))),
            "iban": ("Iban", self.iban), "card": ("CreditCard", self.card), "cvv": ("CardCode", lambda: self.digits(self.r.choice([3, 3, 4]))),
            "expiry": ("CardCode", lambda: f"{self.r.randint(1, 12):02}/{self.r.randint(25, 32)}"), "account": ("BankAccount", lambda: self.digits(self.r.choice([8, 10]))),
            "amount": ("Money", self.amount), "national_id": ("NationalId", self.national_id), "tax_id": ("NationalId", self.tax_id),
            "passport": ("Passport", self.passport), "plate": ("Plate", self.plate), "id": ("Id", self.id),
            "disease": ("Health", lambda: self.pick("disease")), "drug": ("Medication", lambda: self.r.choice(self.drugs)),
            "number": (None, lambda: str(self.r.randint(2, 900))), "version": (None, lambda: f"{self.r.randint(1, 9)}.{self.r.randint(0, 20)}"),
        }
        if slot in one:
            kind, make = one[slot]
            return [(make(), kind)]
        return {"mr_last": lambda: self.titled(False), "mr_name": lambda: self.titled(True), "address": self.address, "agency": self.agency}[slot]()


def fill(template, values):
    """Fills one template. Returns the text and spans (start, end, kind) in characters."""
    text, spans, at = "", [], 0
    while at < len(template):
        c = template[at]
        if c == "(":
            close = template.find(")", at)
            inner = template[at + 1:close]
            if close > 0 and "|" in inner and "{" not in inner:
                text += values.r.choice(inner.split("|"))
                at = close + 1
                continue
        if c == "{":
            close = template.index("}", at)
            for piece, kind in values.draw(template[at + 1:close]):
                if kind:
                    spans.append((len(text), len(text) + len(piece), kind))
                text += piece
            at = close + 1
            continue
        text += c
        at += 1
    return text, spans


def read_templates(folder, held_out):
    """Templates of all languages. Every sixth is held out, at the same place in every language."""
    made = {}
    for language in LANGUAGES:
        lines = [l for l in (Path(folder) / f"{language}.txt").read_text("utf-8").splitlines() if l.strip() and not l.startswith("#")]
        made[language] = [l.replace("\\n", "\n") for n, l in enumerate(lines) if (n % 6 == 2) == held_out]
    return made


if __name__ == "__main__":
    import sys
    lists = part(read_lists(sys.argv[1]), False)
    rng = random.Random(1)
    for language, templates in read_templates("templates", False).items():
        for template in templates[:8]:
            print(language, fill(template, Values(lists, language, ["ibuprofen"], rng)))
