//! A whole drawing: title, legend, panels in rows, and remarks.

use std::fmt::Write as _;

use super::STYLE;
use super::look::Look;
use super::panel::{Frame, Size, Words, write_marker};
use super::points::{Picture, chance};
use super::words;
use crate::report::escape::html as text;
use crate::report::spec::PlotSpec;

const MARGIN: f64 = 14.0;
const GAP: f64 = 22.0;

/// What stands in the legend: a line with its marker, or the dashed line of chance.
#[derive(Clone, Copy)]
enum Sample {
    Line(Look),
    Chance,
}

/// The drawing as the text of a file.
pub(super) fn drawing(picture: &Picture, spec: &PlotSpec) -> String {
    // Panels stand in two columns at most, with letters that can be read when a phone shrinks them.
    let columns = picture.panels.len().clamp(1, 2);
    let size = match columns {
        1 => Size { width: 470.0, field: 270.0, letters: 14.5 },
        _ => Size { width: 350.0, field: 230.0, letters: 17.0 },
    };
    let letters = size.letters;
    let inner = columns as f64 * size.width + (columns - 1) as f64 * GAP;
    let mut body = String::new();
    let mut y = MARGIN;
    let paragraph = |body: &mut String, y: &mut f64, words: &str, scale: f64, bold: bool, most: usize| {
        let wide = if bold { words::BOLD } else { 1.0 };
        for line in words::wrapped(words, letters * scale * wide, inner, most) {
            *y += letters * scale * 1.25;
            let place = Words::at(MARGIN, *y - letters * scale * 0.3, letters * scale);
            Words { bold, faint: !bold, ..place }.write(body, &line);
        }
    };
    paragraph(&mut body, &mut y, &spec.title, 1.2, true, 3);
    paragraph(&mut body, &mut y, &spec.about, 0.95, false, 4);
    y += 0.5 * letters;
    y = write_legend(&mut body, picture, spec, letters, inner, y);
    if picture.panels.is_empty() {
        paragraph(&mut body, &mut y, "There is no point to show.", 1.0, false, 1);
    }
    let frame = Frame::of(picture, spec, size);
    for row in picture.panels.chunks(columns) {
        for (at, panel) in row.iter().enumerate() {
            frame.write(&mut body, panel, (MARGIN + at as f64 * (size.width + GAP), y));
        }
        y += frame.height() + GAP / 2.0;
    }
    paragraph(&mut body, &mut y, &picture.remarks().join(" "), 0.9, false, 3);
    let (wide, high) = (inner + 2.0 * MARGIN, y + MARGIN / 2.0);
    let (title, about) = (text(&spec.title), text(&description(picture, spec)));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {wide:.0} {high:.0}\" \
         width=\"{wide:.0}\" height=\"{high:.0}\" style=\"max-width:100%;height:auto\" role=\"img\" \
         aria-labelledby=\"plot-title plot-about\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n\
         <title id=\"plot-title\">{title}</title>\n<desc id=\"plot-about\">{about}</desc>\n\
         <style>\n{STYLE}</style>\n\
         <rect class=\"ground\" width=\"{wide:.0}\" height=\"{high:.0}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// What a screen reader says about the drawing.
fn description(picture: &Picture, spec: &PlotSpec) -> String {
    let names: Vec<&str> = picture.legend.iter().map(|(name, _)| name.as_str()).collect();
    let panels: Vec<&str> = picture.panels.iter().map(|panel| panel.title.as_str()).collect();
    let mut words = format!("{} {} against {}.", spec.about, spec.y.title, spec.x.title);
    if !names.is_empty() {
        let _ = write!(words, " Lines: {}.", names.join(", "));
    }
    if !spec.facets.is_empty() {
        let _ = write!(words, " Panels: {}.", panels.join(", "));
    }
    words.trim_start().to_owned()
}

fn samples(picture: &Picture, spec: &PlotSpec) -> Vec<(String, Sample)> {
    let lines = picture.legend.iter().map(|(name, look)| (name.clone(), Sample::Line(*look)));
    let drawn = chance(spec).is_some() && !picture.panels.is_empty();
    lines.chain(drawn.then(|| ("chance".to_owned(), Sample::Chance))).collect()
}

/// Writes the legend in rows and says where it ends.
fn write_legend(
    out: &mut String,
    picture: &Picture,
    spec: &PlotSpec,
    letters: f64,
    inner: f64,
    top: f64,
) -> f64 {
    let (sample, gap) = (2.2 * letters, 1.4 * letters);
    let (mut x, mut y) = (0.0, top);
    let samples = samples(picture, spec);
    for (name, drawn) in &samples {
        let name = words::cut(name, letters, inner - sample - letters);
        let wide = sample + 0.5 * letters + words::width(&name, letters);
        if x > 0.0 && x + wide > inner {
            (x, y) = (0.0, y + 1.5 * letters);
        }
        write_sample(out, *drawn, (MARGIN + x, y + 0.6 * letters), sample, letters / 12.0, spec.joined);
        Words::at(MARGIN + x + sample + 0.5 * letters, y + 0.95 * letters, letters).write(out, &name);
        x += wide + gap;
    }
    if samples.is_empty() { y } else { y + 2.1 * letters }
}

/// Writes the legend of a plot on a page, where it wraps by itself.
pub(super) fn write_legend_list(out: &mut String, picture: &Picture, spec: &PlotSpec) {
    let samples = samples(picture, spec);
    if samples.is_empty() {
        return;
    }
    out.push_str("<ul class=\"legend\">\n");
    for (name, sample) in &samples {
        let size = "viewBox=\"0 0 28 14\" width=\"28\" height=\"14\"";
        let _ = writeln!(out, "<li><svg class=\"plot\" {size} aria-hidden=\"true\">");
        write_sample(out, *sample, (0.0, 7.0), 28.0, 1.0, spec.joined);
        let _ = writeln!(out, "</svg>{}</li>", text(name));
    }
    out.push_str("</ul>\n");
}

fn write_sample(out: &mut String, sample: Sample, (x, y): (f64, f64), wide: f64, scale: f64, joined: bool) {
    match sample {
        Sample::Chance => {
            let _ = writeln!(out, "<path class=\"chance\" d=\"M{x:.1} {y:.1}h{wide:.1}\"/>");
        }
        Sample::Line(look) => {
            if joined {
                let class = look.class();
                let thick = if look.marker().1 { 2.2 } else { 1.4 };
                let pen = format!("stroke=\"currentColor\" stroke-width=\"{thick}\"");
                let _ = writeln!(out, "<path class=\"{class}\" {pen} d=\"M{x:.1} {y:.1}h{wide:.1}\"/>");
            }
            write_marker(out, look, (x + wide / 2.0, y), scale, "");
        }
    }
}
