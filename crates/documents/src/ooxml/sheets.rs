//! Excel workbooks. A released workbook is written from its cells: texts, numbers, widths and styles.

use std::ops::RangeInclusive;

use super::filter::{Fate, Ids, Rules, filter};
use super::relations::{main_part, relations};
use super::word::{count_unknown, lost};
use super::writer::{NewPackage, NewRelations};
use crate::builder::Builder;
use crate::dates;
use crate::error::Error;
use crate::package::{Package, Part};
use crate::passage::PassageKind;
use crate::pieces::{Escape, Piece, Pieces};
use crate::xml::values::is_measure;
use crate::xml::write::XmlWriter;
use crate::xml::{Attribute, Element, Space, parse};

const MAIN: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
const SHEET: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";
const STYLES: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml";
const THEME: &str = "application/vnd.openxmlformats-officedocument.theme+xml";
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// Reads a workbook for release.
pub(super) fn read(package: &mut Package<'_>, builder: &mut Builder) -> Result<Vec<Part>, Error> {
    let main = main_part(package, &builder.limits, "xlsx")?;
    for relation in relations(package, "", &builder.limits)?.values() {
        if relation.kind != "officeDocument" && !relation.target.starts_with("docProps/") {
            builder.removed.add(lost(relation));
        }
    }
    let found = relations(package, &main, &builder.limits)?;
    let mut known: Vec<String> = vec![main.clone()];
    let workbook = parse(&package.read(&main)?, &builder.limits)?;
    if !workbook.is(Space::X, "workbook") {
        return Err(Error::damaged("xlsx", "its main part is no workbook"));
    }
    let mut new = NewPackage::new();
    let mut own = NewRelations::default();
    let mut styles = Styles::default();
    let mut shared: Vec<String> = Vec::new();
    for relation in found.values() {
        known.push(relation.target.clone());
        match relation.kind.as_str() {
            "sharedStrings" if package.has(&relation.target) => {
                let root = parse(&package.read(&relation.target)?, &builder.limits)?;
                shared = root.elements().filter(|item| item.is(Space::X, "si")).map(text_of).collect();
            }
            "styles" if package.has(&relation.target) => {
                let mut root = parse(&package.read(&relation.target)?, &builder.limits)?;
                styles = Styles::of(&root);
                new.add("xl/styles.xml", STYLES, look(&mut root, builder), &NewRelations::default());
                own.add("styles.xml", "styles");
            }
            "theme" if package.has(&relation.target) => {
                let mut root = parse(&package.read(&relation.target)?, &builder.limits)?;
                new.add("xl/theme/theme1.xml", THEME, look(&mut root, builder), &NewRelations::default());
                own.add("theme/theme1.xml", "theme");
            }
            "worksheet" | "styles" | "sharedStrings" | "theme" => {}
            _ => builder.removed.add(match relation.kind.as_str() {
                "externalLink" | "connections" | "queryTable" => "links to other data",
                "pivotCacheDefinition" => "pivot tables",
                "calcChain" => "formulas",
                _ => lost(relation),
            }),
        }
    }
    let names = workbook.child(Space::X, "definedNames").map_or(0, |names| names.children.len());
    builder.removed.add_many("names of ranges", names as u64);
    let from_1904 = workbook
        .child(Space::X, "workbookPr")
        .and_then(|found| found.get(Space::None, "date1904"))
        .is_some_and(|value| matches!(value, "1" | "true"));
    let mut listed = String::new();
    let sheets = workbook.child(Space::X, "sheets").into_iter().flat_map(Element::elements);
    let mut count = 0;
    for sheet in sheets {
        let is_hidden = sheet.get(Space::None, "state").is_some_and(|state| state != "visible");
        let target = sheet
            .get(Space::R, "id")
            .and_then(|id| found.get(id))
            .filter(|relation| relation.kind == "worksheet");
        let Some(target) = target.filter(|relation| package.has(&relation.target)) else {
            builder.removed.add("charts");
            continue;
        };
        for relation in relations(package, &target.target, &builder.limits)?.values() {
            known.push(relation.target.clone());
            builder.removed.add(match relation.kind.as_str() {
                "drawing" | "vmlDrawing" => "drawings",
                "table" => "names of tables",
                "pivotTable" => "pivot tables",
                _ => lost(relation),
            });
        }
        builder.removed.add("names of sheets");
        if is_hidden {
            builder.removed.add("hidden sheets");
            continue;
        }
        let root = parse(&package.read(&target.target)?, &builder.limits)?;
        count += 1;
        let pieces =
            Sheet { shared: &shared, styles: &styles, from_1904, builder: &mut *builder }.write(&root);
        let name = format!("worksheets/sheet{count}.xml");
        new.add(&format!("xl/{name}"), SHEET, pieces, &NewRelations::default());
        let id = own.add(name, "worksheet");
        listed.push_str(&format!("<sheet name=\"Sheet{count}\" sheetId=\"{count}\" r:id=\"{id}\"/>"));
    }
    if count == 0 {
        return Err(Error::damaged("xlsx", "it has no visible sheet"));
    }
    let mut pieces = Pieces::default();
    let date_system = if from_1904 { "<workbookPr date1904=\"1\"/>" } else { "" };
    pieces.fixed(format!(
        "{HEAD}<workbook xmlns=\"{}\" xmlns:r=\"{}\">{date_system}<sheets>{listed}</sheets></workbook>",
        Space::X.address(),
        Space::R.address()
    ));
    new.add("xl/workbook.xml", MAIN, pieces, &own);
    count_unknown(package, &known, builder);
    Ok(new.finish("xl/workbook.xml", "xl"))
}

/// The part of a look, such as styles or a theme, without what may hold text.
fn look(root: &mut Element, builder: &mut Builder) -> Pieces {
    filter(root, &mut StyleRules, &Ids::new(), builder);
    let writer =
        XmlWriter { grammar: &super::word::Grammar, builder, pieces: Default::default(), verbatim: false };
    writer.file(root)
}

/// The text of an item, without its reading aid.
fn text_of(item: &Element) -> String {
    let mut text = String::new();
    for child in item.elements() {
        match child.name() {
            "t" => text.push_str(&child.text()),
            "r" => text.push_str(&child.child(Space::X, "t").map(Element::text).unwrap_or_default()),
            _ => {}
        }
    }
    text
}

/// Which styles of cells show dates.
#[derive(Default)]
struct Styles {
    dates: Vec<bool>,
}

impl Styles {
    fn of(root: &Element) -> Self {
        let custom: Vec<(&str, bool)> = root
            .child(Space::X, "numFmts")
            .into_iter()
            .flat_map(Element::elements)
            .filter_map(|format| {
                let code = format.get(Space::None, "formatCode")?;
                Some((format.get(Space::None, "numFmtId")?, is_date_code(code)))
            })
            .collect();
        let is_date = |id: &str| match custom.iter().find(|(known, _)| *known == id) {
            Some((_, is_date)) => *is_date,
            None => matches!(id.parse(), Ok(14..=22 | 27..=36 | 45..=47 | 50..=58)),
        };
        let cells = root.child(Space::X, "cellXfs").into_iter().flat_map(Element::elements);
        Self { dates: cells.map(|xf| xf.get(Space::None, "numFmtId").is_some_and(is_date)).collect() }
    }
}

/// Whether the format of a number shows a day. Literal texts, colours and currencies in it do not.
fn is_date_code(code: &str) -> bool {
    let (mut quoted, mut bracketed) = (false, false);
    let mut characters = code.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            // The next character is shown, or sets a width.
            '\\' | '_' | '*' => {
                characters.next();
            }
            '[' => bracketed = true,
            ']' => bracketed = false,
            _ if !bracketed && matches!(c.to_ascii_lowercase(), 'y' | 'd' | 'm') => return true,
            _ => {}
        }
    }
    false
}

struct StyleRules;

impl Rules for StyleRules {
    fn fate(&self, element: &Element) -> Fate {
        match (element.space, element.name()) {
            (_, "extLst") | (Some(Space::A), "font") => Fate::Remove(""),
            (Some(Space::X), "cellStyles" | "tableStyles") => Fate::Remove("names of styles"),
            (Some(Space::A), "hlinkClick" | "blipFill" | "blip") => Fate::Remove("images"),
            (Some(Space::X | Space::A), _) => Fate::Keep,
            _ => Fate::Remove("unknown elements"),
        }
    }

    fn renamed(&mut self, element: &Element, attribute: &Attribute) -> Option<String> {
        let value = attribute.value.as_str();
        match (element.name(), attribute.name()) {
            ("numFmt", "formatCode") => Some(match is_plain_code(value) {
                true => value.to_owned(),
                // A day stays a day.
                false if !is_date_code(value) => "General".to_owned(),
                false if value.contains(['h', 'H']) => "yyyy-mm-dd hh:mm".to_owned(),
                false => "yyyy-mm-dd".to_owned(),
            }),
            ("name", "val") => Some(match crate::xml::values::is_font(value) {
                true => value.to_owned(),
                false => "Calibri".to_owned(),
            }),
            _ => None,
        }
    }
}

/// Whether the format of a number has no words. Letters are allowed only where they stand for parts of a day, such as
/// `yyyy-mm-dd`, and not in literal texts.
fn is_plain_code(code: &str) -> bool {
    let literal = |text: &str| text.contains(|c: char| c.is_alphanumeric());
    code.len() <= 80
        && !code.split('"').skip(1).step_by(2).any(literal)
        && !code.split('\\').skip(1).any(|rest| rest.starts_with(|c: char| c.is_alphanumeric()))
        && code.split(|c: char| !c.is_ascii_alphabetic()).all(is_code_word)
        && code.is_ascii()
        && code.bytes().filter(|byte| byte.is_ascii_digit() && *byte != b'0').count() <= 4
}

/// Whether letters stand for parts of a day, such as `yyyymmdd`, or are words of the standard.
fn is_code_word(word: &str) -> bool {
    const WORDS: &[&str] =
        &["", "General", "Red", "Black", "Blue", "Green", "White", "Yellow", "AM", "PM", "A", "P", "E", "e"];
    let one_case =
        || word.bytes().all(|b| b.is_ascii_lowercase()) || word.bytes().all(|b| b.is_ascii_uppercase());
    let lower = word.to_ascii_lowercase();
    WORDS.contains(&word)
        || (one_case()
            && lower.as_bytes().chunk_by(|a, b| a == b).all(|part| match part[0] {
                b'y' => matches!(part.len(), 2 | 4),
                b'm' => part.len() <= 5,
                b'd' => part.len() <= 4,
                b'h' | b's' => part.len() <= 2,
                _ => false,
            }))
}

/// The number of the column of a place such as `AB12`, from 1.
fn column(place: &str) -> usize {
    let letters = place.bytes().take_while(u8::is_ascii_uppercase);
    letters.fold(0, |number, letter| number * 26 + usize::from(letter - b'A') + 1)
}

struct Sheet<'a> {
    shared: &'a [String],
    styles: &'a Styles,
    from_1904: bool,
    builder: &'a mut Builder,
}

impl Sheet<'_> {
    fn write(mut self, root: &Element) -> Pieces {
        let mut pieces = Pieces::default();
        pieces.fixed(format!("{HEAD}<worksheet xmlns=\"{}\">", Space::X.address()));
        let mut hidden: Vec<RangeInclusive<usize>> = Vec::new();
        if let Some(columns) = root.child(Space::X, "cols") {
            for column in columns.elements().filter(|column| is_shut(column, "width")) {
                let number = |name| column.get(Space::None, name).and_then(|value| value.parse().ok());
                if let (Some(from), Some(to)) = (number("min"), number("max")) {
                    self.builder.removed.add("hidden columns");
                    hidden.push(from..=to);
                }
            }
            pieces.fixed("<cols>");
            for column in columns.elements() {
                self.numbers(
                    column,
                    "col",
                    &["min", "max", "width", "style", "customWidth"],
                    true,
                    &mut pieces,
                );
            }
            pieces.fixed("</cols>");
        }
        pieces.fixed("<sheetData>");
        for row in root.child(Space::X, "sheetData").into_iter().flat_map(Element::elements) {
            if is_shut(row, "ht") {
                self.builder.removed.add("hidden rows");
                continue;
            }
            self.numbers(row, "row", &["r", "ht", "customHeight", "s", "customFormat"], false, &mut pieces);
            let mut kind = PassageKind::FirstCell;
            let mut at = 0;
            for cell in row.elements().filter(|cell| cell.is(Space::X, "c")) {
                // A cell without a place follows the one before it.
                at = cell.get(Space::None, "r").filter(|place| is_place(place)).map_or(at + 1, column);
                if hidden.iter().any(|columns| columns.contains(&at)) {
                    continue;
                }
                if self.cell(cell, kind, &mut pieces) {
                    kind = PassageKind::Cell;
                }
            }
            pieces.fixed("</row>");
        }
        pieces.fixed("</sheetData>");
        let merged: Vec<&str> = root
            .child(Space::X, "mergeCells")
            .into_iter()
            .flat_map(Element::elements)
            .filter_map(|merged| merged.get(Space::None, "ref"))
            .filter(|place| place.split(':').all(is_place))
            .collect();
        if !merged.is_empty() {
            pieces.fixed("<mergeCells>");
            merged.iter().for_each(|place| pieces.fixed(format!("<mergeCell ref=\"{place}\"/>")));
            pieces.fixed("</mergeCells>");
        }
        pieces.fixed("</worksheet>");
        for child in root.elements() {
            let what = match child.name() {
                "dataValidations" => "lists of values",
                "conditionalFormatting" => "conditional formats",
                "headerFooter" => "headers and footers of sheets",
                "hyperlinks" => "link targets",
                "autoFilter" | "sortState" | "customSheetViews" | "scenarios" | "protectedRanges" => {
                    "settings"
                }
                _ => continue,
            };
            self.builder.removed.add(what);
        }
        pieces
    }

    /// Writes an element with numbers as attributes.
    fn numbers(&mut self, element: &Element, name: &str, known: &[&str], empty: bool, pieces: &mut Pieces) {
        pieces.fixed(format!("<{name}"));
        for known in known {
            if let Some(value) = element.get(Space::None, known).filter(|value| is_measure(value)) {
                pieces.fixed(format!(" {known}=\"{value}\""));
            }
        }
        pieces.fixed(if empty { "/>" } else { ">" });
    }

    /// Writes a cell. Returns whether it has a text.
    fn cell(&mut self, cell: &Element, kind: PassageKind, pieces: &mut Pieces) -> bool {
        let place = cell.get(Space::None, "r").filter(|place| is_place(place));
        let style = cell.get(Space::None, "s").filter(|style| style.len() <= 5 && is_measure(style));
        let mut head = "<c".to_owned();
        place.iter().for_each(|place| head.push_str(&format!(" r=\"{place}\"")));
        style.iter().for_each(|style| head.push_str(&format!(" s=\"{style}\"")));
        if cell.child(Space::X, "f").is_some() {
            self.builder.removed.add("formulas");
        }
        let value = cell.child(Space::X, "v").map(Element::text).unwrap_or_default();
        let text = match cell.get(Space::None, "t").unwrap_or("n") {
            "s" => value.trim().parse().ok().and_then(|index: usize| self.shared.get(index)).cloned(),
            "inlineStr" => cell.child(Space::X, "is").map(text_of),
            "str" | "d" => Some(value),
            "b" => {
                let value = if value.trim() == "1" { "1" } else { "0" };
                pieces.fixed(format!("{head} t=\"b\"><v>{value}</v></c>"));
                return false;
            }
            "e" => Some(value),
            _ => {
                let value = value.trim().to_owned();
                return self.number(&head, &value, style, kind, pieces);
            }
        };
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            pieces.fixed(format!("{head}/>"));
            return false;
        };
        let run = self.builder.run(&text, kind);
        pieces.fixed(format!("{head} t=\"inlineStr\"><is><t xml:space=\"preserve\">"));
        pieces.run(run, Escape::Xml);
        pieces.fixed("</t></is></c>");
        true
    }

    /// Writes a number. If it is replaced by something else, the cell becomes a text.
    fn number(
        &mut self,
        head: &str,
        value: &str,
        style: Option<&str>,
        kind: PassageKind,
        pieces: &mut Pieces,
    ) -> bool {
        let Ok(number) = value.parse::<f64>() else {
            pieces.fixed(format!("{head}/>"));
            return false;
        };
        let is_date = style
            .and_then(|style| style.parse().ok())
            .and_then(|index: usize| self.styles.dates.get(index))
            .is_some_and(|is_date| *is_date);
        let day = if is_date { dates::shown(number, self.from_1904) } else { None };
        // Parts of a second and further digits are not shown, so they are not written.
        let value = if day.is_some() { dates::rounded(number).to_string() } else { value.to_owned() };
        let run = self.builder.run(day.as_deref().unwrap_or(&value), kind);
        let source = format!("{head}><v>{value}</v></c>").into_bytes();
        let before = format!("{head} t=\"inlineStr\"><is><t xml:space=\"preserve\">").into_bytes();
        pieces.list.push(Piece::Cell { run, source, around: [before, b"</t></is></c>".to_vec()] });
        true
    }
}

/// Whether a row or a column is hidden, or has no size.
fn is_shut(element: &Element, size: &str) -> bool {
    element.get(Space::None, "hidden").is_some_and(|value| matches!(value, "1" | "true"))
        || element.get(Space::None, size).is_some_and(|size| size.parse() == Ok(0.0))
}

/// The place of a cell, such as `AB12`.
fn is_place(place: &str) -> bool {
    let letters = place.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &place[letters..];
    (1..=3).contains(&letters)
        && (1..=7).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}
