//! How training went, as drawings.

use anyhow::anyhow;
use inkveil_style::train::{EncoderPoint, GrpoPoint, SftPoint};
use plotters::prelude::*;

const SIZE: (u32, u32) = (760, 380);

/// Loss and, where it was checked, the share of held-out pairs in the right order, against steps.
pub(super) fn encoder(curve: &[EncoderPoint]) -> anyhow::Result<String> {
    drawn(|text| draw(text, curve))
}

/// Loss on the pairs that are learnt from, and on those held out.
pub(super) fn sft(curve: &[SftPoint]) -> anyhow::Result<String> {
    let loss = curve.iter().map(|point| (point.step as f64, point.loss)).collect();
    let held = curve.iter().filter_map(|point| Some((point.step as f64, point.held_out?))).collect();
    drawn(|text| {
        lines(text, "Tuning on a teacher's rewrites", "loss", &[("learnt from", loss), ("held out", held)])
    })
}

/// What was earned, and its parts.
pub(super) fn grpo(curve: &[GrpoPoint]) -> anyhow::Result<String> {
    let of = |value: fn(&GrpoPoint) -> f64| smooth(curve, value);
    drawn(|text| {
        lines(
            text,
            "Tuning by reward (means over 5 steps)",
            "reward",
            &[
                ("all", of(|point| point.reward.total)),
                ("uncertainty", of(|point| point.reward.uncertainty)),
                ("style", of(|point| point.reward.style)),
                ("meaning", of(|point| point.reward.meaning)),
            ],
        )
    })
}

/// The mean of every five points.
fn smooth(curve: &[GrpoPoint], value: fn(&GrpoPoint) -> f64) -> Vec<(f64, f64)> {
    let width = 5.min(curve.len().max(1));
    let mean = |window: &[GrpoPoint]| window.iter().map(value).sum::<f64>() / width as f64;
    curve.windows(width).map(|window| (window[width - 1].step as f64, mean(window))).collect()
}

type Drawing = Result<(), Box<dyn std::error::Error>>;

fn drawn(draw: impl FnOnce(&mut String) -> Drawing) -> anyhow::Result<String> {
    let mut text = String::new();
    draw(&mut text).map_err(|error| anyhow!("cannot draw the curve: {error}"))?;
    Ok(text)
}

const COLOURS: [RGBColor; 4] = [
    RGBColor(0x2b, 0x6c, 0xb0),
    RGBColor(0xc0, 0x56, 0x21),
    RGBColor(0x2f, 0x85, 0x5a),
    RGBColor(0x80, 0x5a, 0xd5),
];

/// Lines over steps, each with its name at its end.
fn lines(text: &mut String, title: &str, unit: &str, series: &[(&str, Vec<(f64, f64)>)]) -> Drawing {
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let all = || series.iter().flat_map(|(_, points)| points).copied();
    let last = all().map(|(step, _)| step).fold(1.0, f64::max);
    let (low, high) = all().fold((0.0f64, 0.1f64), |(low, high), (_, y)| (low.min(y), high.max(y)));
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..last * 1.16, low * 1.05..high * 1.05)?;
    chart.configure_mesh().light_line_style(TRANSPARENT).x_desc("steps").y_desc(unit).draw()?;
    for ((name, points), colour) in series.iter().zip(COLOURS) {
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        if let Some(&(step, y)) = points.last() {
            let style = ("sans-serif", 13).into_font().color(&colour);
            chart.draw_series([Text::new((*name).to_owned(), (step + last * 0.01, y), style)])?;
        }
    }
    area.present()?;
    Ok(())
}

fn draw(text: &mut String, curve: &[EncoderPoint]) -> Drawing {
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let last = curve.last().map_or(1, |point| point.step) as f64;
    let highest = curve.iter().map(|point| f64::from(point.loss)).fold(0.1, f64::max);
    let mut chart = ChartBuilder::on(&area)
        .caption("Training of the style encoder", ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .right_y_label_area_size(56)
        .build_cartesian_2d(0.0..last, 0.0..highest)?
        .set_secondary_coord(0.0..last, 0.5..1.0);
    chart.configure_mesh().light_line_style(TRANSPARENT).x_desc("steps").y_desc("loss").draw()?;
    chart.configure_secondary_axes().y_desc("held-out AUC").draw()?;
    let loss = RGBColor(0x2b, 0x6c, 0xb0);
    let auc = RGBColor(0xc0, 0x56, 0x21);
    let points = curve.iter().map(|point| (point.step as f64, f64::from(point.loss)));
    chart.draw_series(LineSeries::new(points, loss.stroke_width(2)))?;
    let checked = || curve.iter().filter_map(|point| Some((point.step as f64, point.auc?.max(0.5))));
    chart.draw_secondary_series(LineSeries::new(checked(), auc.stroke_width(2)))?;
    chart.draw_secondary_series(checked().map(|place| Circle::new(place, 3, auc.filled())))?;
    area.present()?;
    Ok(())
}
