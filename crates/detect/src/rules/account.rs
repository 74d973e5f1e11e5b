//! User names and passwords.

use std::ops::Range;

use super::label::USE;
use super::letters::{char_at, char_before, is_listed, is_word_char};
use super::rule::{Edges, Growth, Rule, Trigger, Verdict};
use crate::kind::Kind;

const NAMES: &[&str] = &[
    "user",
    "username",
    "usr",
    "login",
    "handle",
    "nick",
    "nickname",
    "userid",
    "screenname",
    "uid",
    "logon",
    "alias",
];
const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passcode",
    "passphrase",
    "passwort",
    "kennwort",
    "pwd",
    "pass",
    "pw",
    "contraseña",
    "senha",
    "wachtwoord",
    "mot",
];

/// A user name: letters and digits, with dots and dashes inside.
const NAME: &str = r"[\p{L}0-9][\p{L}0-9._-]{1,38}[\p{L}0-9]";

/// A password in a configuration file: up to a space, a quotation mark or a separator.
const PASSWORD: &str = r#"([^\s"'`<>,;]{2,63}[^\s"'`<>.,;])"#;

fn in_password(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | '<' | '>' | ',' | ';')
}

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("handle", Kind::Username, "A handle on a social network.", 0.7)
            .parsed(Trigger::At, handle)
            .checked("handle", handle_verdict, 0.75)
            .edges(Edges::Word),
        Rule::new("username-labelled", Kind::Username, "A user name after a label.", 0.85)
            .led(NAMES, format!(r#"(?i)(?:[ _-]?(?:name|id))?["']?\s{{0,3}}[:=]\s{{0,3}}["']?@?({NAME})"#))
            .led(&["user", "screen", "login"], format!(r"(?i) ?name is (?:now )?@?({NAME})"))
            .led(&["username", "nickname", "handle", "userid", "screenname"], format!("(?i) is (?:now )?@?({NAME})"))
            .checked("user name", labelled, 0.85)
            .edges(Edges::Word),
        Rule::new("username-mentioned", Kind::Username, "A user name after a word for one.", 0.7)
            .led(NAMES, r#"(?i)(?:[ _-]?(?:name|id))? ["'`]?([\p{L}][\p{L}0-9._-]{1,38}[\p{L}0-9_])"#)
            .checked("mentioned user name", mentioned, 0.75)
            .edges(Edges::Word),
        // Identifiers in source code look the same, so the score is low without a context word.
        Rule::new("username-shape", Kind::Username, "Joined names with a number at the end.", 0.4)
            .shape(r"[A-Za-z][a-z]{2,15}[._-]?[A-Za-z][a-z]{1,15}[._]?[0-9]{1,4}")
            .shape(r"[A-Za-z][a-z]{1,15}_[A-Za-z0-9]{1,16}[0-9]{1,6}")
            .checked("joined user name", shaped, 0.45)
            .near(["user", "username", "account", "login", "handle", "profile", "follow", "nick"], 0.85)
            .edges(Edges::Word),
        Rule::new("password-set", Kind::Password, "A password after a label.", 0.9)
            .led(
                PASSWORDS,
                format!(
                    r#"(?i)(?: de passe|{USE}{{1,3}})?["'`*]{{0,2}}\s{{0,3}}(?::|=>|:=|=)\s{{0,3}}["'`]?{PASSWORD}"#
                ),
            )
            .growing(Growth { from: 32, inside: in_password, loose: |c| c == '.' })
            .checked("password", set_to, 0.92)
            .edges(Edges::Word),
        Rule::new("password-said", Kind::Password, "A password in a sentence.", 0.85)
            .led(
                PASSWORDS,
                concat!(
                    r"(?i)(?: de passe)?(?: (?:for|to|of) (?:\S{1,20} ){1,3}?)?",
                    " ?(?:is|was|to|are|ist|lautet|est|es|will be|should be|set to)?(?: now| still)?:? ",
                    r#"["'`]?([^\s"'`<>,;]{3,63}[^\s"'`<>.,;?)])"#,
                ),
            )
            .growing(Growth { from: 32, inside: in_password, loose: |c| matches!(c, '.' | '?' | ')') })
            .checked("password in a sentence", said, 0.85)
            .edges(Edges::Word),
    ]
}

fn handle(text: &str, at: usize, found: &mut Vec<Range<usize>>) {
    if char_before(text, at)
        .is_some_and(|c| is_word_char(c) || matches!(c, '.' | '@' | '-' | '+' | '%' | '/'))
    {
        return;
    }
    let mut end = at + 1;
    while end - at < 32 {
        match char_at(text, end).filter(|c| is_word_char(*c) || matches!(c, '.' | '-')) {
            Some(c) => end += c.len_utf8(),
            None => break,
        }
    }
    let name = text[at..end].trim_end_matches(['.', '-']);
    if char_at(text, at + name.len()) != Some('@') {
        found.push(at..at + name.len());
    }
}

/// Words after an `@` in programs.
const ANNOTATIONS: &str = "\
    media import param return returns override property staticmethod classmethod keyframes charset \
    font-face author see since throws deprecated test autowired version inject component interface end \
    types everyone here channel supports page layer latest";

fn handle_verdict(text: &str) -> Verdict {
    let Some(name) = text.strip_prefix('@') else { return Verdict::Invalid };
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 2 || name.chars().count() < 3 {
        return Verdict::Invalid;
    }
    match is_listed(ANNOTATIONS, &name.to_lowercase()) {
        true => Verdict::Invalid,
        false => Verdict::Valid,
    }
}

/// Words after a label that are not its value.
const NOT_VALUES: &str = "\
    null none nil true false undefined required optional string str text varchar unknown empty the not \
    reset here this that and name names data input password username user email value int bool any \
    changed expired wrong incorrect invalid valid correct missing hidden protected below above secret \
    hash field protection manager policy strength must should can will has was reset. same different";

fn is_placeholder(text: &str) -> bool {
    let lower = text.to_lowercase();
    is_listed(NOT_VALUES, &lower)
        || text.chars().all(|c| matches!(c, '*' | '•' | '.' | '-' | '_' | '#' | '…' | '?'))
        || (text.chars().all(|c| matches!(c, 'x' | 'X')))
        || text.starts_with(['$', '{', '<', '%', '[']) && text.ends_with(['}', '>', '%', ']'])
        || text.starts_with("${")
        || text.ends_with("()")
}

fn labelled(text: &str) -> Verdict {
    if is_placeholder(text) || text.chars().all(|c| c.is_ascii_digit() || c == '.') && text.len() < 4 {
        Verdict::Invalid
    } else {
        Verdict::Valid
    }
}

fn mentioned(text: &str) -> Verdict {
    let letter = text.chars().any(char::is_alphabetic);
    let telling = text.chars().any(|c| c.is_ascii_digit() || c == '_')
        || text.trim_matches('.').split('.').filter(|part| part.len() > 1).count() == 2;
    if letter && telling && !is_placeholder(text) { Verdict::Valid } else { Verdict::Invalid }
}

/// Words before a number that are not names.
const NOT_NAMES: &[&str] =
    &["section", "chapter", "figure", "table", "page", "version", "covid", "step", "item"];

fn shaped(text: &str) -> Verdict {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase();
    let joined = text.contains(['.', '_']);
    let capitals = text.chars().filter(char::is_ascii_uppercase).count();
    if NOT_NAMES.iter().any(|known| word.starts_with(known)) || text.contains('-') {
        return Verdict::Invalid;
    }
    // Without a separator only names such as `AdaKing42` are accepted, not `mp3player2` or `figure12`.
    match (joined, capitals) {
        (true, 1..) => Verdict::Valid,
        (true, 0) => Verdict::Unsure,
        (false, 2) if text.starts_with(|c: char| c.is_ascii_uppercase()) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

fn set_to(text: &str) -> Verdict {
    if is_placeholder(text) { Verdict::Invalid } else { Verdict::Valid }
}

/// Accepts only values that do not look like ordinary words.
fn said(text: &str) -> Verdict {
    let (mut letters, mut digits, mut marks, mut upper_inside) = (0, 0, 0, false);
    for (place, c) in text.chars().enumerate() {
        match c {
            c if c.is_alphabetic() => {
                letters += 1;
                upper_inside |= place > 0 && c.is_uppercase();
            }
            c if c.is_ascii_digit() => digits += 1,
            '\'' | '-' | '’' | '/' | '.' => {}
            _ => marks += 1,
        }
    }
    let telling = (letters > 0 && (digits > 0 || marks > 0 || upper_inside))
        || digits >= 4
        || (marks > 0 && digits > 0);
    let shouted = !text.chars().any(|c| c.is_lowercase()) && digits == 0 && marks == 0;
    if telling && !shouted && !is_placeholder(text) { Verdict::Valid } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn handle() {
        finds(
            "handle",
            &[
                "ask [[@ada_lovelace]].",
                "([[@ada.king]])",
                "cc [[@Ada99]], please",
                "[[@müller]] wrote",
                "thanks [[@grace-hopper]]!",
            ],
        );
        ignores(
            "handle",
            &["ada@example.org", "@", "@media screen", "@12", "@a", "a@b", "@Override", "@@ada"],
        );
    }

    #[test]
    fn usernames() {
        finds(
            "username-labelled",
            &[
                "username: [[ada_l]]",
                "User name is [[adaking]]",
                "\"login\": \"[[a.king]]\"",
                "userid=[[ak1815]]",
                "Handle: @[[countess]]",
            ],
        );
        ignores(
            "username-labelled",
            &["user: null", "the user is often away", "username = ", "login: required", "abuser: x_1"],
        );
        finds(
            "username-mentioned",
            &[
                "user [[ada_99]] left",
                "username [[adaking7]].",
                "login '[[ada.king]]'",
                "the handle [[x_y9]]",
                "nickname [[ada_l]] is",
            ],
        );
        ignores(
            "username-mentioned",
            &["user interface", "the user went 99", "login page", "handle it.", "users ada_9"],
        );
        finds(
            "username-shape",
            &[
                "follow [[Ada_King42]] there",
                "her profile: [[ada.king1815]]",
                "account of [[AdaKing99]]",
                "login with [[grace_hopper1]]",
                "follow [[ada_k7]]",
            ],
        );
        ignores(
            "username-shape",
            &[
                "is_utf8",
                "self.stride2",
                "figure12",
                "covid19",
                "March2021",
                "AB12",
                "mp3player2",
                "Section2",
                "utf8",
            ],
        );
    }

    #[test]
    fn long_passwords_are_found_completely() {
        for length in [63, 64, 65, 200, 1000] {
            let password = "x!9é".chars().cycle().take(length - 1).collect::<String>() + "7";
            let dotted = format!("{}.{}", &password[..2], password.replace('é', "."));
            finds("password-set", &[&format!("pwd=[[{password}]] ok"), &format!("pwd: [[{dotted}]].")]);
            finds("password-said", &[&format!("(the password is [[{password}]])")]);
        }
    }

    #[test]
    fn passwords() {
        finds(
            "password-set",
            &[
                "password: [[hunter2]]",
                "pwd=[[s3cr3t!x]] ok",
                "\"userPassword\": \"[[correct-horse]]\"",
                "DB_PASSWORD=[[tr0ub4dor&3]]",
                "Passwort: [[geheim]].",
                "mot de passe : [[soleil42]]",
                "DB2_PASSWORD=[[hunter2x]]",
                "DB_PASSWORD_PROD=[[hunter2x]]",
                "password2: [[hunter2x]]",
                "oldPasswordBackup = '[[hunter2x]]'",
                "db-password-staging-1: [[hunter2x]]",
            ],
        );
        ignores(
            "password-set",
            &[
                "password: null",
                "password = ****",
                "password: ${PASS}",
                "password:",
                "bypass: yes",
                "password=get()",
                "PASSWORD_RESET_TIMEOUT=259200",
                "password_min_length: 12",
                "password_newsletter: yes!",
            ],
        );
        finds(
            "password-said",
            &[
                "the password is [[hunter2]].",
                "my passcode was [[4711]]",
                "pwd [[aB3$xyz]] works",
                "password for the router is [[Tr0ub4dor]]",
                "\"password [[x!9zz]]\"",
            ],
        );
        ignores(
            "password-said",
            &[
                "the password is wrong",
                "passwords are hard",
                "password is required.",
                "pass the salt",
                "a password reset",
                "pass me 12",
            ],
        );
    }
}
