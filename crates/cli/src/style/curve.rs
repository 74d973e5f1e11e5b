//! How training went, as a drawing.

use anyhow::anyhow;
use inkveil_style::train::Point;
use plotters::prelude::*;

const SIZE: (u32, u32) = (760, 380);

/// Loss and, where it was checked, the share of held-out pairs in the right order, against steps.
pub(super) fn svg(curve: &[Point]) -> anyhow::Result<String> {
    let mut text = String::new();
    draw(&mut text, curve).map_err(|error| anyhow!("cannot draw the curve: {error}"))?;
    Ok(text)
}

fn draw(text: &mut String, curve: &[Point]) -> Result<(), Box<dyn std::error::Error>> {
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
