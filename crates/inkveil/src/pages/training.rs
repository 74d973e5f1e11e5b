//! The course of training as drawings (SVG).

use inkveil_report::{Axis, LineStyle, Marks, Panel, Plot, Point as DrawnPoint, Series};
use inkveil_style::train::{EncoderPoint, GrpoPoint, SftPoint};

/// Draws the loss of a style encoder and, where it was checked, the share of held-out pairs in the right order, against steps.
pub fn encoder_training(curve: &[EncoderPoint]) -> String {
    let loss = curve.iter().map(|point| (point.step as f64, f64::from(point.loss))).collect();
    let auc = curve.iter().filter_map(|point| Some((point.step as f64, point.auc?))).collect();
    let panel = |axis: Axis, number: usize, points| Panel {
        y: Some(axis),
        series: vec![series("", number, points)],
        ..Panel::default()
    };
    let auc_axis = Axis { range: Some((0.5, 1.0)), ..Axis::titled("held-out AUC") };
    let panels = vec![panel(from_zero("loss"), 0, loss), panel(auc_axis, 1, auc)];
    plot("Training of the style encoder", panels)
}

/// Draws the loss on the training pairs and on the held-out pairs of a teacher's rewrites.
pub fn teacher_training(curve: &[SftPoint]) -> String {
    let loss = curve.iter().map(|point| (point.step as f64, point.loss)).collect();
    let held_out = curve.iter().filter_map(|point| Some((point.step as f64, point.held_out?))).collect();
    lines("Fine-tuning on a teacher's rewrites", "loss", [("training", loss), ("held out", held_out)])
}

/// Draws the reward of rewrites and its parts.
pub fn reward_training(curve: &[GrpoPoint]) -> String {
    let of = |value: fn(&GrpoPoint) -> f64| smooth(curve, value);
    let parts = [
        ("total", of(|point| point.reward.total)),
        ("uncertainty", of(|point| point.reward.uncertainty)),
        ("style", of(|point| point.reward.style)),
        ("meaning", of(|point| point.reward.meaning)),
    ];
    lines("Fine-tuning by reward (means over 5 steps)", "reward", parts)
}

/// The mean of every five points.
fn smooth(curve: &[GrpoPoint], value: fn(&GrpoPoint) -> f64) -> Vec<(f64, f64)> {
    let width = 5.min(curve.len().max(1));
    let mean = |window: &[GrpoPoint]| window.iter().map(value).sum::<f64>() / width as f64;
    curve.windows(width).map(|window| (window[width - 1].step as f64, mean(window))).collect()
}

fn lines<const N: usize>(title: &str, unit: &str, all: [(&str, Vec<(f64, f64)>); N]) -> String {
    let series = all.into_iter().enumerate().map(|(number, (name, points))| series(name, number, points));
    plot(title, vec![Panel { y: Some(from_zero(unit)), series: series.collect(), ..Panel::default() }])
}

fn plot(title: &str, panels: Vec<Panel>) -> String {
    let x = Axis::titled("steps");
    Plot { title: title.to_owned(), x, panels, marks: Marks::Lines, ..Plot::default() }.svg()
}

fn series(name: &str, number: usize, points: Vec<(f64, f64)>) -> Series {
    let points = points.into_iter().map(|(step, y)| DrawnPoint::at(step, y)).collect();
    Series { name: name.to_owned(), style: LineStyle(number), points }
}

fn from_zero(title: &str) -> Axis {
    Axis { range: Some((0.0, 0.0)), ..Axis::titled(title) }
}
