//! Web pages.

use inkveil_documents::{Document, DocumentFormat, Limits, Purpose};

use crate::canary::{Canaries, assert_clean, open, shown, veiled};

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut c = Canaries::default();
    let mut n = || c.next();
    let page = [
        format!("<!DOCTYPE html PUBLIC \"{}\" \"{}\"><!-- {} -->", n(), n(), n()),
        format!(
            "<html lang=\"{}\"><head><title>{}</title><meta name=\"author\" content=\"{}\">",
            n(),
            n(),
            n()
        ),
        format!(
            "<meta charset=\"utf-8\"><meta property=\"og:title\" content=\"{}\"><base href=\"https://{}/\">",
            n(),
            n()
        ),
        format!("<link rel=\"author\" href=\"{}\"><script>var a = \"{}\";</script>", n(), n()),
        format!("<script src=\"{}\"></script><style>.{} {{ content: \"{}\" }}</style></head>", n(), n(), n()),
        format!("<body class=\"{}\" id=\"{}\" onload=\"{}()\" data-user=\"{}\">", n(), n(), n(), n()),
        format!("<h1 title=\"{}\">{}</h1><p>Ask <b>Zyx9</b><i>99can</i>ary {}</p>", n(), n(), n()),
        format!("<a href=\"mailto:{}@example.org\" ping=\"{}\" rel=\"{}\">{}</a>", n(), n(), n(), n()),
        format!("<img src=\"{}.png\" alt=\"{}\" longdesc=\"{}\" srcset=\"{} 2x\">", n(), n(), n(), n()),
        format!(
            "<p hidden>{}</p><div style=\"display: none\">{}</div><input type=\"hidden\" value=\"{}\">",
            n(),
            n(),
            n()
        ),
        format!(
            "<input type=\"text\" value=\"{}\" placeholder=\"{}\" name=\"{}\"><textarea>{}</textarea>",
            n(),
            n(),
            n(),
            n()
        ),
        format!("<p style=\"color: red; font-family: {}; background: url({})\">x</p>", n(), n()),
        format!(
            "<table summary=\"{}\"><caption>{}</caption><tr><td abbr=\"{}\">{}</td></tr></table>",
            n(),
            n(),
            n(),
            n()
        ),
        format!(
            "<noscript>{}</noscript><template>{}</template><iframe src=\"{}\">{}</iframe>",
            n(),
            n(),
            n(),
            n()
        ),
        format!(
            "<object data=\"{}\">{}</object><svg><title>{}</title><text>{}</text></svg>",
            n(),
            n(),
            n(),
            n()
        ),
        format!(
            "<video poster=\"{}\">{}</video><select><option value=\"{}\">{}</option></select>",
            n(),
            n(),
            n(),
            n()
        ),
        format!("<{} {}=\"{}\">{}</{}>", "own-element", n(), n(), n(), "own-element"),
        format!(
            "<details><summary>{}</summary>{}</details><time datetime=\"{}\">{}</time>",
            n(),
            n(),
            n(),
            n()
        ),
        format!("<abbr title=\"{}\">{}</abbr><button formaction=\"{}\">{}</button>", n(), n(), n(), n()),
        format!(
            "<math><annotation>{}</annotation></math><canvas>{}</canvas><![CDATA[{}]]></body></html>",
            n(),
            n(),
            n()
        ),
    ]
    .concat();
    let document = open(page.as_bytes(), DocumentFormat::Html);
    assert!(c.count() >= 65, "{}", c.count());
    assert!(shown(document.text()) >= 14, "{}", document.text());
    assert!(document.text().contains("Zyx999canary"));
    let written = veiled(&document);
    assert_clean(&written, "the page");
    let text = String::from_utf8(written).unwrap();
    for kept in ["<b>Mira</b><i></i>", "style=\"color: red\"", "<td>Mira</td>", "<meta charset=\"utf-8\">"] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
    println!("html: {} places, {} of them in the text", c.count(), shown(document.text()));
}

#[test]
fn a_page_that_is_kept_stays_as_it_is() {
    let page = "<!DOCTYPE html><html><head><script>if (a < b) { x(); }</script><style>p > b {}</style></head>\
                <body onload=\"y()\"><!-- note --><p class=\"x\">Ask Ana &amp; Bo<br>now</p></body></html>";
    let document =
        Document::open(page.as_bytes(), DocumentFormat::Html, Purpose::Keep, &Limits::default()).unwrap();
    assert_eq!(String::from_utf8(document.write().unwrap()).unwrap(), page);
    let changed = document.written(&document.text().replace("Ana", "<Mira>")).unwrap();
    assert!(String::from_utf8(changed).unwrap().contains("Ask &lt;Mira&gt; &amp; Bo<br>now"));
}

#[test]
fn a_control_character_does_not_hide_a_name() {
    let document = open("<p>Ask An\u{1}a No\u{b}vak</p>".as_bytes(), DocumentFormat::Html);
    assert_eq!(document.text(), "Ask Ana No vak");
    assert_eq!(document.written(document.text()).unwrap(), b"<p>Ask Ana No vak</p>");
}
