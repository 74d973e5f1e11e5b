//! Texts with marked words and the reason of each mark.

use std::io::{self, Write};

use askama::Template;

use super::{END, begin, rendered};
use crate::escape::Escaped;
use crate::palette::{self, Colour};

/// The beginning of an [`AnnotatedPage`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnnotatedHead {
    /// The title.
    pub title: String,
    /// Why the page is private.
    pub warning: String,
    /// A paragraph before the legend.
    pub text: String,
    /// The kinds of marks.
    pub legend: Vec<LegendEntry>,
    /// A paragraph after the legend.
    pub note: String,
}

/// A kind of mark. Marks name it by its position in the legend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LegendEntry {
    /// Its name.
    pub name: String,
    /// What it means.
    pub text: String,
    /// Its colour; grey has no background.
    pub colour: Colour,
    /// Its line, which makes kinds distinguishable without colour.
    pub underline: Underline,
}

/// The line under a mark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Underline {
    /// A line.
    #[default]
    Solid,
    /// Two lines.
    Double,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
}

/// A marked part of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark<'a> {
    /// The text.
    pub text: &'a str,
    /// The position of its kind in the legend.
    pub kind: usize,
    /// A short label behind the text.
    pub label: Option<&'a str>,
    /// Whether it is printed in bold.
    pub bold: bool,
    /// The reason, in lines. They appear when the mouse is over the mark or the mark has the focus.
    pub reason: &'a [String],
}

/// A page of texts with marks. It is written piece by piece, so that memory does not grow with the
/// texts.
///
/// ```
/// use inkveil_report::{AnnotatedHead, AnnotatedPage, Colour, LegendEntry, Mark};
///
/// let legend = vec![LegendEntry { name: "people".into(), colour: Colour::PINK, ..LegendEntry::default() }];
/// let page = AnnotatedPage::new(AnnotatedHead { title: "Findings".into(), legend, ..AnnotatedHead::default() });
/// let mut out = Vec::new();
/// page.begin(&mut out)?;
/// page.open_text(&mut out, None)?;
/// page.plain(&mut out, "Hello ")?;
/// let reason = ["person: found by the tagger".to_owned()];
/// page.mark(&mut out, &Mark { text: "Ana", kind: 0, label: Some("person"), bold: false, reason: &reason })?;
/// page.close_text(&mut out)?;
/// page.end(&mut out)?;
/// let html = String::from_utf8(out).unwrap();
/// assert!(html.contains("Hello <span class=\"mark m0 k3\" tabindex=\"0\">Ana<sup>person</sup>"));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// All functions fail only if `out` cannot be written.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatedPage {
    head: AnnotatedHead,
    /// The classes of each kind.
    classes: Vec<String>,
}

#[derive(Template)]
#[template(path = "annotated.html")]
struct Head<'a> {
    head: &'a AnnotatedHead,
    entries: Vec<(&'a str, &'a LegendEntry)>,
}

impl AnnotatedPage {
    /// A page with this beginning.
    pub fn new(head: AnnotatedHead) -> Self {
        let class = |(at, entry): (usize, &LegendEntry)| format!("m{at} {}", entry.colour.class());
        Self { classes: head.legend.iter().enumerate().map(class).collect(), head }
    }

    /// Begins the page.
    pub fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        let lines: String = (0..).zip(&self.head.legend).map(|(at, entry)| entry.rule(at)).collect();
        let styles =
            format!("{}{}{lines}", include_str!("../../styles/annotated.css"), palette::rules("main"));
        out.write_all(begin(&self.head.title, &styles).as_bytes())?;
        let entries = self.classes.iter().map(String::as_str).zip(&self.head.legend).collect();
        out.write_all(rendered(&Head { head: &self.head, entries }).as_bytes())
    }

    /// Writes a heading.
    pub fn heading(&self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        writeln!(out, "<h2>{}</h2>", Escaped(text))
    }

    /// Writes a remark.
    pub fn note(&self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        writeln!(out, "<p class=\"note\">{}</p>", Escaped(text))
    }

    /// Starts a part of the page about one document, until
    /// [`close_document`](Self::close_document).
    pub fn open_document(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"<article>\n")
    }

    /// Ends the document.
    pub fn close_document(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"</article>\n")
    }

    /// Puts the texts that follow side by side, until [`close_columns`](Self::close_columns).
    pub fn open_columns(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"<div class=\"columns\">\n")
    }

    /// Ends the columns.
    pub fn close_columns(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"</div>\n")
    }

    /// Opens a box for a text, until [`close_text`](Self::close_text).
    pub fn open_text(&self, out: &mut dyn Write, title: Option<&str>) -> io::Result<()> {
        out.write_all(b"<section>\n")?;
        if let Some(title) = title {
            writeln!(out, "<h3>{}</h3>", Escaped(title))?;
        }
        out.write_all(b"<div class=\"text\">")
    }

    /// Closes the box.
    pub fn close_text(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"</div>\n</section>\n")
    }

    /// Writes a part of a text without a mark.
    pub fn plain(&self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        write!(out, "{}", Escaped(text))
    }

    /// Writes a part of a text with a mark.
    pub fn mark(&self, out: &mut dyn Write, mark: &Mark<'_>) -> io::Result<()> {
        let class = self.classes.get(mark.kind).map_or("", String::as_str);
        let bold = if mark.bold { " bold" } else { "" };
        write!(out, "<span class=\"mark {class}{bold}\" tabindex=\"0\">{}", Escaped(mark.text))?;
        if let Some(label) = mark.label {
            write!(out, "<sup>{}</sup>", Escaped(label))?;
        }
        out.write_all(b"<span class=\"why\" role=\"tooltip\">")?;
        for line in mark.reason {
            write!(out, "<span>{}</span>", Escaped(line))?;
        }
        out.write_all(b"</span></span>")
    }

    /// Writes a table of counts.
    pub fn counts(&self, out: &mut dyn Write, title: &str, counts: &[(&str, u64)]) -> io::Result<()> {
        writeln!(out, "<h2>{}</h2>\n<table>", Escaped(title))?;
        for (name, count) in counts {
            writeln!(out, "<tr><td>{}</td><td>{count}</td></tr>", Escaped(name))?;
        }
        out.write_all(b"</table>\n")
    }

    /// Writes a text with its line breaks.
    pub fn preformatted(&self, out: &mut dyn Write, title: &str, text: &str) -> io::Result<()> {
        writeln!(out, "<h2>{}</h2>\n<pre>{}</pre>", Escaped(title), Escaped(text))
    }

    /// Ends the page.
    pub fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(END.as_bytes())
    }
}

impl LegendEntry {
    /// The rule for marks of this kind.
    fn rule(&self, at: usize) -> String {
        let line = match self.underline {
            Underline::Solid => "solid",
            Underline::Double => "double",
            Underline::Dashed => "dashed",
            Underline::Dotted => "dotted",
        };
        let shade = if self.colour == Colour::GREY { 0 } else { 22 };
        format!(".m{at} {{ --line: {line}; --shade: {shade}%; }}\n")
    }
}
