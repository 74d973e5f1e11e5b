//! Names from lists in scripts other than Latin, for languages without a tagger.
//!
//! A list alone would find words that only look like names. So each script asks for more than one word of a
//! list: a given name with a family name, a title, a capital, or a word of saying beside it. `cased.rs` reads
//! Cyrillic and Greek, which inflect; `forms.rs` has their endings. `spaced.rs` reads Arabic, Persian, Hebrew
//! and Hindi. `chinese.rs`, `japanese.rs` and `korean.rs` read scripts in which names touch other words.
//! `lists.rs` has the lists and `letters.rs` the scripts.

mod cased;
mod chinese;
mod forms;
mod japanese;
mod korean;
mod letters;
mod lists;
mod spaced;
#[cfg(test)]
mod tests;
mod unspaced;
mod words;

use crate::kind::Kind;
use crate::span::{FoundBy, Reason, Span};
use letters::{Script, Scripts};

pub use lists::{ListedPart, ListedSpeech};

/// A name in a text, before it becomes a span.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Name {
    start: usize,
    end: usize,
    score: f32,
}

/// A given name with a family name, or another form that hardly anything else has.
const WHOLE: f32 = 0.92;
/// A name that a title, a role or a word of saying supports.
const SUPPORTED: f32 = 0.85;
/// A name that only its place and the list support.
const ALONE: f32 = 0.7;

/// Adds the names of people in other scripts than Latin. A text without such letters costs one look at its bytes.
pub(crate) fn find(text: &str, found: &mut Vec<Span>) {
    if letters::is_latin_only(text) {
        return;
    }
    let scripts = Scripts::of(text);
    let mut names = Vec::new();
    let mut add = |script: Script, names: &mut Vec<Name>| {
        found.extend(names.drain(..).map(|name| Span {
            start: name.start,
            end: name.end,
            kind: Kind::Person,
            score: name.score,
            reason: Reason::new(FoundBy::Gazetteer, script.list()),
        }));
    };
    for script in scripts.iter() {
        match script {
            Script::Cyrillic | Script::Greek => cased::find(text, script, &mut names),
            Script::Arabic | Script::Hebrew | Script::Devanagari => spaced::find(text, script, &mut names),
            Script::Han => {
                chinese::find(text, scripts, &mut names);
                add(script, &mut names);
                japanese::find(text, scripts, &mut names);
            }
            Script::Hangul => korean::find(text, &mut names),
            Script::Kana => {}
        }
        add(script, &mut names);
    }
}
