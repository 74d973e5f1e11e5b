//! Comments of synthetic people with age, education and sex (SynthPAI). The attribute takes the
//! place of the author.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use inkveil_nn::SplitMix;
use serde::Deserialize;

use super::draw::{Drawn, draw};
use super::passage::{PASSAGE, fitting, words};
use super::text::{AuthoredText, read_text};
use crate::Error;

/// Of ten people, this number is attacked. No person is on both sides.
const ATTACKED: usize = 3;

/// An attribute of a person.
#[derive(Clone, Copy)]
pub(super) enum Attribute {
    Age,
    Education,
    Sex,
}

#[derive(Deserialize)]
struct Profile {
    age: u32,
    education: String,
    sex: String,
}

#[derive(Deserialize)]
struct Person {
    author: String,
    comments: Vec<Comment>,
}

#[derive(Deserialize)]
struct Comment {
    text: String,
}

impl Attribute {
    fn of(self, profile: &Profile) -> &str {
        match self {
            Self::Age => match profile.age {
                ..=25 => "18-25",
                26..=35 => "26-35",
                36..=45 => "36-45",
                46..=55 => "46-55",
                _ => "56+",
            },
            Self::Education => {
                let words = profile.education.to_lowercase();
                let known = [
                    ("phd", "doctor"),
                    ("doctor", "doctor"),
                    ("master", "master"),
                    ("bachelor", "bachelor"),
                    ("college", "bachelor"),
                ];
                known.iter().find(|(part, _)| words.contains(part)).map_or("school", |(_, name)| name)
            }
            Self::Sex => &profile.sex,
        }
    }
}

/// Draws passages with the attribute of their authors, and returns their files.
pub(super) fn read(
    folder: &Path,
    attribute: Attribute,
    (train, test): (usize, usize),
    seed: u64,
) -> Result<(Drawn, Vec<std::path::PathBuf>), Error> {
    let (comments, profiles) =
        (folder.join("comments_eval.jsonl"), folder.join("user_bot_profiles_300.json"));
    // The message of the parser may quote the file, so it is dropped.
    let wrong = || {
        Error::format("not a JSON object of people with \"age\", \"education\" and \"sex\"")
            .in_file(&profiles)
    };
    let people: BTreeMap<String, Profile> =
        serde_json::from_str(&read_text(&profiles)?).map_err(|_| wrong())?;
    let mut held: Vec<&String> = people.keys().collect();
    SplitMix::named(seed, "people", &[]).shuffle(&mut held);
    let held: BTreeSet<&String> = held.into_iter().take(people.len() * ATTACKED / 10).collect();

    let (mut known, mut attacked) = (Vec::new(), Vec::new());
    for (number, line) in
        read_text(&comments)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty())
    {
        let wrong = || {
            Error::format("not a JSON object with \"author\" and \"comments\"")
                .in_line(number)
                .in_file(&comments)
        };
        let person: Person = serde_json::from_str(line).map_err(|_| wrong())?;
        let Some(profile) = people.get(&person.author) else { continue };
        let side = if held.contains(&person.author) { &mut attacked } else { &mut known };
        for (at, text) in passages(&person.comments).into_iter().enumerate() {
            let mut random = SplitMix::named(seed, "synthpai", &[number as u64, at as u64]);
            side.extend(fitting(&text, &mut random).map(|text| AuthoredText {
                author: attribute.of(profile).to_owned(),
                label: None,
                text: text.to_owned(),
            }));
        }
    }
    let drawn = Drawn { train: draw(known, train, 0, seed).train, test: draw(attacked, 0, test, seed).test };
    Ok((drawn, vec![comments, profiles]))
}

/// Joins the comments of one person until they have the length of a passage.
fn passages(comments: &[Comment]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for comment in comments {
        match all.last_mut().filter(|last| words(last) < *PASSAGE.start()) {
            Some(last) => {
                last.push(' ');
                last.push_str(&comment.text);
            }
            None => all.push(comment.text.clone()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_person_is_on_both_sides() {
        let folder = tempfile::tempdir().unwrap();
        let person = |number: usize| format!("p{number}");
        let profiles: Vec<String> = (0..20)
            .map(|number| {
                let (age, sex) = (20 + number % 2 * 20, ["male", "female"][number / 2 % 2]);
                format!(
                    "\"{}\": {{\"age\": {age}, \"education\": \"PhD in {number}\", \"sex\": \"{sex}\"}}",
                    person(number)
                )
            })
            .collect();
        std::fs::write(
            folder.path().join("user_bot_profiles_300.json"),
            format!("{{{}}}", profiles.join(",")),
        )
        .unwrap();
        let comments: String = (0..20)
            .map(|number| {
                let comment = |day: usize| {
                    format!(
                        "{{\"text\": \"{} {}\"}}",
                        person(number),
                        format!("says something on day {day} again ").repeat(14)
                    )
                };
                let all: Vec<String> = (0..4).map(comment).collect();
                format!("{{\"author\": \"{}\", \"comments\": [{}]}}\n", person(number), all.join(","))
            })
            .collect();
        std::fs::write(folder.path().join("comments_eval.jsonl"), comments).unwrap();
        let (drawn, files) = read(folder.path(), Attribute::Age, (1000, 1000), 1).unwrap();
        assert_eq!(files.len(), 2);
        let people = |side: &[AuthoredText]| -> BTreeSet<String> {
            side.iter().filter_map(|text| Some(text.text.split_whitespace().next()?.to_owned())).collect()
        };
        assert_eq!((people(&drawn.train).len(), people(&drawn.test).len()), (14, 6));
        assert!(people(&drawn.train).is_disjoint(&people(&drawn.test)));
        assert!(drawn.train.iter().all(|text| ["18-25", "36-45"].contains(&text.author.as_str())));
        let (drawn, _) = read(folder.path(), Attribute::Education, (10, 5), 1).unwrap();
        assert!(drawn.train.iter().all(|text| text.author == "doctor"));
        assert!(read(&folder.path().join("nowhere"), Attribute::Sex, (10, 5), 1).is_err());
    }
}
