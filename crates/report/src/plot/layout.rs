//! A whole plot: title, legend, panels in rows, and remarks.

use std::fmt::Write as _;

use super::panel::{Frame, Size, write_marker};
use super::{Marks, Plot};
use crate::escape::Escaped;
use crate::lettering::{self, Label};
use crate::palette::LineStyle;
use crate::svg::Drawing;

const MARGIN: f64 = 14.0;
const GAP: f64 = 22.0;
const NO_POINTS: &str = "There are no points to show.";

/// An entry of the legend: a line with its marker, or the dashed baseline.
#[derive(Clone, Copy)]
enum Sample {
    Line(LineStyle),
    Baseline,
}

/// The plot as a file.
pub(super) fn file(plot: &Plot) -> String {
    // At most two columns, with letters that stay readable when a phone shrinks the drawing.
    let columns = plot.panels.len().clamp(1, 2);
    let size = match columns {
        1 => Size { width: 470.0, field: 270.0, letters: 14.5 },
        _ => Size { width: 350.0, field: 230.0, letters: 17.0 },
    };
    let letters = size.letters;
    let inner = columns as f64 * size.width + (columns - 1) as f64 * GAP;
    let mut body = String::new();
    let mut y = MARGIN;
    let paragraph = |body: &mut String, y: &mut f64, text: &str, scale: f64, bold: bool, most: usize| {
        let wide = if bold { lettering::BOLD } else { 1.0 };
        for line in lettering::wrapped(text, letters * scale * wide, inner, most) {
            *y += letters * scale * 1.25;
            let place = Label::at(MARGIN, *y - letters * scale * 0.3, letters * scale);
            Label { bold, faint: !bold, ..place }.write(body, &line);
        }
    };
    paragraph(&mut body, &mut y, &plot.title, 1.2, true, 3);
    paragraph(&mut body, &mut y, &plot.about, 0.95, false, 4);
    y += 0.5 * letters;
    y = write_legend(&mut body, plot, letters, inner, y);
    if plot.panels.is_empty() {
        paragraph(&mut body, &mut y, NO_POINTS, 1.0, false, 1);
    }
    let frame = Frame::of(plot, size);
    for first in (0..plot.panels.len()).step_by(columns) {
        for at in 0..columns {
            frame.write(&mut body, first + at, (MARGIN + at as f64 * (size.width + GAP), y));
        }
        y += frame.height() + GAP / 2.0;
    }
    paragraph(&mut body, &mut y, &plot.remarks.join(" "), 0.9, false, 3);
    let (width, height) = (inner + 2.0 * MARGIN, y + MARGIN / 2.0);
    Drawing { width, height, title: &plot.title, about: &description(plot), body: &body }.file()
}

/// The plot as a part of a page.
pub(super) fn figure(plot: &Plot, id: &str) -> String {
    // Writing to a string cannot fail.
    let mut out = format!("<figure id=\"{id}\">\n<figcaption><strong>{}</strong>", Escaped(&plot.title));
    if !plot.about.is_empty() {
        let _ = write!(out, " {}", Escaped(&plot.about));
    }
    out.push_str("</figcaption>\n");
    write_legend_list(&mut out, plot);
    if plot.panels.is_empty() {
        let _ = writeln!(out, "<p>{NO_POINTS}</p>");
    }
    let many = plot.panels.len() > 1;
    let _ = writeln!(out, "<div class=\"panels{}\">", if many { " many" } else { "" });
    let size = match many {
        true => Size { width: 340.0, field: 200.0, letters: 12.5 },
        false => Size { width: 440.0, field: 250.0, letters: 13.0 },
    };
    let frame = Frame::of(plot, size);
    for (at, panel) in plot.panels.iter().enumerate() {
        let mut body = String::new();
        frame.write(&mut body, at, (0.0, 0.0));
        let title = [plot.title.as_str(), &panel.title].join(", ");
        let title = title.trim_end_matches(", ");
        let drawing = Drawing { width: size.width, height: frame.height(), title, about: "", body: &body };
        out.push_str(&drawing.part(&format!("{id}-{at}")));
    }
    out.push_str("</div>\n");
    if !plot.remarks.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", Escaped(&plot.remarks.join(" ")));
    }
    out.push_str("</figure>\n");
    out
}

/// The description that a screen reader reads.
fn description(plot: &Plot) -> String {
    let names: Vec<&str> = plot.legend().iter().map(|(name, _)| *name).collect();
    let panels: Vec<&str> =
        plot.panels.iter().map(|panel| panel.title.as_str()).filter(|title| !title.is_empty()).collect();
    let mut text = plot.about.clone();
    if !plot.y.title.is_empty() {
        let _ = write!(text, " {} against {}.", plot.y.title, plot.x.title);
    }
    if !names.is_empty() {
        let _ = write!(text, " Lines: {}.", names.join(", "));
    }
    if !panels.is_empty() {
        let _ = write!(text, " Panels: {}.", panels.join(", "));
    }
    text.trim_start().to_owned()
}

fn samples(plot: &Plot) -> Vec<(&str, Sample)> {
    let lines = plot.legend().into_iter().map(|(name, style)| (name, Sample::Line(style)));
    let drawn = plot.panels.iter().any(|panel| plot.baseline_in(panel).is_some());
    let baseline = plot.baseline.as_ref().filter(|_| drawn);
    lines.chain(baseline.map(|baseline| (baseline.name.as_str(), Sample::Baseline))).collect()
}

/// Writes the legend in rows and returns where it ends.
fn write_legend(out: &mut String, plot: &Plot, letters: f64, inner: f64, top: f64) -> f64 {
    let (sample, gap) = (2.2 * letters, 1.4 * letters);
    let (mut x, mut y) = (0.0, top);
    let samples = samples(plot);
    for (name, drawn) in &samples {
        let name = lettering::cut(name, letters, inner - sample - letters);
        let wide = sample + 0.5 * letters + lettering::width(&name, letters);
        if x > 0.0 && x + wide > inner {
            (x, y) = (0.0, y + 1.5 * letters);
        }
        write_sample(out, *drawn, (MARGIN + x, y + 0.6 * letters), sample, letters / 12.0, plot.marks);
        Label::at(MARGIN + x + sample + 0.5 * letters, y + 0.95 * letters, letters).write(out, &name);
        x += wide + gap;
    }
    if samples.is_empty() { y } else { y + 2.1 * letters }
}

/// Writes the legend of a plot on a page, where it wraps by itself.
fn write_legend_list(out: &mut String, plot: &Plot) {
    let samples = samples(plot);
    if samples.is_empty() {
        return;
    }
    out.push_str("<ul class=\"lines\">\n");
    for (name, sample) in &samples {
        let size = "viewBox=\"0 0 28 14\" width=\"28\" height=\"14\"";
        let _ = writeln!(out, "<li><svg class=\"plot\" {size} aria-hidden=\"true\">");
        write_sample(out, *sample, (0.0, 7.0), 28.0, 1.0, plot.marks);
        let _ = writeln!(out, "</svg>{}</li>", Escaped(name));
    }
    out.push_str("</ul>\n");
}

fn write_sample(out: &mut String, sample: Sample, (x, y): (f64, f64), wide: f64, scale: f64, marks: Marks) {
    match sample {
        Sample::Baseline => {
            let _ = writeln!(out, "<path class=\"baseline\" d=\"M{x:.1} {y:.1}h{wide:.1}\"/>");
        }
        Sample::Line(style) => {
            if marks != Marks::Points {
                let (class, width) = (style.class(), style.width());
                let pen = format!("stroke=\"currentColor\" stroke-width=\"{width}\"");
                let _ = writeln!(out, "<path class=\"{class}\" {pen} d=\"M{x:.1} {y:.1}h{wide:.1}\"/>");
            }
            write_marker(out, style, (x + wide / 2.0, y), scale, "");
        }
    }
}
