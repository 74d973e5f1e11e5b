//! Scores of a language model.

use inkveil_eval::attack::{BaseModel, ContinuationQuery, LanguageModel};
use inkveil_nn::Device;

use crate::tiny;

#[test]
fn probabilities_of_continuations_add_up_to_at_most_one() {
    let folder = tiny::write("llama", &tiny::bytes(&tiny::CONTROLS));
    let model =
        LanguageModel::open(&BaseModel { path: folder.path().to_owned(), device: Device::Cpu }).unwrap();
    let letters: Vec<String> = ('!'..='~').map(String::from).collect();
    let longer: Vec<String> = letters.iter().map(|letter| letter.clone() + "x").collect();
    let query = |before: &str, after: &[String]| ContinuationQuery {
        before: before.to_owned(),
        after: after.to_vec(),
    };
    let found =
        model.scores(&[query("a ca", &letters), query("", &letters), query("a ca", &longer)]).unwrap();
    for scores in &found {
        let sum: f64 = scores.iter().map(|score| score.exp()).sum();
        assert!(scores.len() == 94 && sum > 0.0 && sum <= 1.0, "{sum}");
    }
    // A longer continuation is less likely than its beginning.
    assert!(found[0].iter().zip(&found[2]).all(|(short, long)| long < short));
    assert!(model.scores(&[query("a", &[String::new()])]).is_err());
    // Of a long beginning the end is used.
    let long = "no ".repeat(tiny::CONTEXT) + "a ca";
    let longer = vec!["x".repeat(3 * tiny::CONTEXT)];
    let cut = model.scores(&[query(&long, &letters), query("a ca", &longer)]).unwrap();
    assert!(cut[0].len() == 94 && cut[1][0] < -100.0, "{}", cut[1][0]);
}
