//! The content of a table, before it is written in any format.

use std::collections::{BTreeMap, BTreeSet};

use super::data::{ResultCell, Results};
use super::number::Number;
use super::select::{self, Key};
use super::spec::{Better, PaperCell, TableMeasure, TableSpec};

/// A table with its content.
pub(super) struct Grid<'a> {
    pub(super) spec: &'a TableSpec,
    /// The names of the groups of columns. One empty name if no coordinate makes columns.
    pub(super) groups: Vec<String>,
    pub(super) rows: Vec<Row<'a>>,
    /// The texts of the footnotes.
    pub(super) footnotes: Vec<&'a str>,
    signs: BTreeSet<Sign>,
}

/// A row: its coordinates, and an entry per group and measure.
pub(super) struct Row<'a> {
    pub(super) key: Key<'a>,
    pub(super) entries: Vec<Entry>,
}

/// The content of one position.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) mean: Option<Number>,
    pub(super) spread: Spread,
    pub(super) paper: Option<Number>,
    pub(super) best: bool,
    /// The number of its footnote.
    pub(super) footnote: Option<usize>,
    value: f64,
}

/// How far a mean can be trusted.
#[derive(Default)]
pub(super) enum Spread {
    #[default]
    Unknown,
    Deviation(Number),
    Interval(Number, Number),
}

/// Signs that the legend explains.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Deviation,
    Interval,
    Paper,
    Best,
    Missing,
}

impl<'a> Grid<'a> {
    /// Lays out a table. Of several cells at one position the first is shown; `check` refuses such
    /// tables.
    pub(super) fn of(results: &'a Results, spec: &'a TableSpec) -> Self {
        let measured =
            |cell: &ResultCell| spec.measures.iter().any(|shown| cell.measures.contains_key(&shown.measure));
        let is_shown = |cell: &&ResultCell| select::passes(cell, &spec.only) && measured(cell);
        let cells: Vec<&ResultCell> = results.cells.iter().filter(is_shown).collect();
        let rows = keys(&cells, spec, &spec.rows, |paper| &paper.row);
        let columns = keys(&cells, spec, &spec.columns, |paper| &paper.column);
        let mut places: BTreeMap<(Key<'_>, Key<'_>), &ResultCell> = BTreeMap::new();
        for cell in cells {
            let place = (select::key(cell, &spec.rows), select::key(cell, &spec.columns));
            places.entry(place).or_insert(cell);
        }
        let groups = columns.iter().map(|key| select::label(key)).collect();
        let mut grid = Self { spec, groups, rows: Vec::new(), footnotes: Vec::new(), signs: BTreeSet::new() };
        for row in rows {
            let mut entries = Vec::new();
            for column in &columns {
                let cell = places.get(&(row.clone(), column.clone())).copied();
                for shown in &spec.measures {
                    let mut entry = grid.entry(cell, shown);
                    entry.paper = paper_figure(spec, &row, column, shown);
                    entries.push(entry);
                }
            }
            grid.rows.push(Row { key: row, entries });
        }
        grid.mark_best();
        grid.note_signs();
        grid
    }

    fn entry(&mut self, cell: Option<&'a ResultCell>, shown: &TableMeasure) -> Entry {
        let Some((cell, measure)) = cell.and_then(|cell| Some((cell, cell.measures.get(&shown.measure)?)))
        else {
            return Entry::default();
        };
        let number = |value| Number::of(value, shown.digits, shown.percent);
        let deviation = measure.spread().and_then(number).map(Spread::Deviation);
        let interval =
            || measure.interval().and_then(|(low, high)| Some(Spread::Interval(number(low)?, number(high)?)));
        Entry {
            mean: number(measure.mean),
            spread: deviation.or_else(interval).unwrap_or_default(),
            paper: None,
            best: false,
            footnote: cell.note.as_deref().map(|note| self.footnote(note)),
            value: measure.mean,
        }
    }

    fn footnote(&mut self, note: &'a str) -> usize {
        let known = self.footnotes.iter().position(|other| *other == note);
        known.unwrap_or_else(|| {
            self.footnotes.push(note);
            self.footnotes.len() - 1
        })
    }

    /// Marks the best value of each column. Values that are shown alike are equally good; a column
    /// of one value has no best.
    fn mark_best(&mut self) {
        let per_group = self.spec.measures.len();
        for at in 0..self.groups.len() * per_group {
            let better = self.spec.measures[at % per_group].better;
            let entries =
                || self.rows.iter().map(|row| &row.entries[at]).filter(|entry| entry.mean.is_some());
            let best = match better {
                Better::Neither => continue,
                Better::Higher => entries().max_by(|a, b| a.value.total_cmp(&b.value)),
                Better::Lower => entries().min_by(|a, b| a.value.total_cmp(&b.value)),
            };
            let Some(best) = best.and_then(|entry| entry.mean.clone()).filter(|_| entries().count() > 1)
            else {
                continue;
            };
            for row in &mut self.rows {
                row.entries[at].best = row.entries[at].mean.as_ref() == Some(&best);
            }
        }
    }

    fn note_signs(&mut self) {
        for entry in self.rows.iter().flat_map(|row| &row.entries) {
            self.signs.extend(entry.paper.as_ref().map(|_| Sign::Paper));
            self.signs.extend(entry.best.then_some(Sign::Best));
            self.signs.extend(entry.mean.is_none().then_some(Sign::Missing));
            self.signs.extend(match (&entry.mean, &entry.spread) {
                (None, _) | (_, Spread::Unknown) => None,
                (_, Spread::Deviation(_)) => Some(Sign::Deviation),
                (_, Spread::Interval(..)) => Some(Sign::Interval),
            });
        }
    }

    /// Explains the signs in the table, one sentence each.
    pub(super) fn legend(&self) -> Vec<&'static str> {
        let words = |sign: &Sign| match sign {
            Sign::Deviation => "±: standard deviation over seeds.",
            Sign::Interval => "In brackets: 95 % interval over examples.",
            Sign::Paper => "In parentheses: the figure of the paper.",
            Sign::Best => "Bold: the best value of its column.",
            Sign::Missing => "–: not measured.",
        };
        self.signs.iter().map(words).collect()
    }

    /// The headings of the columns of one group.
    pub(super) fn measure_titles(&self) -> Vec<String> {
        self.spec.measures.iter().map(measure_title).collect()
    }

    /// The names of the groups of columns, with the names of their coordinates.
    pub(super) fn group_titles(&self) -> Vec<String> {
        let names = self.spec.columns.join(" · ");
        self.groups.iter().map(|group| format!("{names} {group}").trim_start().to_owned()).collect()
    }

    /// Whether it has no content.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.spec.measures.is_empty()
    }

    /// The sign of a footnote: a dagger, with a number if there are several.
    pub(super) fn dagger(&self, footnote: usize) -> String {
        if self.footnotes.len() < 2 { "†".to_owned() } else { format!("†{}", footnote + 1) }
    }
}

/// The keys of cells, and the keys that only the paper has, in order.
fn keys<'a>(
    cells: &[&'a ResultCell],
    spec: &'a TableSpec,
    names: &[String],
    of_paper: fn(&PaperCell) -> &Vec<String>,
) -> Vec<Key<'a>> {
    let mut keys: Vec<Key<'a>> = cells.iter().map(|cell| select::key(cell, names)).collect();
    if !keys.is_empty() {
        let fits = spec.paper.iter().map(of_paper).filter(|key| key.len() == names.len());
        keys.extend(fits.map(|key| key.iter().map(String::as_str).collect::<Key<'a>>()));
    }
    select::ordered(&keys, names, &spec.order)
}

fn paper_figure(spec: &TableSpec, row: &[&str], column: &[&str], shown: &TableMeasure) -> Option<Number> {
    let matches =
        |paper: &&PaperCell| paper.measure == shown.measure && paper.row == row && paper.column == column;
    let figure = spec.paper.iter().find(matches)?;
    Number::of(figure.value, shown.digits, shown.percent)
}

fn measure_title(shown: &TableMeasure) -> String {
    let title = if shown.title.is_empty() { &shown.measure } else { &shown.title };
    let arrow = match shown.better {
        Better::Higher => " ↑",
        Better::Lower => " ↓",
        Better::Neither => "",
    };
    format!("{title}{}{arrow}", if shown.percent { ", %" } else { "" })
}
