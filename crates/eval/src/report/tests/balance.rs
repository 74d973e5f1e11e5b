//! Whether a text is well formed, as far as data could break it.

/// Tags that the report writes. Any other comes from the data.
const TAGS: &str = " \
    a body br code dd desc details div dl dt figcaption figure g h1 h2 h3 head html li main meta nav p \
    path pre rect section small span strong style sub summary sup svg table tbody td text th thead title \
    tr ul \
    ";
const ATTRIBUTES: &str = " \
    aria-hidden aria-label aria-labelledby charset class colspan content d fill font-size font-weight \
    height href http-equiv id lang name opacity role rowspan scope stroke stroke-linecap stroke-linejoin \
    stroke-width style tabindex text-anchor title transform viewBox width x xmlns y \
    ";

/// Whether every tag is known and closed, and every attribute known and quoted.
pub(super) fn markup(text: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text.strip_prefix("<!doctype html>\n").unwrap_or(text);
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') && open.last() != Some(&"style") {
            return Err(format!("a loose > in {:?}", &rest[..at]));
        }
        let inside = &rest[at + 1..];
        let end = inside.find('>').ok_or("a tag without an end")?;
        let tag = &inside[..end];
        rest = &inside[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => continue,
                last => return Err(format!("</{name}> closes {last:?}")),
            }
        }
        let alone = tag.ends_with('/');
        let (name, attributes) = tag.trim_end_matches('/').split_once(' ').unwrap_or((tag, ""));
        if !TAGS.contains(&format!(" {name} ")) {
            return Err(format!("the tag {name:?} is not ours"));
        }
        quoted(attributes)?;
        if !alone && !["br", "meta"].contains(&name) {
            open.push(name);
        }
    }
    let bad = |c: char| c.is_control() && !"\n\t".contains(c) || matches!(c, '\u{fffe}' | '\u{ffff}');
    match (open.is_empty() && !rest.contains('>'), text.contains(bad)) {
        (true, false) => Ok(()),
        (_, true) => Err("a character that XML forbids".into()),
        (false, _) => Err(format!("not closed: {open:?}")),
    }
}

fn quoted(attributes: &str) -> Result<(), String> {
    let mut rest = attributes.trim_start();
    while !rest.is_empty() {
        let (name, value) = rest.split_once("=\"").ok_or(format!("no value in {rest:?}"))?;
        if !ATTRIBUTES.contains(&format!(" {name} ")) {
            return Err(format!("the attribute {name:?} is not ours"));
        }
        rest = value.split_once('"').ok_or("a value without an end")?.1.trim_start();
    }
    Ok(())
}

/// Whether braces and environments are closed, and rows of a table have as many columns as its head says.
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

/// A line without characters behind a backslash that stand for themselves.
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

/// Whether the rows of each table have the same number of bars, and nothing looks like a tag.
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
fn the_checks_see_what_is_broken() {
    assert!(markup("<p class=\"a\">b<br></p>").is_ok());
    for broken in
        ["<p>", "<p></ul>", "<script></script>", "<p onclick=\"x\"></p>", "<p>a > b</p>", "<p class=a></p>"]
    {
        assert!(markup(broken).is_err(), "{broken}");
    }
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
