//! The risk of a text as a page that stands by itself: no scripts, nothing to load.

use std::fmt::Write as _;

use inkveil_style::features::sentence;
use inkveil_style::{Memory, StyleMap};

use super::answer::{Answer, Measured, quote};
use super::inputs::Input;
use super::map;
use crate::visible::Escaped;

const STYLE: &str = include_str!("page.css");

pub(super) fn html(input: &Input, answer: &Answer, memory: &Memory, plane: &StyleMap) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>inkveil style: how this text stands out</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>How this text stands out</h1>\n\
         <p class=\"private\"><strong>Private.</strong> This page quotes the text and says how it can be recognised: keep it to yourself.</p>\n"
    );
    match answer {
        Answer::Measured(measured) => body(&mut out, input, measured, memory, plane),
        _ => out.push_str(&format!("<p>{}</p>\n", Escaped(answer.in_words(&input.text).trim_end()))),
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// Writing to a string cannot fail.
fn body(out: &mut String, input: &Input, measured: &Measured, memory: &Memory, plane: &StyleMap) {
    let place = (100.0 * measured.risk.score).clamp(0.0, 100.0);
    let _ = writeln!(
        out,
        "<div class=\"gauge\" role=\"img\" aria-label=\"risk {:.2} of 1\"><span style=\"left: {place:.1}%\"></span></div>\n<dl>",
        measured.risk.score
    );
    for (name, line) in measured.lines() {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", Escaped(&line));
    }
    if let Some(caution) = measured.caution() {
        let _ = writeln!(out, "<dt>caution</dt><dd>{}</dd>", Escaped(&caution));
    }
    out.push_str("</dl>\n<h2>What gives it away</h2>\n");
    match measured.habits.is_empty() {
        true => out.push_str("<p>No single habit stands out.</p>\n"),
        false => out.push_str("<ol class=\"habits\">\n"),
    }
    for habit in &measured.habits {
        let _ = write!(out, "<li>{}", Escaped(&sentence(habit)));
        if let Some(example) = quote(&input.text, habit) {
            let _ = write!(out, "<q>{}</q>", Escaped(&example));
        }
        out.push_str("</li>\n");
    }
    if !measured.habits.is_empty() {
        out.push_str("</ol>\n");
    }
    let _ = write!(
        out,
        "<h2>Where it lies</h2>\n{}<p class=\"note\">Each dot is a style that texts of the memory share; the larger, the more of them. Hollow dots are \
         outliers. The map shows two of {} directions, so near here may be far in truth.</p>\n\
         <p class=\"note\">This is a measurement with one encoder, not a promise: someone with other tools, or with more of your texts, may see \
         more.</p>\n",
        map::svg(memory, plane, Some(&measured.vector)),
        memory.dimension()
    );
}
