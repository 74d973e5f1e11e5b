//! Messages never quote input.

use super::{MASK, run, run_with};
use crate::folder::Folder;

const SECRET: &str = "Vyskocilova";

/// Tables whose first row is data, or is not a row at all.
fn tables() -> Vec<(&'static str, String)> {
    vec![
        ("cr.csv", format!("id,note\r1,{SECRET}\r2,x\r")),
        ("no-header.csv", format!("7,{SECRET} lives here,a@example.org\n8,x,y\n")),
        ("names.csv", format!("{SECRET},Porto,1985-04-12\n")),
        ("twice.csv", format!("{SECRET} one,{SECRET} one\n1,2\n")),
        ("quote.csv", format!("\"{SECRET} and more\n1,2\n")),
        ("long.csv", format!("{},x\n1,2\n", SECRET.repeat(9))),
        ("keys.jsonl", format!("{{\"{SECRET} in Porto\": 1, \"b\": 2}}\n")),
        ("only.csv", format!("{SECRET} lives\n\"a\n")),
        ("not.jsonl", format!("{SECRET}\n")),
        ("cut.jsonl", format!("{{\"text\": \"{SECRET}\n")),
        ("not.parquet", format!("PAR1{SECRET}PAR1")),
        ("not.arrow", format!("ARROW1{SECRET}")),
        ("not.csv.gz", SECRET.to_owned()),
    ]
}

#[test]
fn tables_of_data_in_place_of_names_are_refused_without_a_quotation() {
    let folder = Folder::new();
    for (name, content) in tables() {
        folder.write(name, content);
        let before = folder.names();
        for command in [
            format!("text --file {name} -o out {MASK}"),
            format!("text --file {name} --column nothing -o out {MASK}"),
            format!("text --file {name} --column all --copy nothing -o out {MASK}"),
            format!("text --file {name} --column 9 --no-header -o out {MASK}"),
            format!("detect --mask --tier rules --file {name} --column nothing -o out"),
            format!("vector embed {name} --column nothing -o out.jsonl"),
            format!("style risk {name} --column nothing"),
            format!("noise {name} -e 1 -o out.npy --column nothing"),
        ] {
            let run = run(&folder, &command);
            // Every string of a row can be veiled, whatever its names are.
            assert!(run.code != 0 || command.contains("--column all"), "{command}: {}", run.stderr);
            let _ = std::fs::remove_file(folder.path("out"));
            let _ = std::fs::remove_file(folder.path("out.receipt.json"));
            assert!(!run.stderr.contains("Vyskoc"), "{command}: {}", run.stderr);
            assert!(!run.stderr.contains("panicked"), "{command}: {}", run.stderr);
            assert_eq!(folder.names(), before, "{command}");
        }
    }
}

#[test]
fn names_that_look_like_names_are_still_shown() {
    let folder = Folder::new();
    folder.write("in.csv", "id,first_name\n1,a\n");
    run(&folder, &format!("text --file in.csv -o out.csv {MASK}")).refused(&["\"id\", \"first_name\""]);
    folder.write("cr.csv", "id,text\r1,a\r");
    run(&folder, &format!("text --file cr.csv -o out.csv {MASK}")).refused(&["carriage return"]);
}

#[test]
fn an_id_of_a_row_is_not_quoted() {
    let folder = Folder::new();
    folder.write("in.jsonl", format!("{{\"id\": \"{SECRET}\", \"text\": \"  \"}}\n"));
    let run = run_with(&folder, "style risk in.jsonl --column text --id-column id", "").refused(&["row 1"]);
    assert!(!run.stderr.contains("Vyskoc"), "{}", run.stderr);
}

/// Messages about settings quote their lines, so only files that are settings by their name are read as such.
#[test]
fn a_table_in_place_of_settings_is_not_quoted() {
    let folder = Folder::new();
    folder.write("people.csv", "Ana Novak,ana@example.org\n");
    for line in [
        "config check people.csv".to_owned(),
        format!("text --config people.csv {MASK} hello"),
        "detect --config people.csv --tier rules hello".to_owned(),
    ] {
        let run = run(&folder, &line).refused(&[".toml"]);
        assert!(!run.stderr.contains("Novak"), "{}", run.stderr);
    }
}
