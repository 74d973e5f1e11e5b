//! Why every word was treated as it was: a table for the terminal, a page for the browser.

mod html;
mod shown;
mod table;

use inkveil::Group;
use owo_colors::{AnsiColors, Style};

pub(super) use html::Page;
pub(super) use table::{legend, table};

/// How a group looks in a terminal. What is neither sensitive nor needed has no colour.
fn style(group: Group) -> Style {
    match group {
        Group::SensitiveNeeded => Style::new().color(AnsiColors::Yellow),
        Group::Sensitive => Style::new().color(AnsiColors::Red),
        Group::Needed => Style::new().color(AnsiColors::Green),
        Group::Neither => Style::new(),
    }
}
