//! Shares in a table of shaded cells.

use std::fmt::Write as _;

use crate::escape::Escaped;
use crate::lettering::{self, Label};
use crate::svg::Drawing;

const CELL: f64 = 26.0;
const LEFT: f64 = 150.0;
const MARGIN: f64 = 20.0;

/// A heat map: a row of shaded cells for each name.
///
/// ```
/// use inkveil_report::HeatMap;
///
/// let map = HeatMap {
///     title: "Which dimensions carry which concept".into(),
///     rows: vec![("person".into(), vec![0.9, 0.1])],
///     columns: vec!["12".into(), "40".into()],
///     scale: "pale: 0, strong: 1".into(),
/// };
/// assert_eq!(map.svg().matches("<rect class=\"cell").count(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatMap {
    /// The title.
    pub title: String,
    /// The name of each row, and a share from 0 to 1 for each of its cells.
    pub rows: Vec<(String, Vec<f64>)>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// What pale and strong cells mean.
    pub scale: String,
}

impl HeatMap {
    /// Draws the map as a file: no scripts, no requests.
    pub fn svg(&self) -> String {
        let names = self.columns.iter().map(|name| lettering::width(name, 11.0)).fold(0.0, f64::max);
        let top = 48.0 + names;
        let width = (LEFT + CELL * self.columns.len() as f64 + MARGIN)
            .max(2.0 * MARGIN + lettering::width(&self.title, 15.0 * lettering::BOLD))
            .max(2.0 * MARGIN + lettering::width(&self.scale, 12.0));
        let bottom = top + CELL * self.rows.len() as f64;
        let mut body = String::new();
        Label { bold: true, ..Label::at(MARGIN, 24.0, 15.0) }.write(&mut body, &self.title);
        for (column, name) in self.columns.iter().enumerate() {
            let x = LEFT + CELL * (column as f64 + 0.5) + 4.0;
            Label { upright: true, faint: true, ..Label::at(x, top - 6.0, 11.0) }.write(&mut body, name);
        }
        for (row, (name, shares)) in self.rows.iter().enumerate() {
            let y = top + CELL * row as f64;
            let shown = lettering::cut(name, 12.0, LEFT - MARGIN);
            let at = Label::at(LEFT - 8.0, y + CELL / 2.0 + 4.0, 12.0);
            Label { anchor: "end", ..at }.write(&mut body, &shown);
            for (column, share) in shares.iter().enumerate().take(self.columns.len()) {
                let x = LEFT + CELL * column as f64;
                let (side, share) = (CELL - 1.0, if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 });
                let label = format!("{name}, {}: {share:.2}", self.columns[column]);
                // Writing to a string cannot fail.
                let _ = writeln!(
                    body,
                    "<rect class=\"cell k0\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side}\" height=\"{side}\" \
                     fill=\"currentColor\" fill-opacity=\"{share:.3}\"><title>{}</title></rect>",
                    Escaped(&label)
                );
            }
        }
        Label { faint: true, ..Label::at(MARGIN, bottom + 22.0, 12.0) }.write(&mut body, &self.scale);
        let about = format!("{} rows, {} columns. {}", self.rows.len(), self.columns.len(), self.scale);
        Drawing { width, height: bottom + 40.0, title: &self.title, about: &about, body: &body }.file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_become_shades() {
        let rows = vec![("one".to_owned(), vec![0.25, f64::NAN]), ("two".to_owned(), vec![7.0, -1.0])];
        let columns = vec!["a".to_owned(), "b".to_owned()];
        let drawn = HeatMap { rows, columns, ..HeatMap::default() }.svg();
        for shade in ["\"0.250\"", "\"1.000\""] {
            assert_eq!(drawn.matches(&format!("fill-opacity={shade}")).count(), 1, "{drawn}");
        }
        assert_eq!(drawn.matches("fill-opacity=\"0.000\"").count(), 2);
    }
}
