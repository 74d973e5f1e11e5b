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

/// A page of texts with marks, written piece by piece so that memory does not grow with the texts.
///
/// ```
/// use inkveil_report::{AnnotatedHead, AnnotatedPage, Colour, LegendEntry, Mark};
///
/// let legend = vec![LegendEntry { name: "people".into(), colour: Colour::PINK, ..LegendEntry::default() }];
/// let head = AnnotatedHead { title: "Findings".into(), legend, ..AnnotatedHead::default() };
/// let mut page = AnnotatedPage::begin(Vec::new(), &head)?;
/// page.open_text(None)?;
/// page.plain("Hello ")?;
/// let reason = ["person: found by the tagger".to_owned()];
/// page.mark(&Mark { text: "Ana", kind: 0, label: Some("person"), bold: false, reason: &reason })?;
/// page.close_text()?;
/// let html = String::from_utf8(page.finish()?).unwrap();
/// assert!(html.contains("Hello <span class=\"mark m0 k3\" tabindex=\"0\">Ana<sup>person</sup>"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct AnnotatedPage<W> {
    out: W,
    /// The classes of each kind.
    classes: Vec<String>,
}

#[derive(Template)]
#[template(path = "annotated.html")]
struct Head<'a> {
    head: &'a AnnotatedHead,
    entries: Vec<(&'a str, &'a LegendEntry)>,
}

impl<W: Write> AnnotatedPage<W> {
    /// Begins a page.
    ///
    /// # Errors
    /// If it cannot be written; so with all functions of the page.
    pub fn begin(mut out: W, head: &AnnotatedHead) -> io::Result<Self> {
        let classes: Vec<String> =
            (0..).zip(&head.legend).map(|(at, entry)| format!("m{at} {}", entry.colour.class())).collect();
        let lines: String = (0..).zip(&head.legend).map(|(at, entry)| entry.rule(at)).collect();
        let styles =
            format!("{}{}{lines}", include_str!("../../styles/annotated.css"), palette::rules("main"));
        out.write_all(begin(&head.title, &styles).as_bytes())?;
        let entries = classes.iter().map(String::as_str).zip(&head.legend).collect();
        out.write_all(rendered(&Head { head, entries }).as_bytes())?;
        Ok(Self { out, classes })
    }

    /// Writes a heading.
    pub fn heading(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "<h2>{}</h2>", Escaped(text))
    }

    /// Writes a remark.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "<p class=\"note\">{}</p>", Escaped(text))
    }

    /// Puts the texts that follow side by side, until [`close_columns`](Self::close_columns).
    pub fn open_columns(&mut self) -> io::Result<()> {
        self.out.write_all(b"<div class=\"columns\">\n")
    }

    /// Ends the columns.
    pub fn close_columns(&mut self) -> io::Result<()> {
        self.out.write_all(b"</div>\n")
    }

    /// Opens a box for a text, until [`close_text`](Self::close_text).
    pub fn open_text(&mut self, title: Option<&str>) -> io::Result<()> {
        self.out.write_all(b"<section>\n")?;
        if let Some(title) = title {
            writeln!(self.out, "<h3>{}</h3>", Escaped(title))?;
        }
        self.out.write_all(b"<div class=\"text\">")
    }

    /// Closes the box.
    pub fn close_text(&mut self) -> io::Result<()> {
        self.out.write_all(b"</div>\n</section>\n")
    }

    /// Writes a part of a text without a mark.
    pub fn plain(&mut self, text: &str) -> io::Result<()> {
        write!(self.out, "{}", Escaped(text))
    }

    /// Writes a part of a text with a mark.
    pub fn mark(&mut self, mark: &Mark<'_>) -> io::Result<()> {
        let class = self.classes.get(mark.kind).map_or("", String::as_str);
        let bold = if mark.bold { " bold" } else { "" };
        write!(self.out, "<span class=\"mark {class}{bold}\" tabindex=\"0\">{}", Escaped(mark.text))?;
        if let Some(label) = mark.label {
            write!(self.out, "<sup>{}</sup>", Escaped(label))?;
        }
        self.out.write_all(b"<span class=\"why\" role=\"tooltip\">")?;
        for line in mark.reason {
            write!(self.out, "<span>{}</span>", Escaped(line))?;
        }
        self.out.write_all(b"</span></span>")
    }

    /// Writes a table of counts.
    pub fn counts<'c>(
        &mut self,
        title: &str,
        counts: impl IntoIterator<Item = (&'c str, u64)>,
    ) -> io::Result<()> {
        writeln!(self.out, "<h2>{}</h2>\n<table>", Escaped(title))?;
        for (name, count) in counts {
            writeln!(self.out, "<tr><td>{}</td><td>{count}</td></tr>", Escaped(name))?;
        }
        self.out.write_all(b"</table>\n")
    }

    /// Writes a text with its line breaks.
    pub fn preformatted(&mut self, title: &str, text: &str) -> io::Result<()> {
        writeln!(self.out, "<h2>{}</h2>\n<pre>{}</pre>", Escaped(title), Escaped(text))
    }

    /// Ends the page.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(END.as_bytes())?;
        Ok(self.out)
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
