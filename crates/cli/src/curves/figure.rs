//! Four panels of curves against ε, as one SVG that stands by itself.

mod axis;
mod look;

use anyhow::anyhow;
use inkveil::CurvePoint;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::FontFamily;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Findings;
use look::Look;

/// The library draws at whole numbers, which would show as steps in a curve: it draws on a finer grid than a pixel's, and the viewer scales
/// it down.
const GRID: i32 = 8;
const WIDTH: i32 = 900;
const PANEL_HEIGHT: i32 = 286;
const HEADING: i32 = 58;
const LEGEND_ROW: i32 = 22;
const FOOT: i32 = 30;

const INK: RGBColor = RGBColor(0x22, 0x26, 0x2b);
const FAINT: RGBColor = RGBColor(0x5f, 0x66, 0x70);
const RULE: RGBColor = RGBColor(0xe6, 0xe8, 0xeb);
const AXIS: RGBColor = RGBColor(0x9a, 0xa1, 0xab);

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Scale = Cartesian2d<LogCoord<f64>, RangedCoordf64>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// What a panel shows.
struct Panel {
    title: String,
    value: fn(&CurvePoint) -> f64,
    range: (f64, f64),
    ticks: Vec<f64>,
    label: fn(f64) -> String,
}

/// The drawing, as the text of a file.
pub(super) fn svg(findings: &Findings<'_>) -> anyhow::Result<String> {
    let legend = legend_rows(findings);
    let height = HEADING + legend.len() as i32 * LEGEND_ROW + 2 * PANEL_HEIGHT + FOOT;
    let (wide, high) = ((WIDTH * GRID) as u32, (height * GRID) as u32);
    let mut text = String::new();
    {
        let canvas = SVGBackend::with_string(&mut text, (wide, high)).into_drawing_area();
        draw(&canvas, findings, &legend).map_err(|error| anyhow!("cannot draw the curves: {error}"))?;
    }
    // The size that people see, what a screen reader says, and round corners, which the library cannot say.
    let drawn = format!("width=\"{wide}\" height=\"{high}\"");
    let shown = format!(
        "width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{TITLE}\" stroke-linejoin=\"round\" stroke-linecap=\"round\""
    );
    Ok(text.replacen(&drawn, &shown, 1))
}

const TITLE: &str = "What comes out for a sensitive word";

fn draw(canvas: &Canvas<'_>, findings: &Findings<'_>, legend: &[Vec<(i32, &'static str)>]) -> Drawn {
    canvas.fill(&WHITE)?;
    canvas.draw_text(TITLE, &font(18, FontStyle::Bold).color(&INK), at(20, 16))?;
    let about =
        format!("{} · lexicon: {} · ε on a logarithmic scale", pack_name(findings.pack), findings.lexicon);
    canvas.draw_text(&about, &font(12, FontStyle::Normal).color(&FAINT), at(20, 40))?;
    for (row, entries) in legend.iter().enumerate() {
        let y = HEADING + row as i32 * LEGEND_ROW + LEGEND_ROW / 2;
        for (x, name) in entries {
            draw_legend_entry(canvas, *x, y, name)?;
        }
    }
    let top = HEADING + legend.len() as i32 * LEGEND_ROW;
    let body = canvas.margin(top * GRID, FOOT * GRID, 0, 0);
    for (area, panel) in body.split_evenly((2, 2)).iter().zip(panels(findings)) {
        draw_panel(canvas, area, &panel, findings)?;
    }
    let centred = Pos::new(HPos::Center, VPos::Top);
    let words = font(13, FontStyle::Normal).color(&INK).pos(centred);
    let bottom = top + 2 * PANEL_HEIGHT + 2;
    canvas.draw_text("ε, each in its own metric", &words, at(WIDTH / 4 + 16, bottom))?;
    canvas.draw_text("ε, each in its own metric", &words, at(3 * WIDTH / 4 + 16, bottom))?;
    canvas.present()
}

fn panels(findings: &Findings<'_>) -> [Panel; 4] {
    let shares = || ((0.0, 1.0), vec![0.0, 0.25, 0.5, 0.75, 1.0]);
    let percent: fn(f64) -> String = |share| format!("{:.0} %", share * 100.0);
    let panel = |title: String, value, (range, ticks), label| Panel { title, value, range, ticks, label };
    let points = || findings.curves.iter().flat_map(|curve| &curve.points);
    let least = points().map(|point| point.cosine).fold(0.0, f64::min);
    let draws = f64::from(findings.draws);
    [
        panel("The word itself comes out".into(), |point| point.survival, shares(), percent),
        panel(
            format!("Different words that come out, of {} draws", findings.draws),
            |point| point.distinct,
            ((0.0, draws), axis::linear(0.0, draws)),
            |count| format!("{count:.0}"),
        ),
        panel(
            "Mean cosine of the word and what comes out".into(),
            |point| point.cosine,
            ((least, 1.0), axis::linear(least, 1.0)),
            |cosine| format!("{cosine:.1}"),
        ),
        panel(
            "An attacker who knows the mechanism guesses it".into(),
            |point| point.attack,
            shares(),
            percent,
        ),
    ]
}

fn draw_panel(canvas: &Canvas<'_>, area: &Canvas<'_>, panel: &Panel, findings: &Findings<'_>) -> Drawn {
    let (left, top) = area.get_base_pixel();
    let title = font(13, FontStyle::Bold).color(&INK);
    canvas.draw_text(&panel.title, &title, (left + 20 * GRID, top + 18 * GRID))?;
    let epsilons = findings.curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.epsilon));
    let (least, most) = axis::padded(epsilons);
    let (low, high) = panel.range;
    let room = (high - low) * 0.03;
    let plot = area.margin(44 * GRID, 28 * GRID, 60 * GRID, 20 * GRID);
    let (across, down) = plot.get_pixel_range();
    let scale = Scale::new(
        (least..most).log_scale(),
        low - room..high + room,
        (across.clone(), down.end..down.start),
    );
    let plot = plot.apply_coord_spec(scale);

    let labels = font(11, FontStyle::Normal).color(&FAINT);
    for tick in &panel.ticks {
        let (_, y) = plot.map_coordinate(&(least, *tick));
        canvas.draw(&rule((across.start, y), (across.end, y), RULE))?;
        let right = Pos::new(HPos::Right, VPos::Center);
        canvas.draw_text(&(panel.label)(*tick), &labels.pos(right), (across.start - 7 * GRID, y))?;
    }
    for tick in axis::logarithmic(least, most) {
        let (x, _) = plot.map_coordinate(&(tick, low));
        canvas.draw(&rule((x, down.start), (x, down.end), RULE))?;
        canvas.draw(&rule((x, down.end), (x, down.end + 4 * GRID), AXIS))?;
        let below = Pos::new(HPos::Center, VPos::Top);
        canvas.draw_text(&axis::label(tick), &labels.pos(below), (x, down.end + 8 * GRID))?;
    }
    canvas.draw(&rule((across.start, down.end), (across.end, down.end), AXIS))?;

    let place = |point: &CurvePoint| plot.map_coordinate(&(point.epsilon, (panel.value)(point)));
    for filled in [true, false] {
        let looks = findings.curves.iter().map(|curve| (Look::of(curve.subject.name), &curve.points));
        for (look, points) in looks.filter(|(look, _)| look.is_filled() == filled) {
            let places: Vec<(i32, i32)> = points.iter().map(place).collect();
            look.line(canvas, places.clone(), GRID)?;
            places.into_iter().try_for_each(|place| look.mark(canvas, place, GRID))?;
        }
    }
    Ok(())
}

fn rule(from: (i32, i32), to: (i32, i32), colour: RGBColor) -> PathElement<(i32, i32)> {
    PathElement::new(vec![from, to], colour.stroke_width(GRID as u32))
}

/// Where each name of the legend goes: rows of places and names.
fn legend_rows(findings: &Findings<'_>) -> Vec<Vec<(i32, &'static str)>> {
    const LEFT: i32 = 20;
    // A line with its marker, the name in letters of about these widths, and a gap.
    let letter = |c: char| if "-1ijlt".contains(c) { 4 } else { 7 };
    let width = |name: &str| 38 + name.chars().map(letter).sum::<i32>() + 26;
    let mut rows = vec![vec![]];
    let mut x = LEFT;
    for curve in &findings.curves {
        let name = curve.subject.name;
        if x + width(name) > WIDTH && x > LEFT {
            rows.push(vec![]);
            x = LEFT;
        }
        if let Some(row) = rows.last_mut() {
            row.push((x, name));
        }
        x += width(name);
    }
    rows
}

fn draw_legend_entry(canvas: &Canvas<'_>, x: i32, y: i32, name: &str) -> Drawn {
    let look = Look::of(name);
    look.line(canvas, vec![at(x, y), at(x + 30, y)], GRID)?;
    look.mark(canvas, at(x + 15, y), GRID)?;
    let middle = Pos::new(HPos::Left, VPos::Center);
    canvas.draw_text(name, &font(12, FontStyle::Normal).color(&INK).pos(middle), at(x + 38, y))
}

/// A place in pixels.
fn at(x: i32, y: i32) -> (i32, i32) {
    (x * GRID, y * GRID)
}

/// A font of so many pixels: the library writes 1/1.24 of the size that it is given.
fn font(pixels: i32, style: FontStyle) -> FontDesc<'static> {
    let family = FontFamily::Name("Helvetica, Arial, sans-serif");
    FontDesc::new(family, f64::from(pixels * GRID) * 1.24, style)
}

/// What a pack is called: for a folder, the last part of its path.
fn pack_name(pack: &str) -> String {
    let name = std::path::Path::new(pack).file_name();
    name.map_or_else(|| pack.to_owned(), |name| name.to_string_lossy().into_owned())
}
