//! The explanation as a self-contained page: no scripts, nothing to load, readable without colours. It is
//! written document by document, so that memory does not grow with the input.

use std::io::{self, Write};
use std::ops::Range;

use inkveil::explain::{ExplainedDocument, ExplainedUnit, VeilTerms, rounded};
use inkveil::{Group, Receipt};

use crate::visible::Escaped;

const STYLE: &str = include_str!("page.css");

/// A page in progress.
pub(in crate::text) struct Page<W> {
    out: W,
}

impl<W: Write> Page<W> {
    /// Begins the page with a legend of the groups.
    pub(in crate::text) fn begin(mut out: W, terms: &VeilTerms) -> io::Result<Self> {
        out.write_all(
            b"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
              <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
              <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
              <title>inkveil text: every word explained</title>\n<style>\n",
        )?;
        out.write_all(STYLE.as_bytes())?;
        out.write_all(
            b"</style>\n</head>\n<body>\n<h1>Every word explained</h1>\n\
              <p class=\"private\"><strong>Private.</strong> This page holds the original text. Protect it like the original, and \
              do not send it with the veiled text.</p>\n\
              <p>Each word is sensitive or not, and needed for the task or not. This makes four groups, each with a budget \
              \xce\xb5:</p>\n<ul class=\"legend\">\n",
        )?;
        for group in Group::ALL {
            let (class, epsilon) = (class(group), terms.budgets.of(group).readable());
            let treatment = terms.treatment(group);
            writeln!(
                out,
                "<li><span class=\"word {class}\">{group}</span> \u{3b5} = {epsilon}: {treatment}</li>"
            )?;
        }
        out.write_all(b"</ul>\n<p class=\"note\">")?;
        if let Some(meaning) = terms.meaning() {
            write!(out, "A smaller \u{3b5} reveals less about a word; {}. ", Escaped(&meaning))?;
        }
        out.write_all(
            b"Bold words were changed. Point at a word, or move to it with the tab key, to see why.</p>\n",
        )?;
        Ok(Self { out })
    }

    /// A document: original and veiled text side by side.
    pub(in crate::text) fn document(
        &mut self,
        document: &ExplainedDocument,
        terms: &VeilTerms,
    ) -> io::Result<()> {
        let out = &mut self.out;
        out.write_all(b"<article>\n")?;
        if let Some(line) = document.original.line {
            writeln!(out, "<h2>Line {line}</h2>")?;
        }
        if !document.has_task {
            out.write_all(b"<p class=\"note\">There is no task, so no word counts as needed.</p>\n")?;
        }
        out.write_all(b"<div class=\"pair\">\n<section>\n<h3>Original</h3>\n<div class=\"text\">")?;
        let original = document.units.iter().map(|unit| (unit.range.clone(), unit));
        self.words(document, &document.original.text, original, terms)?;
        self.out.write_all(b"</div>\n</section>\n<section>\n<h3>Veiled</h3>\n<div class=\"text\">")?;
        if let Some(release) = &document.release {
            let written = document
                .units
                .iter()
                .filter_map(|unit| Some((unit.replacement.as_ref()?.range.clone(), unit)));
            self.words(document, &release.veiled, written, terms)?;
        }
        let out = &mut self.out;
        out.write_all(b"</div>\n</section>\n</div>\n")?;
        if let Some(repaired) = document.release.as_ref().and_then(|release| release.repaired.as_ref()) {
            match repaired.refused {
                None => {
                    write!(out, "<h3>Repaired</h3>\n<div class=\"text\">{}</div>\n", Escaped(&repaired.text))?
                }
                Some(why) => writeln!(out, "<p class=\"note\">Not repaired: {}.</p>", Escaped(why))?,
            }
        }
        out.write_all(b"</article>\n")
    }

    /// Ends the page with the receipt.
    pub(in crate::text) fn end(mut self, receipt: &Receipt) -> io::Result<W> {
        write!(self.out, "<h2>Receipt</h2>\n<pre>{}</pre>\n</body>\n</html>\n", Escaped(&receipt.render()))?;
        Ok(self.out)
    }

    /// A text with its words marked.
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
            write!(self.out, "{}", Escaped(between))?;
            if !word.is_empty() {
                let changed = unit.is_changed();
                write!(
                    self.out,
                    "<span class=\"word {}{}\" tabindex=\"0\">{}<span class=\"why\" role=\"tooltip\">",
                    class(unit.group),
                    if changed { " changed" } else { "" },
                    Escaped(word)
                )?;
                for line in why(document, unit, terms) {
                    write!(self.out, "<span>{}</span>", Escaped(&line))?;
                }
                self.out.write_all(b"</span></span>")?;
            }
            at = range.end;
        }
        write!(self.out, "{}", Escaped(text.get(at..).unwrap_or_default()))
    }
}

fn class(group: Group) -> &'static str {
    ["g1", "g2", "g3", "g4"][group.number() - 1]
}

/// Explains a word, in lines.
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
                "{needed}: relevance {}; a word is needed if {}; so is the whole name or phrase it belongs to",
                rounded(relevance),
                terms.needed_if
            )
        }
        None => format!("{needed}: not in the lexicon, so it has no relevance"),
    });
    lines.push(format!("group {}, \u{3b5} = {}: {}", unit.group, unit.epsilon.readable(), unit.outcome()));
    lines
}
