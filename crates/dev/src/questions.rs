//! Asks a local language model questions about documents and about their veiled versions, and compares
//! the answers.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use inkveil::chat::{AnswerSettings, Chat, Request};
use inkveil::release::{Account, TurnText, Turns};
use inkveil::restore::{RestoreOptions, Restorer};
use inkveil::{NoiseKey, Preset, Veil};

/// Compare a model's answers on documents with its restored answers on their veiled versions
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    /// The folder with the documents and questions.toml
    #[arg(default_value = "docs/results/documents")]
    folder: PathBuf,
    /// The language model, as `style rewrite --model` takes it
    #[arg(long, default_value = "qwen-1.5b")]
    model: String,
    /// The preset
    #[arg(long, default_value = "prompt")]
    preset: Preset,
    /// The seed of the surrogates
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print questions and answers
    #[arg(long)]
    show: bool,
}

/// A short answer in the words of the text has fewer wordings than a sentence.
const SYSTEM: &str = "Answer the question with the shortest part of the text that answers it. Copy its words. Write nothing else.";

pub(crate) fn run(args: &QuestionArgs) -> anyhow::Result<()> {
    let file = args.folder.join("questions.toml");
    let listed = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let questions: BTreeMap<String, Vec<String>> = toml::from_str(&listed)?;
    let model = inkveil::open_model(&args.model)?;
    let veil = Arc::new(Veil::text().preset(args.preset).conversation().build()?);
    let turns = Turns::new(veil, None)?;
    let (mut equal, mut agreed, mut overlap, mut count) = (0, 0, 0.0, 0);
    println!("document       equal  equal or one within the other  word overlap (F1)");
    for (name, asked) in &questions {
        let text = std::fs::read_to_string(args.folder.join(format!("{name}.txt")))?;
        let (mut same, mut within, mut shared) = (0, 0, 0.0);
        for question in asked {
            let clear = answer(&*model, &text, question)?;
            let key = NoiseKey::insecure_from_seed(args.seed);
            // The question belongs to the conversation, so its names are veiled alike.
            let texts = [text.as_str(), question].map(|text| TurnText { text, field: None, task: None });
            let spans = turns.find(&texts, |texts| turns.search(texts))?;
            let released = turns.release(&texts, spans, &key, &Account::none(), name)?;
            let [veiled, hidden] = released.turns.as_slice() else { anyhow::bail!("a text got lost") };
            let reply = answer(&*model, &veiled.text, &hidden.text)?;
            let pairs = released.pairs()?;
            let restored = Restorer::new(&pairs, RestoreOptions::default())?.restore_text(&reply).0;
            let (one, other) = (words(&clear), words(&restored));
            same += usize::from(one == other);
            within += usize::from(is_within(&one, &other) || is_within(&other, &one));
            shared += f1(&one, &other);
            if args.show {
                println!(
                    "  Q {question}\n    clear    {clear}\n    veiled   {reply}\n    restored {restored}"
                );
            }
        }
        println!("{name:<13}{same:>3} of {}{within:>20}{:>22.2}", asked.len(), shared / asked.len() as f64);
        (equal, agreed, overlap, count) =
            (equal + same, agreed + within, overlap + shared, count + asked.len());
    }
    println!("all          {equal:>3} of {count}{agreed:>19}{:>22.2}", overlap / count.max(1) as f64);
    Ok(())
}

fn answer(model: &dyn Chat, text: &str, question: &str) -> anyhow::Result<String> {
    // At temperature 0 the same text gives the same answer.
    let settings =
        AnswerSettings { max_tokens: 60, temperature: 0.0, seed: Some(1), ..AnswerSettings::default() };
    let user = format!("Text:\n{text}\n\nQuestion: {question}");
    Ok(model.answer(&Request::new().system(SYSTEM).user(&user).with(settings))?.text.trim().to_owned())
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !["a", "an", "the"].contains(&word.as_str()))
        .collect()
}

/// Whether an answer has all words of a shorter one, in order and side by side.
fn is_within(short: &[String], long: &[String]) -> bool {
    !short.is_empty() && long.windows(short.len()).any(|part| part == short)
}

/// The harmonic mean of the shares of words that two answers have in common.
fn f1(one: &[String], other: &[String]) -> f64 {
    let mut counts: HashMap<&str, i64> = HashMap::new();
    one.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    let mut shared = 0.0;
    for word in other {
        if let Some(left) = counts.get_mut(word.as_str()).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1.0;
        }
    }
    let all = (one.len() + other.len()) as f64;
    if all == 0.0 { 1.0 } else { 2.0 * shared / all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_by_their_words() {
        assert_eq!(words("The shifts, eleven times."), words("shifts eleven times"));
        assert_eq!(f1(&words("a b c"), &words("b c")), 1.0);
        assert_eq!(f1(&words("x y"), &words("x z")), 0.5);
        assert_eq!(f1(&words("x"), &[]), 0.0);
        assert!(is_within(&words("eleven times"), &words("the shifts changed eleven times")));
        assert!(!is_within(&words("times eleven"), &words("eleven times")) && !is_within(&[], &words("a b")));
    }
}
