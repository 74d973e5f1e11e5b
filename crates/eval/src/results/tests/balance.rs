//! Checks that a text is well formed, as far as data could break it.

/// Checks that braces and environments are closed, and that rows of a table have the right number
/// of columns.
pub(super) fn latex(text: &str) -> Result<(), String> {
    let mut columns = None;
    let mut depth = 0i32;
    let mut open: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('%')) {
        let plain = without_escapes(line);
        depth += plain.matches('{').count() as i32 - plain.matches('}').count() as i32;
        if depth != 0 {
            return Err(format!("braces in {line:?}"));
        }
        if plain.contains('%') || plain.contains('#') || !plain.matches('$').count().is_multiple_of(2) {
            return Err(format!("a sign that acts in {line:?}"));
        }
        if let Some(name) = line.strip_prefix("\\begin{") {
            open.push(name.split('}').next().unwrap_or("").to_owned());
            if let Some(spec) = line.strip_prefix("\\begin{tabular}{") {
                columns = Some(spec.trim_end_matches('}').len());
            }
        }
        if let Some(name) = line.strip_prefix("\\end{")
            && open.pop().as_deref() != Some(name.trim_end_matches('}'))
        {
            return Err(format!("{line:?} closes something else"));
        }
        if line.ends_with("\\\\") {
            let spanned = |cell: &str| {
                let wide = cell.trim().strip_prefix("\\multicolumn{").and_then(|cell| cell.split('}').next());
                wide.map_or(1, |wide| wide.parse().unwrap_or(0))
            };
            let found: usize = plain.split('&').map(spanned).sum();
            if Some(found) != columns {
                return Err(format!("{found} columns in {line:?}"));
            }
        } else if plain.contains('&') {
            return Err(format!("a loose & in {line:?}"));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("not closed: {open:?}")) }
}

/// A line without escaped characters.
fn without_escapes(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, chars.as_str().chars().next()) {
            ('\\', Some(next)) if !next.is_ascii_alphabetic() => {
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

/// Checks that the rows of each table have the same number of bars, and that nothing looks like a
/// tag.
pub(super) fn markdown(text: &str) -> Result<(), String> {
    let mut bars = None;
    let mut fence: Option<String> = None;
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            None if ticks.len() > 2 => fence = Some(ticks),
            _ => {}
        }
        if fence.is_some() {
            continue;
        }
        if line.replace("<br>", "").contains('<') {
            return Err(format!("a tag in {line:?}"));
        }
        let here = Some(line.matches('|').count()).filter(|bars| *bars > 0);
        if bars.is_some() && here.is_some() && here != bars {
            return Err(format!("{here:?} bars after {bars:?} in {line:?}"));
        }
        bars = here;
    }
    if fence.is_some() { Err("an open fence".into()) } else { Ok(()) }
}

#[test]
fn the_checks_find_broken_text() {
    assert!(latex("\\begin{tabular}{lr}\na & $1$ \\\\\n\\end{tabular}").is_ok());
    for broken in
        ["a & b", "{", "50 %", "$", "\\begin{tabular}{l}\na & b \\\\\n\\end{tabular}", "\\begin{table}"]
    {
        assert!(latex(broken).is_err(), "{broken}");
    }
    assert!(markdown("|a|\n|-|\n|b|\n\ntext").is_ok());
    for broken in ["|a|\n|-|-|", "<b>", "```\nx"] {
        assert!(markdown(broken).is_err(), "{broken}");
    }
}
