//! Masks side by side: which dimensions concepts share.

use anyhow::anyhow;
use inkveil_vector::Mask;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::inspect::strongest;

const CELL: (i32, i32) = (26, 26);
const LEFT: i32 = 150;
const TOP: i32 = 64;
const MARGIN: i32 = 20;

/// A drawing of the union of the strongest `top` dimensions of each mask (columns) across all masks (rows).
pub(super) fn svg(masks: &[Mask], top: usize) -> anyhow::Result<String> {
    let mut dimensions: Vec<usize> = Vec::new();
    for mask in masks {
        // In the order of the masks, so that what one mask has for itself stands together.
        dimensions
            .extend(strongest(mask, top).into_iter().filter(|d| !dimensions.contains(d)).collect::<Vec<_>>());
    }
    let width = (LEFT + CELL.0 * dimensions.len() as i32 + MARGIN).max(360);
    let height = TOP + CELL.1 * masks.len() as i32 + MARGIN + 20;
    let mut text = String::new();
    draw(&mut text, (width as u32, height as u32), masks, &dimensions)
        .map_err(|error| anyhow!("cannot draw the masks: {error}"))?;
    Ok(text)
}

fn draw(
    text: &mut String,
    size: (u32, u32),
    masks: &[Mask],
    dimensions: &[usize],
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(text, size).into_drawing_area();
    area.fill(&WHITE)?;
    let label = |size: i32| ("sans-serif", size).into_font().color(&BLACK);
    area.draw(&Text::new("Which dimensions carry which concept", (MARGIN, 12), label(15)))?;
    let above = label(10).transform(FontTransform::Rotate270).pos(Pos::new(HPos::Left, VPos::Center));
    for (column, dimension) in dimensions.iter().enumerate() {
        let x = LEFT + CELL.0 * column as i32;
        area.draw(&Text::new(dimension.to_string(), (x + CELL.0 / 2, TOP - 6), above.clone()))?;
    }
    let beside = label(12).pos(Pos::new(HPos::Right, VPos::Center));
    for (row, mask) in masks.iter().enumerate() {
        let y = TOP + CELL.1 * row as i32;
        let name: String = mask.note.concept.chars().take(20).collect();
        area.draw(&Text::new(name, (LEFT - 8, y + CELL.1 / 2), beside.clone()))?;
        for (column, &dimension) in dimensions.iter().enumerate() {
            let x = LEFT + CELL.0 * column as i32;
            let corners = [(x, y), (x + CELL.0 - 1, y + CELL.1 - 1)];
            area.draw(&Rectangle::new(corners, shade(mask.gates[dimension]).filled()))?;
        }
    }
    let y = TOP + CELL.1 * masks.len() as i32 + 18;
    area.draw(&Text::new(
        "white: 0, does not matter    dark: 1, carries the concept",
        (MARGIN, y),
        label(11),
    ))?;
    area.present()?;
    Ok(())
}

/// From white to dark blue.
fn shade(gate: f32) -> RGBColor {
    let mix = |dark: f32| (255.0 + (dark - 255.0) * gate.clamp(0.0, 1.0)) as u8;
    RGBColor(mix(8.0), mix(48.0), mix(107.0))
}
