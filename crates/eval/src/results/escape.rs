//! Text from the data, made harmless for LaTeX and Markdown.

/// A text on one line.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text in Markdown on one line, for a table, a list or a paragraph.
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
            // A backslash is enough for GitHub, but not for every reader of tables.
            '|' => out.push_str("&#124;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' | '#' => out.extend(['\\', c]),
            // At the beginning these would start a list or a heading, and digits before a point a
            // numbered list.
            '-' | '+' | '=' | ':' if out.is_empty() => out.extend(['\\', c]),
            '.' | ')' if ends_word && only_digits(&out) => out.extend(['\\', c]),
            c => out.push(inkveil_report::stand_in(c).unwrap_or(c)),
        }
    }
    out
}

fn only_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text in LaTeX on one line, for any engine. Letters outside the T1 encoding become their code
/// points.
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
            // After the end of a row these would be its options.
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            // Pairs of these would become other characters.
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

/// The letters of the T1 encoding beyond Latin 1.
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
    fn no_text_becomes_markdown_markup() {
        assert_eq!(markdown("a|b\nc_d `x` <br>"), "a&#124;b c\\_d \\`x\\` &lt;br&gt;");
        assert_eq!(
            ["- a", "12. b", "# c", "laplace-l1", "0.5"].map(markdown).join(" "),
            "\\- a 12\\. b \\# c laplace-l1 0.5"
        );
    }

    #[test]
    fn no_text_becomes_a_latex_command() {
        assert_eq!(latex("50 % & $x_1$ {a} \\b"), "50 \\% \\& \\$x\\_1\\$ \\{a\\} \\textbackslash{}b");
        assert_eq!(latex("[1] *"), "{[}1{]} {*}");
        assert_eq!(
            latex("ε ≤ 1, Müller, 中, a--b"),
            "\\ensuremath{\\varepsilon} \\ensuremath{\\leq} 1, Müller, {[}U+4E2D{]}, a-{}-b"
        );
    }
}
