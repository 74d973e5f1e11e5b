//! The style crate on the built-in pack: training, the weights of the pack, and memories made with
//! them.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod document;
mod rewrite;
mod rewriter;
#[allow(dead_code)] // the other crate uses all of it
#[path = "../../../chat/tests/it/tiny.rs"]
mod tiny;

use std::path::{Path, PathBuf};

use inkveil_nn::product::has_tiles;
use inkveil_style::train::{EncoderPlan, Parts, train_encoder};
use inkveil_style::{AuthorText, ErrorKind, Memory, MemorySettings, Risk, StyleEncoder};

fn pack() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/en")
}

/// Twelve writers with one habit each, on five subjects.
fn texts() -> Vec<AuthorText> {
    let (marks, openings) = (["!!", "...", ";", "?"], ["Well, ", "honestly ", "I think that "]);
    let subjects = [
        "the garden was wet",
        "my train is late",
        "we sold the boat",
        "it rains again",
        "nobody came to lunch",
    ];
    let mut texts = Vec::new();
    for author in 0..12 {
        for (topic, subject) in subjects.iter().enumerate() {
            let sentence = format!("{}{subject} and so on{} ", openings[author % 3], marks[author % 4]);
            let topic = Some(topic.to_string());
            texts.push(AuthorText {
                author: author.to_string(),
                topic,
                source: None,
                text: sentence.repeat(6),
            });
        }
    }
    texts
}

fn plan() -> EncoderPlan {
    EncoderPlan {
        steps: 8,
        batch: 8,
        held_out: 0.3,
        parts: Parts::Surface,
        check_every: 2,
        ..EncoderPlan::default()
    }
}

#[test]
fn a_resumed_run_gives_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole.safetensors"), folder.path().join("parts.safetensors"));
    let (card, curve) = train_encoder(&pack(), texts(), &plan(), &whole, &mut |_| true).unwrap();
    assert_eq!(curve.iter().map(|point| point.step).collect::<Vec<_>>(), [2, 4, 6, 8]);
    let stopped = train_encoder(&pack(), texts(), &plan(), &parts, &mut |point| point.step < 4).unwrap_err();
    assert!(matches!(stopped.kind(), ErrorKind::Stopped));
    assert!(!parts.exists() && parts.with_extension("checkpoint").is_file());
    let resumed = train_encoder(&pack(), texts(), &plan(), &parts, &mut |_| true).unwrap();
    assert_eq!(resumed, (card, curve));
    assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&parts).unwrap());
    // A checkpoint of other texts is not used.
    let mut others = texts();
    others[0].text.push('!');
    let error = train_encoder(&pack(), others, &plan(), &parts, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("a checkpoint of other texts or settings"), "{error}");
    let another = EncoderPlan { seed: 2, ..plan() };
    let error = train_encoder(&pack(), texts(), &another, &parts, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("a checkpoint of other texts or settings"), "{error}");
}

#[test]
fn the_pack_distinguishes_writers_and_its_memory_fits() {
    let encoder = StyleEncoder::open(&pack()).unwrap();
    let memory = Memory::open(&pack().join("style.memory")).unwrap();
    memory.check_encoder(encoder.note()).unwrap();
    let formal = [
        "I should be most grateful if you would consider the matter; it has, I fear, been neglected for rather too long.",
        "The garden, which my late uncle planted, is in a deplorable state; one hardly dares to walk in it after dusk.",
    ];
    let casual = [
        "omg did u see that lol!! i cant even... its so funny haha",
        "lol ok im gonna be late again, dont wait 4 me!! sry haha",
    ];
    let vectors = encoder.encode(&[formal[0], formal[1], casual[0], casual[1]]).unwrap();
    let cosine = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum::<f32>();
    assert!(vectors.iter().all(|v| (v.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4));
    assert!(cosine(0, 1) > cosine(0, 2) && cosine(2, 3) > cosine(1, 3), "{} {}", cosine(0, 1), cosine(2, 3));
    let geometry = memory.geometry().unwrap();
    let same = encoder.card().map(|card| &card.same_author);
    let risk = Risk::of(&geometry, &vectors[2], same).unwrap();
    assert!(
        (0.0..=1.0).contains(&risk.score)
            && (0.0..=100.0).contains(&risk.percentile)
            && risk.seen == memory.seen()
    );
}

#[test]
fn patterns_and_features_give_exactly_the_same_vector_among_other_texts() {
    // This encoder does not use the pack's one, so sums have the same order on every processor.
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("style.safetensors");
    train_encoder(&pack(), texts(), &EncoderPlan { steps: 2, ..plan() }, &weights, &mut |_| true).unwrap();
    let encoder = StyleEncoder::with_weights(&pack(), &weights).unwrap();
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    let all = encoder.encode(&texts).unwrap();
    for (text, among_others) in texts.iter().zip(&all) {
        assert!(encoder.encode(&[text]).unwrap()[0] == *among_others);
    }
}

#[test]
fn a_text_has_the_same_vector_alone_and_among_others() {
    let encoder = StyleEncoder::open(&pack()).unwrap();
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    let all = encoder.encode(&texts).unwrap();
    // Without tiles, the pack's encoder sums in another order beside other texts.
    let alone = encoder.encode(&texts[7..8]).unwrap();
    let close = |(x, y): (&f32, &f32)| if has_tiles() { x == y } else { (x - y).abs() < 1e-5 };
    assert!(all[7].iter().zip(&alone[0]).all(close));
    let mut memory =
        Memory::new(encoder.note().clone(), encoder.dimension(), MemorySettings::default()).unwrap();
    memory.add(&all.concat(), None).unwrap();
    assert!((2..60).contains(&memory.len()), "{}", memory.len());
}
