//! One panel: axes, lines, error bars and markers.

use std::fmt::Write as _;

use super::scale::{Scale, Space};
use super::{Axis, Marks, Panel, Plot, Point, Series};
use crate::escape::Escaped;
use crate::lettering::{self, Label};
use crate::palette::LineStyle;

/// The size of a panel and of its letters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) width: f64,
    /// The height of the area inside the axes.
    pub(super) field: f64,
    pub(super) letters: f64,
}

/// A series with at most this many points has markers even if only lines are asked for.
const FEW_POINTS: usize = 30;

/// The height of a line of text, in letters.
const LINE: f64 = 1.3;

/// What the panels of a plot share.
pub(super) struct Frame<'a> {
    plot: &'a Plot,
    size: Size,
    x: Scale,
    x_title: Vec<String>,
    /// The vertical scale of each panel.
    ys: Vec<Scale>,
    left: f64,
    top: f64,
    /// How many lines the titles of panels and of vertical axes take.
    titles: usize,
    y_titles: usize,
}

impl<'a> Frame<'a> {
    pub(super) fn of(plot: &'a Plot, size: Size) -> Self {
        let letters = size.letters;
        let high = |_: &str| letters * 1.6;
        let space = Space { length: size.field, label: &high, most_ticks: 6 };
        let ys: Vec<Scale> = plot
            .panels
            .iter()
            .map(|panel| Scale::of(plot.y_of(panel), &heights(plot, panel), &space))
            .collect();
        let labels = ys.iter().flat_map(|scale| &scale.ticks);
        let widest = labels.map(|tick| lettering::width(&tick.label, letters)).fold(0.0, f64::max);
        let left = (widest + 0.8 * letters).min(size.width / 2.0);
        let wide = |label: &str| lettering::width(label, letters) + letters;
        let space = Space { length: size.width - left - letters, label: &wide, most_ticks: 7 };
        let x = Scale::of(&plot.x, &widths(plot), &space);
        let most = |lines: &dyn Fn(&Panel) -> usize| plot.panels.iter().map(lines).max().unwrap_or(0);
        let titles = most(&|panel| panel_title(panel, size).len());
        let y_titles = most(&|panel| axis_title(plot.y_of(panel), size).len());
        let top = (titles + y_titles) as f64 * LINE * letters + 0.9 * letters;
        Self { plot, size, x, x_title: axis_title(&plot.x, size), ys, left, top, titles, y_titles }
    }

    /// The height of a panel.
    pub(super) fn height(&self) -> f64 {
        self.top + self.size.field + (2.2 + LINE * self.x_title.len() as f64) * self.size.letters
    }

    /// Writes a panel with its upper left corner at a place. Writing to a string cannot fail.
    pub(super) fn write(&self, out: &mut String, number: usize, (x, y): (f64, f64)) {
        let (Some(panel), Some(scale)) = (self.plot.panels.get(number), self.ys.get(number)) else { return };
        let _ = writeln!(out, "<g transform=\"translate({x:.1} {y:.1})\">");
        self.write_titles(out, panel);
        self.write_axes(out, scale);
        if let Some(baseline) = self.plot.baseline_in(panel) {
            let y = self.up(scale, baseline);
            let (from, to) = (self.left, self.right());
            let _ = writeln!(out, "<path class=\"baseline\" d=\"M{from:.1} {y:.1}H{to:.1}\"/>");
        }
        let mut series: Vec<&Series> = panel.series.iter().collect();
        series.sort_by_key(|series| !series.style.marker().1);
        for series in &series {
            self.write_line(out, scale, panel, series);
        }
        for series in &series {
            let count = self.plot.drawn(panel, series).count();
            if self.plot.marks != Marks::Lines || count <= FEW_POINTS {
                self.plot
                    .drawn(panel, series)
                    .for_each(|point| self.write_point(out, scale, series.style, point));
            }
        }
        out.push_str("</g>\n");
    }

    fn write_titles(&self, out: &mut String, panel: &Panel) {
        let letters = self.size.letters;
        let mut y = letters;
        // Short titles are directly above what follows.
        let mut lines = |lines: Vec<String>, reserved: usize, label: &dyn Fn(f64) -> Label| {
            for at in 0..reserved {
                let line = at.checked_sub(reserved - lines.len()).and_then(|at| lines.get(at));
                label(y).write(out, line.map_or("", String::as_str));
                y += LINE * letters;
            }
        };
        lines(panel_title(panel, self.size), self.titles, &|y| Label {
            bold: true,
            size: letters * 1.08,
            ..Label::at(0.0, y, letters)
        });
        lines(axis_title(self.plot.y_of(panel), self.size), self.y_titles, &|y| Label {
            faint: true,
            ..Label::at(0.0, y, letters)
        });
        let mut y = self.top + self.size.field + 3.1 * letters;
        for line in &self.x_title {
            let middle = (self.left + self.right()) / 2.0;
            let half = lettering::width(line, letters) / 2.0;
            let x = middle.min(self.size.width - half).max(half);
            Label { faint: true, anchor: "middle", ..Label::at(x, y, letters) }.write(out, line);
            y += LINE * letters;
        }
    }

    fn write_axes(&self, out: &mut String, scale: &Scale) {
        let letters = self.size.letters;
        let (left, right, bottom) = (self.left, self.right(), self.top + self.size.field);
        let mut rules = String::new();
        for tick in &scale.ticks {
            let y = bottom - tick.at * self.size.field;
            let _ = write!(rules, "M{left:.1} {y:.1}H{right:.1}");
            let at = Label::at(left - 0.5 * letters, y + 0.35 * letters, letters);
            Label { faint: true, anchor: "end", ..at }.write(out, &tick.label);
        }
        for tick in &self.x.ticks {
            let x = left + tick.at * (right - left);
            let _ = write!(rules, "M{x:.1} {:.1}V{bottom:.1}", self.top);
            let half = lettering::width(&tick.label, letters) / 2.0;
            let shown = x.min(self.size.width - half).max(half);
            let at = Label::at(shown, bottom + 1.5 * letters, letters);
            Label { faint: true, anchor: "middle", ..at }.write(out, &tick.label);
        }
        if !rules.is_empty() {
            let _ = writeln!(out, "<path class=\"rule\" d=\"{rules}\"/>");
        }
        let _ = writeln!(out, "<path class=\"axis\" d=\"M{left:.1} {bottom:.1}H{right:.1}\"/>");
    }

    fn write_line(&self, out: &mut String, scale: &Scale, panel: &Panel, series: &Series) {
        let (mut bars, mut path) = (String::new(), String::new());
        for (at, point) in self.plot.drawn(panel, series).enumerate() {
            let (x, y) = (self.across(point.x), self.up(scale, point.y));
            if let Some((low, high)) = point.y_bar {
                let _ = write!(bars, "M{x:.1} {:.1}V{:.1}", self.up(scale, low), self.up(scale, high));
            }
            if let Some((low, high)) = point.x_bar {
                let _ = write!(bars, "M{:.1} {y:.1}H{:.1}", self.across(low), self.across(high));
            }
            let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
        }
        let (class, width) = (series.style.class(), series.style.width());
        let pen = "fill=\"none\" stroke=\"currentColor\"";
        if !bars.is_empty() {
            let _ = writeln!(
                out,
                "<path class=\"{class}\" {pen} stroke-width=\"1.2\" opacity=\".7\" d=\"{bars}\"/>"
            );
        }
        if self.plot.marks != Marks::Points && path.contains('L') {
            let _ = writeln!(out, "<path class=\"{class}\" {pen} stroke-width=\"{width}\" d=\"{path}\"/>");
        }
    }

    fn write_point(&self, out: &mut String, scale: &Scale, style: LineStyle, point: &Point) {
        let place = (self.across(point.x), self.up(scale, point.y));
        write_marker(out, style, place, self.size.letters / 12.0, &point.label);
    }

    fn right(&self) -> f64 {
        self.size.width - 0.6 * self.size.letters
    }

    fn across(&self, x: f64) -> f64 {
        self.left + self.x.place(x) * (self.right() - self.left)
    }

    fn up(&self, scale: &Scale, y: f64) -> f64 {
        self.top + (1.0 - scale.place(y)) * self.size.field
    }
}

impl Plot {
    /// The value of the baseline, if it has a place in this panel.
    pub(super) fn baseline_in(&self, panel: &Panel) -> Option<f64> {
        let axis = self.y_of(panel);
        self.baseline.as_ref().map(|baseline| baseline.value).filter(|value| axis.holds(*value))
    }
}

fn panel_title(panel: &Panel, size: Size) -> Vec<String> {
    lettering::wrapped(&panel.title, size.letters * 1.08 * lettering::BOLD, size.width, 2)
}

fn axis_title(axis: &Axis, size: Size) -> Vec<String> {
    lettering::wrapped(&axis.title, size.letters, size.width, 2)
}

fn ends(bar: Option<(f64, f64)>) -> impl Iterator<Item = f64> {
    bar.map(|(low, high)| [low, high]).into_iter().flatten()
}

/// All numbers on the horizontal axis.
fn widths(plot: &Plot) -> Vec<f64> {
    let series = plot.panels.iter().flat_map(|panel| panel.series.iter().map(move |series| (panel, series)));
    let points = series.flat_map(|(panel, series)| plot.drawn(panel, series));
    points.flat_map(|point| ends(point.x_bar).chain([point.x])).collect()
}

/// All numbers on the vertical axis of a panel. Panels without an axis of their own share one
/// scale.
fn heights(plot: &Plot, panel: &Panel) -> Vec<f64> {
    let shares = |other: &&Panel| std::ptr::eq(*other, panel) || (panel.y.is_none() && other.y.is_none());
    let panels = plot.panels.iter().filter(shares);
    let series = panels.flat_map(|panel| panel.series.iter().map(move |series| (panel, series)));
    let points = series.flat_map(|(panel, series)| plot.drawn(panel, series));
    points.flat_map(|point| ends(point.y_bar).chain([point.y])).chain(plot.baseline_in(panel)).collect()
}

/// Writes a marker, with text that appears when the mouse is over it.
pub(super) fn write_marker(out: &mut String, style: LineStyle, (x, y): (f64, f64), scale: f64, label: &str) {
    let (outline, filled) = style.marker();
    let pen = match filled {
        true => "fill=\"currentColor\" stroke=\"none\"",
        false => "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.7\"",
    };
    let label = if label.is_empty() { String::new() } else { format!("<title>{}</title>", Escaped(label)) };
    let class = style.class();
    let place = format!("transform=\"translate({x:.1} {y:.1}) scale({scale:.2})\"");
    let _ = writeln!(out, "<path class=\"{class}\" {pen} {place} d=\"{outline}\">{label}</path>");
}
