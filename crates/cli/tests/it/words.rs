//! `inkveil words`.

use insta::assert_snapshot;

use crate::folder::Folder;

/// Writes a model of eight tokens in two dimensions.
fn model(folder: &Folder) {
    let tokens = ["[PAD]", "[UNK]", "tea", "coffee", "ship", "boat", "##s", "!"];
    let table: [[f32; 2]; 8] =
        [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.8, 0.6], [-0.6, 0.8], [-0.8, 0.6], [0.0, -1.0], [0.6, -0.8]];
    let entries: Vec<String> =
        tokens.iter().enumerate().map(|(id, token)| format!("\"{token}\": {id}")).collect();
    let tokenizer = format!(
        r###"{{
            "normalizer": {{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                            "strip_accents": null, "lowercase": true}},
            "pre_tokenizer": {{"type": "BertPreTokenizer"}},
            "model": {{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                       "max_input_chars_per_word": 100, "vocab": {{{}}}}}
        }}"###,
        entries.join(", ")
    );
    std::fs::create_dir(folder.path("model")).unwrap();
    folder.write("model/tokenizer.json", tokenizer);
    folder.write("model/model.safetensors", tensor("wte.weight", &table));
}

fn tensor(name: &str, rows: &[[f32; 2]]) -> Vec<u8> {
    let header = format!(
        r#"{{"{name}":{{"dtype":"F32","shape":[{},2],"data_offsets":[0,{}]}}}}"#,
        rows.len(),
        rows.len() * 8
    );
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|x| x.to_le_bytes()));
    bytes
}

#[test]
fn neighbours_are_printed_as_data() {
    let folder = Folder::new();
    model(&folder);
    let runs = [
        "words near Tea boat -k 3 --pack ./model",
        "words near tea --pack ./model",
        "words near tea -k 2 --json --pack ./model",
        "words near tea -k 0 --pack ./model",
    ];
    assert_snapshot!("words-near", runs.map(|line| folder.run(line)).join("\n"));
}

#[test]
fn a_word_lexicon_is_used_if_there_is_no_other() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("model")).unwrap();
    folder.write("model/words.txt", "tea\ncoffee\nship\n");
    folder.write("model/words.safetensors", tensor("words", &[[1.0, 0.0], [0.8, 0.6], [-0.6, 0.8]]));
    let runs = [
        "words near TEA --pack ./model",
        "words info --pack ./model",
        "words near tea --lexicon subword --pack ./model",
    ];
    insta::with_settings!({filters => vec![(r"error: [^\n]*", "error: [what a tokenizer needs]")]}, {
        assert_snapshot!("words-kind", runs.map(|line| folder.run(line)).join("\n"));
    });
}

#[test]
fn info_describes_the_lexicon() {
    let folder = Folder::new();
    model(&folder);
    let runs = ["words info --pack ./model", "words info --json --pack ./model"];
    assert_snapshot!("words-info", runs.map(|line| folder.run(line)).join("\n"));
}

#[test]
fn invalid_arguments_are_refused() {
    let folder = Folder::new();
    model(&folder);
    let runs = [
        "words near tea kettle --pack ./model",
        "words near [UNK] --pack ./model",
        "words near tea --lexicon words --pack ./model",
        "words near --pack ./model",
        "words near tea --lexicon letters",
    ];
    assert_snapshot!("words-refused", runs.map(|line| folder.run(line)).join("\n"));
    for missing in ["words near tea --pack ./nowhere", "words info --pack no-such-model"] {
        let run = folder.run(missing);
        assert!(run.contains("\nexit 1\n") && run.contains("error: "), "{run}");
    }
}

#[test]
fn help_texts() {
    let folder = Folder::new();
    let runs = ["words --help", "words near --help", "words info --help"];
    assert_snapshot!("words-help", runs.map(|line| folder.run(line)).join("\n"));
}
