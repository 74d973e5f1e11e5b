//! What happened to every word, as a page. It is written document by document, so that memory does not grow with the input.

use std::io::{self, Write};
use std::ops::Range;

use inkveil_privacy::Receipt;
use inkveil_report::{AnnotatedHead, AnnotatedPage, Colour, LegendEntry, Mark, Underline};
use inkveil_text::Group;

use crate::explain::{ExplainedDocument, ExplainedUnit, VeilTerms, rounded};

/// The explanation of documents, word by word. **Private**: it holds the originals.
///
/// # Errors
/// All functions fail only if the page cannot be written.
pub struct ExplanationPage<W> {
    out: W,
    page: AnnotatedPage,
}

impl<W: Write> ExplanationPage<W> {
    /// Begins the page with the groups.
    pub fn begin(mut out: W, terms: &VeilTerms) -> io::Result<Self> {
        let entry = |group: Group| {
            let (colour, underline) = look(group);
            let text = format!("ε = {}: {}", terms.budgets.of(group).readable(), terms.treatment(group));
            LegendEntry { name: group.to_string(), text, colour, underline }
        };
        let meaning = terms
            .meaning()
            .map_or_else(String::new, |meaning| format!("A smaller ε reveals less of a word; {meaning}. "));
        let page = AnnotatedPage::new(AnnotatedHead {
            title: "How each word was treated".to_owned(),
            warning: "This page contains the original text. Protect it like the original, and do not send it \
                      together with the veiled text."
                .to_owned(),
            text: "Each word is sensitive or not, and needed for the task or not. This makes four groups, each with a \
                   budget ε:"
                .to_owned(),
            legend: Group::ALL.map(entry).to_vec(),
            note: format!(
                "{meaning}Bold words have changed. Point at a word, or move to it with the tab key, to see why."
            ),
        });
        page.begin(&mut out)?;
        Ok(Self { out, page })
    }

    /// Writes a document: the original and the veiled text side by side.
    pub fn document(&mut self, document: &ExplainedDocument, terms: &VeilTerms) -> io::Result<()> {
        let Self { out, page } = self;
        page.open_document(out)?;
        if let Some(line) = document.original.line {
            page.heading(out, &format!("Line {line}"))?;
        }
        if !document.has_task {
            page.note(out, "There is no task, so no word counts as needed.")?;
        }
        page.open_columns(out)?;
        page.open_text(out, Some("Original"))?;
        let original = document.units.iter().map(|unit| (unit.range.clone(), unit));
        self.words(document, &document.original.text, original, terms)?;
        self.page.close_text(&mut self.out)?;
        self.page.open_text(&mut self.out, Some("Veiled"))?;
        if let Some(release) = &document.release {
            let written = document
                .units
                .iter()
                .filter_map(|unit| Some((unit.replacement.as_ref()?.range.clone(), unit)));
            self.words(document, &release.veiled, written, terms)?;
        }
        let Self { out, page } = self;
        page.close_text(out)?;
        page.close_columns(out)?;
        if let Some(repaired) = document.release.as_ref().and_then(|release| release.repaired.as_ref()) {
            match repaired.discarded() {
                None => {
                    page.open_text(out, Some("Repaired"))?;
                    page.plain(out, &repaired.text)?;
                    page.close_text(out)?;
                }
                Some(why) => page.note(out, &format!("Not repaired: {why}."))?,
            }
        }
        page.close_document(out)
    }

    /// Ends the page with the receipt.
    pub fn end(mut self, receipt: &Receipt) -> io::Result<W> {
        self.page.preformatted(&mut self.out, "Receipt", &receipt.render())?;
        self.page.end(&mut self.out)?;
        Ok(self.out)
    }

    /// Writes a text with its words marked.
    fn words<'u>(
        &mut self,
        document: &ExplainedDocument,
        text: &str,
        words: impl Iterator<Item = (Range<usize>, &'u ExplainedUnit)>,
        terms: &VeilTerms,
    ) -> io::Result<()> {
        let mut at = 0;
        for (range, unit) in words.filter(|(_, unit)| unit.is_word()) {
            let (Some(between), Some(word)) = (text.get(at..range.start), text.get(range.clone())) else {
                continue;
            };
            self.page.plain(&mut self.out, between)?;
            if !word.is_empty() {
                let bold = unit.is_changed();
                let reason = why(document, unit, terms);
                let mark =
                    Mark { text: word, kind: unit.group.number() - 1, label: None, bold, reason: &reason };
                self.page.mark(&mut self.out, &mark)?;
            }
            at = range.end;
        }
        self.page.plain(&mut self.out, text.get(at..).unwrap_or_default())
    }
}

/// The groups differ in colour and in their line, so that they are distinguishable without colour.
fn look(group: Group) -> (Colour, Underline) {
    match group {
        Group::SensitiveNeeded => (Colour::AMBER, Underline::Solid),
        Group::Sensitive => (Colour::RED, Underline::Double),
        Group::Needed => (Colour::GREEN, Underline::Dashed),
        Group::Neither => (Colour::GREY, Underline::Dotted),
    }
}

/// Why a word was treated this way, in lines.
fn why(document: &ExplainedDocument, unit: &ExplainedUnit, terms: &VeilTerms) -> Vec<String> {
    let mut lines = vec![match document.replacement_of(unit) {
        Some("") => format!("\u{201c}{}\u{201d} was removed", document.original_of(unit)),
        Some(word) => {
            format!("\u{201c}{}\u{201d} \u{2192} \u{201c}{word}\u{201d}", document.original_of(unit))
        }
        None => format!("\u{201c}{}\u{201d}", document.original_of(unit)),
    }];
    lines.push(match (&unit.kind, &unit.reason) {
        (Some(kind), Some(reason)) => format!("sensitive: {kind} ({reason})"),
        (Some(kind), None) => format!("sensitive: {kind}"),
        (None, _) => "not sensitive".to_owned(),
    });
    let needed = if unit.group.is_needed() { "needed" } else { "not needed" };
    lines.push(match unit.relevance {
        _ if !document.has_task => "not needed: there is no task".to_owned(),
        Some(relevance) => {
            format!(
                "{needed}: relevance {}; a word is needed if {}, together with the rest of its span",
                rounded(relevance),
                terms.needed_if
            )
        }
        None => format!("{needed}: not in the lexicon, so it has no relevance"),
    });
    lines.push(format!("group {}, \u{3b5} = {}: {}", unit.group, unit.epsilon.readable(), unit.outcome()));
    lines
}
