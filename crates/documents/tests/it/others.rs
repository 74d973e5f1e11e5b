//! Chats and PDF.

use inkveil_documents::{DocumentFormat, ErrorKind, Limits, Purpose};

use crate::canary::{Canaries, assert_clean, open, shown, veiled};

#[test]
fn an_export_of_openai_keeps_its_shape() {
    let mut c = Canaries::default();
    let mut n = || c.next();
    let chat = format!(
        r#"[{{"title": "{}", "create_time": 1700000000.12, "mapping": {{"{}": {{"id": "{}", "message": {{"author": {{"role": "user", "name": "{}", "metadata": {{"real_author": "{}"}}}}, "content": {{"content_type": "text", "parts": ["Hello {}", "{}\n\"x\""]}}, "status": "finished_successfully", "metadata": {{"citations": [{{"url": "https://{}.org"}}], "own": "{}"}}}}, "parent": null, "children": ["{}"]}}}}, "conversation_id": "{}"}}]"#,
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n()
    );
    let document = open(chat.as_bytes(), DocumentFormat::Chat);
    assert!(shown(document.text()) >= 5, "{}", document.text());
    let written = veiled(&document);
    assert_clean(&written, "the chat");
    let value: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(value[0]["title"], "Mira");
    assert_eq!(value[0]["create_time"], 0);
    let first = value[0]["mapping"].as_object().unwrap().values().next().unwrap();
    assert_eq!(first["message"]["author"]["role"], "user");
    assert_eq!(first["message"]["content"]["parts"][1], "Mira\n\"x\"");
    println!("chat: {} places, {} of them in the text", c.count(), shown(document.text()));
}

#[test]
fn a_chat_of_slack_and_lines_of_whatsapp_are_read() {
    let mut c = Canaries::default();
    let slack = format!(
        r#"[{{"type": "message", "user": "U{}", "text": "<@U1> ask {}", "ts": "1700000000.000100", "user_profile": {{"real_name": "{}", "image_72": "https://{}.png"}}}}]"#,
        c.next(),
        c.next(),
        c.next(),
        c.next()
    );
    let document = open(slack.as_bytes(), DocumentFormat::Chat);
    let written = veiled(&document);
    assert_clean(&written, "the chat");
    assert!(serde_json::from_slice::<serde_json::Value>(&written).is_ok());
    let lines = format!(
        "31/12/2023, 22:05 - {}: Hello {}\n31/12/2023, 22:06 - Bo: \u{200e}image omitted\n",
        c.next(),
        c.next()
    );
    let document = open(lines.as_bytes(), DocumentFormat::WhatsApp);
    assert_eq!(document.text(), lines.trim_end());
    assert_clean(&veiled(&document), "the lines");
    let other = inkveil_documents::Document::open(
        b"{\"a\": 1}",
        DocumentFormat::Chat,
        Purpose::Release,
        &Limits::default(),
    );
    assert!(matches!(other.unwrap_err().kind(), ErrorKind::Unsupported { .. }));
}

/// A PDF with a text, properties, XMP, an annotation and a file.
fn pdf(c: &mut Canaries) -> Vec<u8> {
    use lopdf::content::{Content, Operation};
    use lopdf::{Document, Object, Stream, dictionary};
    let mut pdf = Document::with_version("1.5");
    let pages = pdf.new_object_id();
    let font =
        pdf.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    let resources = pdf.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let text = format!("Ask {} about the contract of the house, and write", c.next());
    let operations = vec![
        Operation::new("BT", vec![]),
        Operation::new("Tf", vec!["F1".into(), 12.into()]),
        Operation::new("Td", vec![50.into(), 700.into()]),
        Operation::new("Tj", vec![Object::string_literal(text)]),
        Operation::new("Td", vec![0.into(), (-14).into()]),
        Operation::new("Tj", vec![Object::string_literal("to us soon.")]),
        Operation::new("ET", vec![]),
    ];
    let content = pdf.add_object(Stream::new(dictionary! {}, Content { operations }.encode().unwrap()));
    let note = pdf.add_object(dictionary! { "Type" => "Annot", "Subtype" => "Text", "Contents" => Object::string_literal(c.next()) });
    let page = pdf.add_object(dictionary! {
        "Type" => "Page", "Parent" => pages, "Contents" => content, "Resources" => resources,
        "Annots" => vec![note.into()], "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
    });
    pdf.objects.insert(
        pages,
        Object::Dictionary(dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 }),
    );
    let xmp = pdf.add_object(Stream::new(
        dictionary! { "Type" => "Metadata", "Subtype" => "XML" },
        c.next().into_bytes(),
    ));
    let file = pdf.add_object(Stream::new(dictionary! { "Type" => "EmbeddedFile" }, c.next().into_bytes()));
    let catalog = pdf.add_object(
        dictionary! { "Type" => "Catalog", "Pages" => pages, "Metadata" => xmp, "AF" => vec![file.into()] },
    );
    let info = pdf.add_object(dictionary! { "Author" => Object::string_literal(c.next()), "Title" => Object::string_literal(c.next()) });
    pdf.trailer.set("Root", catalog);
    pdf.trailer.set("Info", info);
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_pdf_becomes_a_flat_one() {
    let mut canaries = Canaries::default();
    let bytes = pdf(&mut canaries);
    let document = open(&bytes, DocumentFormat::Pdf);
    assert_eq!(shown(document.text()), 1, "{}", document.text());
    assert!(document.text().contains("contract of the house, and write to us soon."), "{}", document.text());
    let written = veiled(&document);
    assert_clean(&written, "the PDF");
    for what in ["XMP metadata", "annotations", "document properties", "embedded files", "layout of pages"] {
        assert!(document.removed().count(what) > 0, "{what}: {:?}", document.removed());
    }
    let again = open(&written, DocumentFormat::Pdf);
    assert!(again.text().contains("Ask Mira about the contract"), "{}", again.text());
    println!("pdf: {} places, 1 of them in the text", canaries.count());
}
