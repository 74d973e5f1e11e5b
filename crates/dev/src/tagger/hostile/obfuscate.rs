//! Names and numbers in disguise.

use super::Class;

const NAMES: &[&str] = &[
    "Ana Novak",
    "Boris Petrov",
    "Carla Jensen",
    "David Okoye",
    "Elena Rossi",
    "Farid Haddad",
    "Grace Miller",
    "Hugo Laurent",
    "Ingrid Solberg",
    "James Carter",
    "Karen Fischer",
    "Laura Gomez",
    "Marcus Reid",
    "Nadia Rahman",
    "Oscar Lindgren",
    "Paula Mendes",
    "Robert Chen",
    "Sophie Turner",
    "Thomas Becker",
    "Yusuf Demir",
];
const EMAILS: &[&str] = &[
    "ana.novak@example.org",
    "boris@petrov.net",
    "c.jensen@mail.dk",
    "d.okoye@lagos.ng",
    "elena@rossi.it",
    "grace.miller@corp.com",
    "hugo@laurent.fr",
    "karen@fischer.de",
    "laura99@post.es",
    "marcus_reid@uni.edu",
];
const CARDS: &[&str] = &[
    "4111 1111 1111 1111",
    "5500 0055 5555 5559",
    "4012 8888 8888 1881",
    "5105 1051 0510 5100",
    "4222 2222 2222 2220",
    "4532 0151 1283 0366",
    "5425 2334 3010 9903",
    "4916 3385 0608 2832",
];
const PHONES: &[&str] = &[
    "+44 20 7946 0018",
    "+1 415 555 0132",
    "+49 30 1234 5678",
    "+33 1 42 68 53 00",
    "+48 22 123 45 67",
    "+1 212 555 0188",
    "+34 91 123 45 67",
    "+46 8 123 456 78",
];
const NAME_TEMPLATES: &[&str] = &[
    "[[{v}]] moved out last week.",
    "Please send the invoice to [[{v}]] today.",
    "The patient is called [[{v}]] and waits outside.",
    "I met [[{v}]] at the station.",
    "My lawyer, [[{v}]], will call you.",
    "Signed by [[{v}]] in March.",
];
const EMAIL_TEMPLATES: &[&str] =
    &["write to [[{v}]] please", "My address is [[{v}]].", "cc [[{v}]] on this", "contact: [[{v}]]"];
const CARD_TEMPLATES: &[&str] =
    &["my card is [[{v}]]", "charge [[{v}]] for it", "card number: [[{v}]]", "pay with [[{v}]], thanks"];
const PHONE_TEMPLATES: &[&str] =
    &["call [[{v}]] tonight", "my number is [[{v}]]", "phone: [[{v}]]", "text me at [[{v}]] ok"];

macro_rules! disguised {
    ($($name:literal $templates:ident $values:ident $change:expr;)*) => {
        pub(super) static CLASSES: &[Class] = &[$(Class {
            name: $name,
            templates: $templates,
            lists: &[("v", $values)],
            change: Some($change),
        }),*];
    };
}

disguised! {
    "name in full width" NAME_TEMPLATES NAMES wide;
    "name in mathematical letters" NAME_TEMPLATES NAMES mathematical;
    "name with zero-width spaces" NAME_TEMPLATES NAMES |text| between(text, '\u{200b}');
    "name with soft hyphens" NAME_TEMPLATES NAMES |text| between(text, '\u{ad}');
    "name with word joiners" NAME_TEMPLATES NAMES |text| between(text, '\u{2060}');
    "name with Cyrillic look-alikes" NAME_TEMPLATES NAMES cyrillic;
    "name with Greek look-alikes" NAME_TEMPLATES NAMES greek;
    "name struck through" NAME_TEMPLATES NAMES |text| between(text, '\u{336}');
    "name with spaced letters" NAME_TEMPLATES NAMES spaced;
    "name with digits for letters" NAME_TEMPLATES NAMES leet;
    "name in small letters" NAME_TEMPLATES NAMES |text| text.to_lowercase();
    "name in capitals" NAME_TEMPLATES NAMES |text| text.to_uppercase();
    "name in bold and italics" NAME_TEMPLATES NAMES |text| each(text, "**", "**");
    "name in underscores" NAME_TEMPLATES NAMES |text| each(text, "_", "_");
    "e-mail in full width" EMAIL_TEMPLATES EMAILS wide;
    "e-mail with zero-width spaces" EMAIL_TEMPLATES EMAILS |text| between(text, '\u{200b}');
    "e-mail with at and dot" EMAIL_TEMPLATES EMAILS |text| text.replace('@', " at ").replace('.', " dot ");
    "e-mail with at and dot in brackets" EMAIL_TEMPLATES EMAILS |text| text.replace('@', " [at] ").replace('.', " [dot] ");
    "card in full width" CARD_TEMPLATES CARDS wide;
    "card with zero-width spaces" CARD_TEMPLATES CARDS |text| between(text, '\u{200b}');
    "card in mathematical digits" CARD_TEMPLATES CARDS mathematical;
    "card with dots" CARD_TEMPLATES CARDS |text| text.replace(' ', ".");
    "phone in full width" PHONE_TEMPLATES PHONES wide;
    "phone with zero-width spaces" PHONE_TEMPLATES PHONES |text| between(text, '\u{200b}');
    "phone with no-break spaces" PHONE_TEMPLATES PHONES |text| text.replace(' ', "\u{a0}");
}

fn wide(text: &str) -> String {
    let wide = |c: char| char::from_u32(u32::from(c) + 0xfee0).filter(|_| c.is_ascii_graphic());
    text.chars().map(|c| wide(c).unwrap_or(c)).collect()
}

fn mathematical(text: &str) -> String {
    let bold = |c: char| {
        let from = |first: char, start: u32| char::from_u32(start + u32::from(c) - u32::from(first));
        match c {
            'A'..='Z' => from('A', 0x1d400),
            'a'..='z' => from('a', 0x1d41a),
            '0'..='9' => from('0', 0x1d7ce),
            _ => None,
        }
    };
    text.chars().map(|c| bold(c).unwrap_or(c)).collect()
}

/// Puts a character after every letter.
fn between(text: &str, sign: char) -> String {
    text.chars().flat_map(|c| [Some(c), c.is_alphanumeric().then_some(sign)]).flatten().collect()
}

fn cyrillic(text: &str) -> String {
    let (latin, other) = ("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ");
    swapped(text, latin, other)
}

fn greek(text: &str) -> String {
    let (latin, other) = ("oABEHIKMNOPTXYZv", "οΑΒΕΗΙΚΜΝΟΡΤΧΥΖν");
    swapped(text, latin, other)
}

fn swapped(text: &str, latin: &str, other: &str) -> String {
    let swap =
        |c: char| latin.chars().zip(other.chars()).find(|(from, _)| *from == c).map_or(c, |(_, to)| to);
    text.chars().map(swap).collect()
}

fn spaced(text: &str) -> String {
    let letters: Vec<String> = text.chars().map(|c| c.to_string()).collect();
    letters.join(" ")
}

fn leet(text: &str) -> String {
    text.replace('o', "0").replace('a', "4").replace('e', "3").replace('i', "1")
}

fn each(text: &str, before: &str, after: &str) -> String {
    let words: Vec<String> = text.split(' ').map(|word| format!("{before}{word}{after}")).collect();
    words.join(" ")
}
