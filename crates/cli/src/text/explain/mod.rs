//! Explains every word in a table for the terminal.

mod shown;
mod table;

use inkveil::Group;
use owo_colors::{AnsiColors, Style};

pub(super) use table::{legend, table};

/// The colour of a group in a terminal.
fn style(group: Group) -> Style {
    match group {
        Group::SensitiveNeeded => Style::new().color(AnsiColors::Yellow),
        Group::Sensitive => Style::new().color(AnsiColors::Red),
        Group::Needed => Style::new().color(AnsiColors::Green),
        Group::Neither => Style::new(),
    }
}
