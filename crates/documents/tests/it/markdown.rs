//! Markdown.

use inkveil_documents::DocumentFormat;

use crate::canary::{Canaries, assert_clean, open, shown, veiled};

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut c = Canaries::default();
    let mut n = || c.next();
    let text = [
        format!(
            "---\nauthor: {}\n---\n\n# {}\n\nAsk **{}** and *Zyx9*99canary, `{}`.\n\n",
            n(),
            n(),
            n(),
            n()
        ),
        format!(
            "[{}](https://example.org/{} \"{}\") ![{}]({}.png) <https://{}.org>\n\n",
            n(),
            n(),
            n(),
            n(),
            n(),
            n()
        ),
        format!("[ref][{}] and note[^{}].\n\n[ref]: https://{}.org \"{}\"\n\n", "ref", n(), n(), n()),
        format!(
            "<!-- {} -->\n\n<div class=\"{}\">{}</div>\n\nline <b title=\"{}\">in</b>\n\n",
            n(),
            n(),
            n(),
            n()
        ),
        format!("```{}\n{}\n```\n\n    {}\n\n- {}\n  1. {}\n\n> {}\n\n", n(), n(), n(), n(), n(), n()),
        format!(
            "| {} | b |\n|---|---|\n| {} | &#90;yx998canary |\n\n{}\n===\n\nend {} ~~{}~~\n",
            n(),
            n(),
            n(),
            n(),
            n()
        ),
    ]
    .concat();
    let note = text.split("[^").nth(1).and_then(|rest| rest.split(']').next()).unwrap().to_owned();
    let text = format!("{text}\n[^{note}]: {}\n", n());
    let document = open(text.as_bytes(), DocumentFormat::Markdown);
    assert!(c.count() >= 28, "{}", c.count());
    assert!(shown(document.text()) >= 16, "{}", document.text());
    assert!(document.text().contains("Zyx999canary") && document.text().contains("Zyx998canary"));
    let written = veiled(&document);
    assert_clean(&written, "the text");
    let written = String::from_utf8(written).unwrap();
    for kept in ["# Mira", "**Mira**", "| Mira | b |", "> Mira", "~~Mira~~", "`Mira`"] {
        assert!(written.contains(kept), "{kept} in {written}");
    }
    println!("markdown: {} places, {} of them in the text", c.count(), shown(document.text()));
}

#[test]
fn a_text_without_anything_to_remove_stays_byte_for_byte() {
    let text = "# Title\n\nSome *text* with `code`, a\\*b and 1 &lt; 2.\n\n* one\n* two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let document = open(text.as_bytes(), DocumentFormat::Markdown);
    assert_eq!(String::from_utf8(document.written(document.text()).unwrap()).unwrap(), text);
    assert!(document.removed().is_empty(), "{:?}", document.removed());
}

#[test]
fn later_definitions_of_a_link_are_removed_too() {
    let text = "See [a].\n\n[a]: https://one.org\n[//]: # (ask Mira)\n[//]: # (ask Ana)\n[a]: https://two.org 'Ana'\n\nEnd.\n";
    let document = open(text.as_bytes(), DocumentFormat::Markdown);
    assert_eq!(document.removed().count("link targets"), 5, "{:?}", document.removed());
    let written = String::from_utf8(document.written(document.text()).unwrap()).unwrap();
    assert!(!written.contains("Ana") && !written.contains("Mira") && !written.contains("org"), "{written}");
    let again = open(written.as_bytes(), DocumentFormat::Markdown);
    assert_eq!(again.written(again.text()).unwrap(), written.as_bytes());
}

#[test]
fn a_link_loses_its_target_and_keeps_the_look_of_its_text() {
    let cases = [
        ("Use [`a` and `b`](x.md).\n", "Use `a` and `b`.\n"),
        ("[Call `f<T>` now](x.md \"Ana\")\n", "Call `f<T>` now\n"),
        ("[`Result` aliases](https://x.org)\n", "`Result` aliases\n"),
        ("[a **bold** word](x.md) and [**bold**](y.md)\n", "a **bold** word and **bold**\n"),
        (
            "The [Servo][] project, [Rust].\n\n[Servo]: https://s.org\n[rust]: https://r.org\n",
            "The Servo project, Rust.\n",
        ),
        ("[![alt *text*](a.png)](https://x.org)\n", "alt *text*\n"),
        ("See <https://x.org>.\n", "See <https://x.org>.\n"),
        ("[](https://x.org)\n", ""),
    ];
    for (text, expected) in cases {
        let document = open(text.as_bytes(), DocumentFormat::Markdown);
        let written = String::from_utf8(document.written(document.text()).unwrap()).unwrap();
        assert_eq!(written.trim_end(), expected.trim_end(), "{text}");
        assert_eq!(open(written.as_bytes(), DocumentFormat::Markdown).text().trim(), document.text().trim());
    }
}

#[test]
fn changed_code_has_no_escapes() {
    let text = "Run \\<Ana> `a*b Ana` now.\n\n```c\nint *x = &Ana;\n```\n";
    let document = open(text.as_bytes(), DocumentFormat::Markdown);
    let written = document.written(&document.text().replace("Ana", "Mira")).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text.replace("Ana", "Mira"));
}

#[test]
fn what_goes_makes_no_new_sign() {
    for text in ["from Arc<Vec<u8>> on\n", "A&#65<b/>;\n", "&#65[;](https://x.org)\n", "![a\\<b>](x.png)\n"] {
        let document = open(text.as_bytes(), DocumentFormat::Markdown);
        let written = document.written(document.text()).unwrap();
        assert_eq!(open(&written, DocumentFormat::Markdown).text(), document.text(), "{text}");
    }
}
