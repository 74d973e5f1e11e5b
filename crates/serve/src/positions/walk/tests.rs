use super::{Refusal, Seals, Walker};
use crate::json::Json;
use crate::positions::media::encoded;
use crate::positions::table::Table;

struct NoSeals;

impl Seals for NoSeals {
    fn open(&self, sealed: &str, beside: &str) -> Option<String> {
        sealed.strip_prefix(&format!("seal({beside})")).map(str::to_owned)
    }
    fn pseudonym(&self, _: &str) -> String {
        "pseudonym".to_owned()
    }
}

fn walk(table: &str, request: &str) -> Result<(Vec<String>, String), Refusal> {
    let table = Table::parse(table).unwrap();
    let mut request = Json::parse(request.as_bytes()).unwrap();
    let walker = Walker::collect(&table, &NoSeals, false, &mut request)?;
    let texts: Vec<String> = walker.leaves().iter().map(|leaf| leaf.text.clone()).collect();
    let veiled = texts.iter().map(|text| match text.parse::<u64>() {
        Ok(_) => "7".to_owned(),
        Err(_) => format!("<{text}>"),
    });
    walker.write(&mut request, veiled.collect())?;
    Ok((texts, request.write()))
}

#[test]
fn texts_are_taken_out_and_put_back() {
    let table = "m[].t veil\ns system\na arguments\nd data\nu pseudonym\nx.y sealed";
    let (texts, out) = walk(
        table,
        r#"{"m":[{"t":"one"},{"t":null}],"a":"{\"k\": [1234567, 5]}","s":"sys","d":{"e":true},"u":"Ana","x":{"y":"seal()z"}}"#,
    )
    .unwrap();
    assert_eq!(
        texts,
        ["sys", "one", "k", "1234567", "d", "e"].into_iter().filter(|t| *t != "d").collect::<Vec<_>>()
    );
    assert_eq!(
        out,
        r#"{"m":[{"t":"<one>"},{"t":null}],"a":"{\"<k>\":[7,5]}","s":"<sys>","d":{"<e>":true},"u":"pseudonym","x":{"y":"z"}}"#
    );
    assert_eq!(walk(table, r#"{"a":"{not json"}"#).unwrap().1, r#"{"a":"<{not json>"}"#);
}

#[test]
fn an_unchanged_document_keeps_its_spelling() {
    let table = Table::parse("a arguments").unwrap();
    let mut request = Json::parse(br#"{"a":"{ \"k\" : 1 }"}"#).unwrap();
    let walker = Walker::collect(&table, &NoSeals, false, &mut request).unwrap();
    walker.write(&mut request, vec!["k".to_owned()]).unwrap();
    assert_eq!(request.write(), r#"{"a":"{ \"k\" : 1 }"}"#);
}

#[test]
fn only_documents_with_a_changed_text_are_written_again() {
    let table = Table::parse("a data\nb data\nc data").unwrap();
    let same = r#"{ "k" : "x\ny" }"#;
    let nested = |text: &str| format!(r#"{{ "k" : {} }}"#, Json::text(text).write());
    let request = |a: &str, b: &str| {
        Json::object([("a", Json::text(a)), ("b", Json::text(b)), ("c", Json::text("Ana"))]).write()
    };
    let inner = r#"{ "j" : "z\nAna" }"#;
    let mut document = Json::parse(request(same, &nested(inner)).as_bytes()).unwrap();
    let walker = Walker::collect(&table, &NoSeals, false, &mut document).unwrap();
    let veiled = walker.leaves().iter().map(|leaf| leaf.text.replace("Ana", "Eva"));
    let veiled = veiled.collect();
    walker.write(&mut document, veiled).unwrap();
    let written = Json::object([("k", Json::text(Json::object([("j", Json::text("z\nEva"))]).write()))]);
    assert_eq!(document.write(), request(same, &written.write()).replace("Ana", "Eva"));
}

#[test]
fn text_in_base64_is_veiled_and_encoded_again() {
    let table = "f media\ns{base64} media\nm[].f media";
    let body = |text: &str| format!(r#"{{"m":[{{"f":"data:text/csv;base64,{}"}}]}}"#, encoded("", text));
    let (texts, out) = walk(table, &body("a,Ana\n")).unwrap();
    assert_eq!((texts, out), (vec!["a,Ana\n".to_owned()], body("<a,Ana\n>")));
    let source = |text: &str| {
        let data = encoded("", text);
        format!(r#"{{"s":{{"type":"base64","media_type":"application/json","data":"{data}"}}}}"#)
    };
    let (texts, out) = walk(table, &source("{ \"k\": [1234567, \"Ana\"] }")).unwrap();
    assert_eq!(texts, ["k", "1234567", "Ana"]);
    assert_eq!(out, source(r#"{"<k>":[7,"<Ana>"]}"#));
    assert_eq!(walk(table, &source("{ no")).unwrap().1, source("<{ no>"));
    // Unchanged bytes stay as they are, also without padding.
    let table = Table::parse("f media").unwrap();
    let mut request = Json::parse(br#"{"f":"data:text/plain;base64,QW4"}"#).unwrap();
    let walker = Walker::collect(&table, &NoSeals, false, &mut request).unwrap();
    walker.write(&mut request, vec!["An".to_owned()]).unwrap();
    assert_eq!(request.write(), r#"{"f":"data:text/plain;base64,QW4"}"#);
}

#[test]
fn media_that_are_not_text_pass_only_if_allowed() {
    let table = Table::parse("i media").unwrap();
    let image = r#"{"i":"data:image/png;base64,QW5h"}"#;
    for (passes, expected) in [(true, true), (false, false)] {
        let mut request = Json::parse(image.as_bytes()).unwrap();
        assert_eq!(Walker::collect(&table, &NoSeals, passes, &mut request).is_ok(), expected);
    }
    // Text is veiled, also where media pass.
    let mut request = Json::parse(br#"{"i":"data:text/plain;base64,QW5h"}"#).unwrap();
    assert_eq!(Walker::collect(&table, &NoSeals, true, &mut request).unwrap().leaves().len(), 1);
}

#[test]
fn text_beside_media_is_refused_and_text_files_within_are_veiled() {
    let table = Table::parse("i media").unwrap();
    let collected = |request: &str| {
        let mut request = Json::parse(request.as_bytes()).unwrap();
        let walker = Walker::collect(&table, &NoSeals, true, &mut request)?;
        Ok::<_, Refusal>(walker.leaves().iter().map(|leaf| leaf.text.clone()).collect::<Vec<_>>())
    };
    let image = r#"{"i":{"url":"https://example.org/a.png","detail":"low","size":[1,2]}}"#;
    assert_eq!(collected(image).unwrap(), Vec::<String>::new());
    assert_eq!(collected(r#"{"i":{"url":"data:text/plain;base64,QW5h"}}"#).unwrap(), ["Ana"]);
    for request in [
        r#"{"i":"Ana Lima"}"#,
        r#"{"i":{"url":"https://example.org/a.png","alt":"Ana Lima"}}"#,
        r#"{"i":{"Ana Lima":1}}"#,
        r#"{"i":["data:text/plain,Ana%20Lima"]}"#,
    ] {
        assert_eq!(collected(request).unwrap_err().path, "i", "{request}");
    }
}

#[test]
fn escapes_hide_nothing() {
    let table = "t veil\nd data\na arguments";
    // A text that is JSON is veiled leaf by leaf, also if it is inside another one.
    let (texts, out) = walk(table, r#"{"t":"{\"k\":\"a\\nAna\"}"}"#).unwrap();
    assert_eq!(texts, ["k", "a\nAna"]);
    assert_eq!(out, r#"{"t":"{\"<k>\":\"<a\\nAna>\"}"}"#);
    let inner = Json::object([("b", Json::text("x\nAna"))]).write();
    let outer = Json::object([("a", Json::text(inner))]).write();
    let (texts, out) = walk(table, &Json::object([("a", Json::text(&outer))]).write()).unwrap();
    assert_eq!(texts, ["a", "b", "x\nAna"]);
    let veiled = outer.replace("\"a\"", "\"<a>\"").replace("\\\"b\\\"", "\\\"<b>\\\"");
    let veiled = veiled.replace("x\\\\nAna", "<x\\\\nAna>");
    assert_eq!(Json::parse(out.as_bytes()).unwrap().str_of("a"), Some(veiled.as_str()));
    // Elsewhere letters take the place of their escapes, if anything is veiled.
    let (texts, out) = walk(table, r#"{"t":"of Jos\\u00e9: {"}"#).unwrap();
    assert_eq!((texts, out), (vec!["of José: {".to_owned()], r#"{"t":"<of José: {>"}"#.to_owned()));
    let table = Table::parse("t veil").unwrap();
    let same = r#"{"t":"of Jos\\u00e9"}"#;
    let mut request = Json::parse(same.as_bytes()).unwrap();
    let walker = Walker::collect(&table, &NoSeals, false, &mut request).unwrap();
    walker.write(&mut request, vec!["of José".to_owned()]).unwrap();
    assert_eq!(request.write(), same);
    let (texts, out) = walk("d data", r#"{"d":[1234567.0,12.5]}"#).unwrap();
    assert_eq!((texts.concat(), out.as_str()), ("1234567".to_owned(), r#"{"d":[7,12.5]}"#));
}

#[test]
fn sealed_values_beside_texts_go_back_as_they_were() {
    let (texts, out) = walk("d data", r#"{"d":{"encrypted_index":"seal()z","a":"b"}}"#).unwrap();
    assert_eq!(
        (texts.concat(), out.as_str()),
        ("ab".to_owned(), r#"{"d":{"encrypted_index":"z","<a>":"<b>"}}"#)
    );
    // What is not sealed is a text as any other.
    assert_eq!(walk("d data", r#"{"d":{"encrypted_index":"Ana"}}"#).unwrap().0, ["encrypted_index", "Ana"]);
}

#[test]
fn what_no_line_covers_is_refused() {
    let table = "m[].t veil\nk.* pass\np pass\nr refuse\ni media\nx sealed\nc[thinking].type pass\nc[thinking].thinking sealed\nc[thinking].signature sealed";
    for (request, path) in [
        (r#"{"z":1}"#, "z"),
        (r#"{"m":[{"t":"a","u":"b"}]}"#, "m[0].u"),
        (r#"{"m":[{"t":{"deep":"a"}}]}"#, "m[0].t"),
        (r#"{"m":"a"}"#, "m"),
        (r#"{"m":[{"t":7}]}"#, "m[0].t"),
        (r#"{"p":"Ana Lima"}"#, "p"),
        (r#"{"p":"a@b"}"#, "p"),
        (r#"{"p":{}}"#, "p"),
        (r#"{"r":"a"}"#, "r"),
        (r#"{"i":{"url":"a"}}"#, "i"),
        (r#"{"x":"a"}"#, "x"),
        (r#"{"Ana Lima":1}"#, "(a key)"),
        (r#"{"c":[{"type":"thinking","thinking":"a","signature":"b"}]}"#, "c[0]"),
        (r#"{"c":[{"type":"thinking","thinking":"a"}]}"#, "c[0]"),
        (r#"{"c":[{"type":"thinking","signature":"Ana Lima"}]}"#, "c[0].signature"),
        (r#"{"c":[{"type":"thinking","thinking":null,"signature":"Ana Lima"}]}"#, "c[0].signature"),
        (r#"{"k":{"Ana Lima":1}}"#, "k.(a key)"),
        (r#"[]"#, "body"),
    ] {
        assert_eq!(walk(table, request).unwrap_err().path, path, "{request}");
    }
    let sealed = r#"{"c":[{"type":"thinking","thinking":"a","signature":"seal(a)b"}],"r":null,"p":null}"#;
    assert_eq!(walk(table, sealed).unwrap().1, sealed.replace("seal(a)", ""));
}
