//! Checks that markup is well formed. Another crate includes this file in its own tests.

/// The tags that this crate writes. Any other tag comes from the data.
const TAGS: &str = " \
    a article body br circle code dd desc details div dl dt figcaption figure g h1 h2 h3 head html li main meta nav ol p \
    path pre q rect section small span strong style summary sup svg table tbody td text th thead title tr ul \
    ";
const ATTRIBUTES: &str = " \
    aria-hidden aria-label aria-labelledby charset class colspan content cx cy d fill fill-opacity font-size \
    font-weight height href http-equiv id lang name opacity r role rowspan scope stroke stroke-linecap \
    stroke-linejoin stroke-width style tabindex text-anchor title transform viewBox width x xmlns y \
    ";

/// Checks that every tag is known and closed, and that every attribute is known and quoted.
pub(crate) fn check(text: &str) -> Result<(), String> {
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

/// Checks that every number in paths, places and sizes is finite and near the drawing.
pub(crate) fn check_numbers(drawing: &str) -> Result<(), String> {
    let attributes = [
        " d=\"",
        " x=\"",
        " y=\"",
        " cx=\"",
        " r=\"",
        " viewBox=\"",
        " transform=\"",
        " width=\"",
        " height=\"",
    ];
    for attribute in attributes {
        for (at, _) in drawing.match_indices(attribute) {
            let value = drawing[at + attribute.len()..].split('"').next().unwrap_or("");
            let numbers = value.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
            for number in numbers.filter(|number| !number.is_empty()) {
                let inside = number.parse::<f64>().is_ok_and(|number| number.abs() < 5000.0);
                if !inside || value.contains("NaN") || value.contains("inf") {
                    return Err(format!("{attribute}{value}\""));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_check_finds_broken_markup() {
    assert!(check("<p class=\"a\">b<br></p>").is_ok());
    for broken in
        ["<p>", "<p></ul>", "<script></script>", "<p onclick=\"x\"></p>", "<p>a > b</p>", "<p class=a></p>"]
    {
        assert!(check(broken).is_err(), "{broken}");
    }
}
