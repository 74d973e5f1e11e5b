//! Names in records and markup, words that are names, numbers and secrets in words.

use super::Class;

const FIRST: &[&str] = &[
    "John", "Maria", "Ahmed", "Olga", "Peter", "Lucia", "Kevin", "Amina", "Stefan", "Rachel", "Diego",
    "Hannah", "Viktor", "Priya",
];
const LAST: &[&str] = &[
    "Smith", "Garcia", "Hassan", "Ivanova", "Schmidt", "Moretti", "Johnson", "Khan", "Kowalski", "Cohen",
    "Torres", "Larsson",
];
const FIRST_LOWER: &[&str] = &[
    "john", "maria", "ahmed", "olga", "peter", "lucia", "kevin", "stefan", "rachel", "diego", "hannah",
    "viktor",
];
const LAST_LOWER: &[&str] =
    &["smith", "garcia", "hassan", "schmidt", "johnson", "khan", "kowalski", "cohen", "torres", "larsson"];
const CITY: &[&str] =
    &["Paris", "Berlin", "Madrid", "Chicago", "Lagos", "Warsaw", "Boston", "Mumbai", "Toronto", "Oslo"];
const CITY_LOWER: &[&str] =
    &["paris", "berlin", "madrid", "chicago", "lagos", "warsaw", "boston", "mumbai", "toronto"];
const DIGIT: &[&str] = &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const MONTH: &[&str] = &["january", "March", "april", "June", "july", "October", "november", "December"];
const DAY: &[&str] =
    &["first", "second", "third", "ninth", "twelfth", "nineteenth", "twenty-first", "thirtieth"];
const YEAR: &[&str] =
    &["nineteen eighty-seven", "nineteen sixty four", "two thousand and five", "nineteen ninety-nine"];
const WORD: &[&str] = &[
    "copper", "velvet", "tractor", "lemon", "harbor", "falcon", "winter", "marble", "pencil", "galaxy",
    "ribbon", "anchor", "thunder", "cactus", "violin", "meadow", "rocket", "saddle", "oyster", "canyon",
];

macro_rules! plain {
    ($($name:literal [$($template:literal),* $(,)?] [$($list:literal $values:ident),* $(,)?];)*) => {
        pub(super) static CLASSES: &[Class] = &[$(Class {
            name: $name,
            templates: &[$($template),*],
            lists: &[$(($list, $values)),*],
            change: None,
        }),*];
    };
}

const NAME_WORDS: &[&str] = &[
    "summer", "hope", "grace", "faith", "joy", "rose", "will", "mark", "frank", "bill", "dawn", "autumn",
    "amber", "ruby", "jasmine", "lily", "violet", "daisy", "iris", "ginger",
];
const PLACE_WORDS: &[&str] =
    &["reading", "nice", "bath", "mobile", "buffalo", "phoenix", "orange", "split", "cork", "sandwich"];
const EMPLOYER_WORDS: &[&str] =
    &["target", "gap", "shell", "apple", "orange", "subway", "boots", "next", "amazon", "costa", "staples"];
const VANITY: &[&str] = &[
    "1-800-FLOWERS",
    "1-800-GOT-JUNK",
    "0800 DENTIST",
    "1-888-LAWYERS",
    "1-877-KARS4KIDS",
    "555-CALL-NOW",
    "1-800-CONTACTS",
    "1-866-PAINTER",
    "0900 TAROT",
    "1-855-FIXCARS",
];
const PIN_LABEL: &[&str] =
    &["my pin is", "the PIN code is", "card pin:", "the alarm code is", "door code:", "the passcode is"];
const SECRET_LABEL: &[&str] =
    &["the passphrase is", "my password is", "passphrase:", "wifi password:", "Passphrase for the vault is"];
const SEED_LABEL: &[&str] = &[
    "seed phrase:",
    "my recovery phrase is",
    "wallet seed:",
    "the mnemonic is",
    "backup phrase:",
    "recovery words:",
];
const STREET: &[&str] = &["Elm Road", "Mill Lane", "Oak Street", "Park Avenue", "Hill Drive"];
const KIN: &[&str] = &["friend", "sister", "neighbour", "boss", "cousin", "roommate"];
const ID: &[&str] = &["AB-20417", "77-1093-X", "K9J2-441", "P0099183", "C-555-019", "Z81 22 45"];

plain! {
    "name in Markdown" ["**[[{first}]]** *[[{last}]]* left", "- __[[{first}]]__ **[[{last}]]**", "# [[{first}]] [[{last}]]",
        "> *[[{first}]] [[{last}]]* wrote:", "1. [[{first}]] [[{last}]] (owner)", "| [[{first}]] | [[{last}]] | paid |"]
        ["first" FIRST, "last" LAST];
    "name in HTML tags" ["<b>[[{first}]]</b> <i>[[{last}]]</i>", "<td>[[{first}]]</td><td>[[{last}]]</td>", "<p>Dear [[{first}]] <em>[[{last}]]</em>,</p>",
        "<li>[[{first}]] [[{last}]]</li>", "<span class=\"n\">[[{first}]]</span> <span>[[{last}]]</span>", "<a href=\"#\">[[{first}]] [[{last}]]</a>"]
        ["first" FIRST, "last" LAST];
    "record with semicolons" ["[[{last}]];[[{first}]];[[{city}]]", "[[{first}]];[[{last}]];[[{city}]];active", "12;[[{last}]];[[{first}]];[[{city}]]"]
        ["first" FIRST, "last" LAST, "city" CITY];
    "record with bars" ["[[{last}]]|[[{first}]]|[[{city}]]", "[[{first}]]|[[{last}]]|[[{city}]]|7", "id|[[{last}]]|[[{first}]]|[[{city}]]"]
        ["first" FIRST_LOWER, "last" LAST_LOWER, "city" CITY_LOWER];
    "record with tabs" ["[[{last}]]\t[[{first}]]\t[[{city}]]", "[[{first}]]\t[[{last}]]\t[[{city}]]\tx"]
        ["first" FIRST_LOWER, "last" LAST_LOWER, "city" CITY_LOWER];
    "record with commas" ["[[{last}]],[[{first}]],[[{city}]]", "\"[[{first}]]\",\"[[{last}]]\",\"[[{city}]]\"", "9,[[{first}]],[[{last}]],[[{city}]]"]
        ["first" FIRST_LOWER, "last" LAST_LOWER, "city" CITY_LOWER];
    "record in JSON" ["{\"first\":\"[[{first}]]\",\"last\":\"[[{last}]]\"}", "{\"name\": {\"given\": \"[[{first}]]\", \"family\": \"[[{last}]]\"}}",
        "{\"firstName\":\"[[{first}]]\",\"lastName\":\"[[{last}]]\"}", "[{\"surname\": \"[[{last}]]\", \"forename\": \"[[{first}]]\"}]"]
        ["first" FIRST_LOWER, "last" LAST_LOWER];
    "record in XML" ["<first>[[{first}]]</first><last>[[{last}]]</last>", "<firstname>[[{first}]]</firstname><surname>[[{last}]]</surname>",
        "<lname>[[{last}]]</lname>"] ["first" FIRST_LOWER, "last" LAST_LOWER];
    "record in YAML" ["first_name: [[{first}]]\nlast_name: [[{last}]]", "surname: [[{last}]]\nforename: [[{first}]]", "lastname=[[{last}]]&firstname=[[{first}]]"]
        ["first" FIRST_LOWER, "last" LAST_LOWER];
    "record in SQL" ["INSERT INTO people VALUES ('[[{first}]]', '[[{last}]]', '[[{city}]]');", "WHERE last_name = '[[{last}]]'", "UPDATE t SET first_name='[[{first}]]' WHERE id=3"]
        ["first" FIRST, "last" LAST, "city" CITY];
    "word that is also a name" ["[[{n}]] told me everything", "[[{n}]] is my neighbour", "my friend [[{n}]] called", "[[{n}]] texted me last night",
        "[[{n}]] and i went home", "my sister [[{n}]] is here"] ["n" NAME_WORDS];
    "word that is also a place" ["i live in [[{p}]]", "we moved to [[{p}]] last year", "she was born in [[{p}]]", "he grew up in [[{p}]]", "my flat in [[{p}]] is small"]
        ["p" PLACE_WORDS];
    "word that is also an employer" ["she works at [[{e}]]", "i worked at [[{e}]] for years", "he got fired from [[{e}]]", "my shift at [[{e}]] starts soon"]
        ["e" EMPLOYER_WORDS];
    "phone in words" ["call me on [[{d} {d} {d} {d} {d} {d} {d} {d} {d} {d}]]", "my cell is [[{d} {d} {d}, {d} {d} {d}, {d} {d} {d} {d}]]",
        "ring [[oh {d} {d} double {d} {d} {d} {d} {d} {d}]] please", "number: [[{d}-{d}-{d}-{d}-{d}-{d}-{d}]]"] ["d" DIGIT];
    "vanity number" ["call [[{v}]] now", "my office line is [[{v}]]", "reach her at [[{v}]].", "Dial [[{v}]] today"] ["v" VANITY];
    "date in words" ["born on the [[{d} of {m} {y}]]", "[[{m} {d}, {y}]] is my birthday", "we met on [[{m} the {d}]]", "she died on the [[{d} of {m}]]"]
        ["d" DAY, "m" MONTH, "y" YEAR];
    "PIN in words" ["{l} [[{d} {d} {d} {d}]]", "{l} [[{d}, {d}, {d}, {d}]]", "{l} [[{d} {d} {d} {d} {d} {d}]]"] ["l" PIN_LABEL, "d" DIGIT];
    "passphrase in words" ["{l} [[{w} {w} {w} {w}]]", "{l} [[{w}-{w}-{w}-{w}-{w}]]", "{l} \"[[{w} {w} {w}]]\""] ["l" SECRET_LABEL, "w" WORD];
    "seed phrase" ["{l} [[{w} {w} {w} {w} {w} {w} {w} {w} {w} {w} {w} {w}]]", "{l} [[{w}, {w}, {w}, {w}, {w}, {w}, {w}, {w}, {w}, {w}, {w}, {w}]]"]
        ["l" SEED_LABEL, "w" WORD];
    "name after a relation" ["my {k} [[{f}]] is ill", "ask my {k} [[{f}]]", "my {k} is called [[{f}]]", "this is my {k} [[{f}]] [[{l}]]"]
        ["k" KIN, "f" FIRST_LOWER, "l" LAST_LOWER];
    "name in a chat" ["[10:32] [[{f}]]: are you there", "@[[{f}]]_[[{l}]] did you see this", "tell [[{f}]] i said hi", "lol [[{f}]] stop it", "omg [[{f}]] [[{l}]] again"]
        ["f" FIRST_LOWER, "l" LAST_LOWER];
    "name with initials" ["[[{f} J. {l}]] signed", "[[J. {l}]] agreed", "[[{l}, {f}]] (absent)", "cc: [[{f}]] [[{l}]]"] ["f" FIRST, "l" LAST];
    "address without a number form" ["I live on [[{s}]], behind the church", "our house is the red one on [[{s}]]", "meet me at the corner of [[{s}]] and [[{s}]]"]
        ["s" STREET];
    "identifier with a label" ["member no [[{i}]]", "case number [[{i}]]", "employee ID: [[{i}]]", "patient id [[{i}]]", "policy [[{i}]]", "my licence is [[{i}]]"] ["i" ID];
    "family name alone" ["Mr [[{l}]] called", "the [[{l}]] family next door", "[[{l}]] owes me money", "ask Dr. [[{l}]]", "old [[{l}]] died"] ["l" LAST];
}
