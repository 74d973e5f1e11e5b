//! One panel: axes, lines, bars and markers.

use std::fmt::Write as _;

use super::look::Look;
use super::points::{Line, Panel, Picture, Point, chance};
use super::scale::{Room, Scale};
use super::words;
use crate::report::escape::html as text;
use crate::report::spec::PlotSpec;

/// How large a panel is, and its letters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) width: f64,
    /// How high the field inside the axes is.
    pub(super) field: f64,
    pub(super) letters: f64,
}

/// The same axes for all panels of a picture.
pub(super) struct Frame<'a> {
    spec: &'a PlotSpec,
    size: Size,
    x: Scale,
    y: Scale,
    left: f64,
    top: f64,
    titles: usize,
    y_title: Vec<String>,
    x_title: Vec<String>,
}

/// The height of a line of text, in letters.
const LINE: f64 = 1.3;

impl<'a> Frame<'a> {
    pub(super) fn of(picture: &Picture, spec: &'a PlotSpec, size: Size) -> Self {
        let letters = size.letters;
        let (xs, ys) = numbers(picture, spec);
        let high = |_: &str| letters * 1.6;
        let room = Room { length: size.field, label: &high, most_ticks: 6 };
        let y = Scale::of(&spec.y, &ys, &room);
        let widest = y.ticks.iter().map(|tick| words::width(&tick.label, letters)).fold(0.0, f64::max);
        let left = (widest + 0.8 * letters).min(size.width / 2.0);
        let wide = |label: &str| words::width(label, letters) + letters;
        let room = Room { length: size.width - left - letters, label: &wide, most_ticks: 7 };
        let x = Scale::of(&spec.x, &xs, &room);
        let title = |panel: &Panel| panel_title(panel, size).len();
        let titles = picture.panels.iter().map(title).max().unwrap_or(0);
        let y_title = words::wrapped(&spec.y.title, letters, size.width, 2);
        let x_title = words::wrapped(&spec.x.title, letters, size.width, 2);
        let top = (titles + y_title.len()) as f64 * LINE * letters + 0.9 * letters;
        Self { spec, size, x, y, left, top, titles, y_title, x_title }
    }

    /// How high a panel is.
    pub(super) fn height(&self) -> f64 {
        self.top + self.size.field + (2.2 + LINE * self.x_title.len() as f64) * self.size.letters
    }

    /// Writes a panel whose upper left corner is at a place. Writing to a string cannot fail.
    pub(super) fn write(&self, out: &mut String, panel: &Panel, (x, y): (f64, f64)) {
        let _ = writeln!(out, "<g transform=\"translate({x:.1} {y:.1})\">");
        self.write_words(out, panel);
        self.write_axes(out);
        if let Some(chance) = chance(self.spec) {
            let y = self.up(chance);
            let (from, to) = (self.left, self.right());
            let _ = writeln!(out, "<path class=\"chance\" d=\"M{from:.1} {y:.1}H{to:.1}\"/>");
        }
        for line in &panel.lines {
            self.write_line(out, line);
        }
        for line in &panel.lines {
            line.points.iter().for_each(|point| self.write_point(out, line.look, point));
        }
        out.push_str("</g>\n");
    }

    fn write_words(&self, out: &mut String, panel: &Panel) {
        let letters = self.size.letters;
        let mut y = letters;
        let title = panel_title(panel, self.size);
        for at in 0..self.titles {
            // Short titles stand right above what follows.
            let line = at.checked_sub(self.titles - title.len()).and_then(|at| title.get(at));
            let line = line.map_or("", String::as_str);
            let bold = Words { bold: true, size: letters * 1.08, ..Words::at(0.0, y, letters) };
            bold.write(out, line);
            y += LINE * letters;
        }
        for line in &self.y_title {
            Words { faint: true, ..Words::at(0.0, y, letters) }.write(out, line);
            y += LINE * letters;
        }
        let mut y = self.top + self.size.field + 3.1 * letters;
        for line in &self.x_title {
            let middle = (self.left + self.right()) / 2.0;
            let half = words::width(line, letters) / 2.0;
            let x = middle.min(self.size.width - half).max(half);
            Words { faint: true, anchor: "middle", ..Words::at(x, y, letters) }.write(out, line);
            y += LINE * letters;
        }
    }

    fn write_axes(&self, out: &mut String) {
        let letters = self.size.letters;
        let (left, right, bottom) = (self.left, self.right(), self.top + self.size.field);
        let mut rules = String::new();
        for tick in &self.y.ticks {
            let y = bottom - tick.at * self.size.field;
            let _ = write!(rules, "M{left:.1} {y:.1}H{right:.1}");
            let at = Words::at(left - 0.5 * letters, y + 0.35 * letters, letters);
            Words { faint: true, anchor: "end", ..at }.write(out, &tick.label);
        }
        for tick in &self.x.ticks {
            let x = left + tick.at * (right - left);
            let _ = write!(rules, "M{x:.1} {:.1}V{bottom:.1}", self.top);
            let half = words::width(&tick.label, letters) / 2.0;
            let shown = x.min(self.size.width - half).max(half);
            let at = Words::at(shown, bottom + 1.5 * letters, letters);
            Words { faint: true, anchor: "middle", ..at }.write(out, &tick.label);
        }
        if !rules.is_empty() {
            let _ = writeln!(out, "<path class=\"rule\" d=\"{rules}\"/>");
        }
        let _ = writeln!(out, "<path class=\"axis\" d=\"M{left:.1} {bottom:.1}H{right:.1}\"/>");
    }

    fn write_line(&self, out: &mut String, line: &Line) {
        let mut bars = String::new();
        for point in &line.points {
            let (x, y) = (self.across(point.x), self.up(point.y));
            if let Some((low, high)) = point.y_bar {
                let _ = write!(bars, "M{x:.1} {:.1}V{:.1}", self.up(low), self.up(high));
            }
            if let Some((low, high)) = point.x_bar {
                let _ = write!(bars, "M{:.1} {y:.1}H{:.1}", self.across(low), self.across(high));
            }
        }
        let class = line.look.class();
        let pen = "fill=\"none\" stroke=\"currentColor\"";
        if !bars.is_empty() {
            let _ = writeln!(
                out,
                "<path class=\"{class}\" {pen} stroke-width=\"1.2\" opacity=\".7\" d=\"{bars}\"/>"
            );
        }
        if self.spec.joined && line.points.len() > 1 {
            let mut path = String::new();
            for (at, point) in line.points.iter().enumerate() {
                let step = if at == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{step}{:.1} {:.1}", self.across(point.x), self.up(point.y));
            }
            let wide = if line.look.marker().1 { 2.2 } else { 1.4 };
            let _ = writeln!(out, "<path class=\"{class}\" {pen} stroke-width=\"{wide}\" d=\"{path}\"/>");
        }
    }

    fn write_point(&self, out: &mut String, look: Look, point: &Point) {
        let place = (self.across(point.x), self.up(point.y));
        write_marker(out, look, place, self.size.letters / 12.0, &point.words);
    }

    fn right(&self) -> f64 {
        self.size.width - 0.6 * self.size.letters
    }

    fn across(&self, x: f64) -> f64 {
        self.left + self.x.place(x) * (self.right() - self.left)
    }

    fn up(&self, y: f64) -> f64 {
        self.top + (1.0 - self.y.place(y)) * self.size.field
    }
}

/// The title of a panel in lines. Bold letters are wider.
fn panel_title(panel: &Panel, size: Size) -> Vec<String> {
    words::wrapped(&panel.title, size.letters * 1.08 * words::BOLD, size.width, 2)
}

/// All numbers that lie on the axes.
fn numbers(picture: &Picture, spec: &PlotSpec) -> (Vec<f64>, Vec<f64>) {
    let ends = |bar: Option<(f64, f64)>| bar.map(|(low, high)| [low, high]).into_iter().flatten();
    let xs = picture.points().flat_map(|point| ends(point.x_bar).chain([point.x]));
    let ys = picture.points().flat_map(|point| ends(point.y_bar).chain([point.y]));
    (xs.collect(), ys.chain(chance(spec)).collect())
}

/// Writes a marker, with words for who points at it.
pub(super) fn write_marker(out: &mut String, look: Look, (x, y): (f64, f64), scale: f64, about: &str) {
    let (outline, filled) = look.marker();
    let pen = match filled {
        true => "fill=\"currentColor\" stroke=\"none\"",
        false => "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.7\"",
    };
    let about = if about.is_empty() { String::new() } else { format!("<title>{}</title>", text(about)) };
    let class = look.class();
    let place = format!("transform=\"translate({x:.1} {y:.1}) scale({scale:.2})\"");
    let _ = writeln!(out, "<path class=\"{class}\" {pen} {place} d=\"{outline}\">{about}</path>");
}

/// Where a line of words stands and how it looks.
pub(super) struct Words {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) anchor: &'static str,
    pub(super) faint: bool,
    pub(super) bold: bool,
}

impl Words {
    pub(super) fn at(x: f64, y: f64, size: f64) -> Self {
        Self { x, y, size, anchor: "start", faint: false, bold: false }
    }

    pub(super) fn write(&self, out: &mut String, words: &str) {
        if words.is_empty() {
            return;
        }
        let Self { x, y, size, anchor, .. } = self;
        let class = if self.faint { " class=\"faint\"" } else { "" };
        let weight = if self.bold { " font-weight=\"bold\"" } else { "" };
        let anchor = if *anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        let words = text(words);
        let _ = writeln!(
            out,
            "<text{class} x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.1}\"{weight}{anchor}>{words}</text>"
        );
    }
}
