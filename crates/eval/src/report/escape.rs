//! Texts from the data as texts only: nothing in them acts on a browser, on LaTeX or on a table of Markdown.

/// What to show for a character that is not to be shown as it is: controls, what XML forbids, and what turns
/// the direction of writing, which can make a text read as another.
fn stand_in(c: char) -> Option<char> {
    match c {
        '\n' | '\t' | '\r' => None,
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7F}' => Some('\u{2421}'),
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some('\u{FFFD}'),
        '\u{FFFE}' | '\u{FFFF}' => Some('\u{FFFD}'),
        _ => None,
    }
}

/// A text in HTML or SVG, between tags or between double quotes. Lines stay lines.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\r' => {}
            c => out.push(stand_in(c).unwrap_or(c)),
        }
    }
    out
}

/// A text on one line.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text in Markdown, on one line: in a table, a list or a paragraph.
pub(super) fn markdown(text: &str) -> String {
    let text = one_line(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let ends_word = rest.as_str().is_empty() || rest.as_str().starts_with(' ');
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A backslash would do for GitHub, but not for everything that reads tables.
            '|' => out.push_str("&#124;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' | '#' => out.extend(['\\', c]),
            // At its beginning these would make a list or a heading, and digits before a point a numbered
            // list.
            '-' | '+' | '=' | ':' if out.is_empty() => out.extend(['\\', c]),
            '.' | ')' if ends_word && only_digits(&out) => out.extend(['\\', c]),
            c => out.push(stand_in(c).unwrap_or(c)),
        }
    }
    out
}

fn only_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text in LaTeX, on one line, for any engine: letters that are not in the T1 encoding become their
/// numbers.
pub(super) fn latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            // After the end of a row these would be options of the row's end.
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            // Pairs of these would become other signs.
            '-' | '\'' | '`' | ',' if out.ends_with(c) => out.extend(['{', '}', c]),
            ' '..='~' => out.push(c),
            c => match mathematics(c) {
                Some(command) => out.push_str(&format!("\\ensuremath{{{command}}}")),
                None if T1_LETTERS.contains(c) || ('\u{C0}'..='\u{FF}').contains(&c) => out.push(c),
                None => out.push_str(named(c).unwrap_or(&format!("{{[}}U+{:04X}{{]}}", u32::from(c)))),
            },
        }
    }
    out
}

/// The letters beyond Latin 1 that the T1 encoding has.
const T1_LETTERS: &str = "ĂăĄąĆćČčĎďĐđĘęĚěĞğĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž";

fn mathematics(c: char) -> Option<&'static str> {
    Some(match c {
        'α' => "\\alpha",
        'β' => "\\beta",
        'γ' => "\\gamma",
        'δ' => "\\delta",
        'Δ' => "\\Delta",
        'ε' => "\\varepsilon",
        'η' => "\\eta",
        'θ' => "\\theta",
        'κ' => "\\kappa",
        'λ' => "\\lambda",
        'μ' | 'µ' => "\\mu",
        'π' => "\\pi",
        'ρ' => "\\rho",
        'σ' => "\\sigma",
        'Σ' => "\\Sigma",
        'τ' => "\\tau",
        'φ' => "\\varphi",
        'χ' => "\\chi",
        'ω' => "\\omega",
        '−' => "-",
        '±' => "\\pm",
        '×' => "\\times",
        '÷' => "\\div",
        '·' => "\\cdot",
        '≤' => "\\leq",
        '≥' => "\\geq",
        '≠' => "\\neq",
        '≈' => "\\approx",
        '∞' => "\\infty",
        '√' => "\\surd",
        '→' => "\\rightarrow",
        '←' => "\\leftarrow",
        '↑' => "\\uparrow",
        '↓' => "\\downarrow",
        '∈' => "\\in",
        '°' => "^\\circ",
        '²' => "^2",
        '³' => "^3",
        '¹' => "^1",
        '₀' => "_0",
        '₁' => "_1",
        '₂' => "_2",
        '⁻' => "^-",
        _ => return None,
    })
}

fn named(c: char) -> Option<&'static str> {
    Some(match c {
        '–' => "--",
        '—' => "---",
        '‘' => "`",
        '’' => "'",
        '“' => "``",
        '”' => "''",
        '…' => "\\ldots{}",
        '†' => "\\textdagger{}",
        '§' => "\\S{}",
        '\u{2010}' | '\u{2011}' => "-",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_a_browser() {
        assert_eq!(html("<a href='x'>\"&\0\u{202e}"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;␀\u{fffd}");
    }

    #[test]
    fn nothing_acts_on_markdown() {
        assert_eq!(markdown("a|b\nc_d `x` <br>"), "a&#124;b c\\_d \\`x\\` &lt;br&gt;");
        assert_eq!(
            ["- a", "12. b", "# c", "laplace-l1", "0.5"].map(markdown).join(" "),
            "\\- a 12\\. b \\# c laplace-l1 0.5"
        );
    }

    #[test]
    fn nothing_acts_on_latex() {
        assert_eq!(latex("50 % & $x_1$ {a} \\b"), "50 \\% \\& \\$x\\_1\\$ \\{a\\} \\textbackslash{}b");
        assert_eq!(latex("[1] *"), "{[}1{]} {*}");
        assert_eq!(
            latex("ε ≤ 1, Müller, 中, a--b"),
            "\\ensuremath{\\varepsilon} \\ensuremath{\\leq} 1, Müller, {[}U+4E2D{]}, a-{}-b"
        );
    }
}
