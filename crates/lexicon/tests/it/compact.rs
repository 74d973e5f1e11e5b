//! Making a compact model from an encoder.

use std::ops::ControlFlow;
use std::path::Path;

use inkveil_lexicon::{BuildStep, COMPACT_MODEL_FILES, Lexicon, LexiconKind, build_compact_model};
use tempfile::TempDir;

use crate::folder::wordpiece;

/// Creates a folder with an encoder, and one with its files except the weights.
fn folders() -> (TempDir, TempDir) {
    let source = wordpiece();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nn/tests/fixtures/mpnet");
    for file in ["config.json", "model.safetensors"] {
        std::fs::copy(fixture.join(file), source.path().join(file)).unwrap();
    }
    let to = tempfile::tempdir().unwrap();
    for file in ["config.json", "tokenizer.json"] {
        std::fs::copy(source.path().join(file), to.path().join(file)).unwrap();
    }
    (source, to)
}

#[test]
fn a_compact_model_has_both_lexicons() {
    let (source, to) = folders();
    let mut steps = Vec::new();
    let flow = build_compact_model(source.path(), to.path(), 0, &mut |step, _, _| {
        steps.push(step);
        ControlFlow::Continue(())
    });
    assert_eq!(flow.unwrap(), ControlFlow::Continue(()));
    steps.dedup();
    let distances = [LexiconKind::Subword, LexiconKind::Words].map(BuildStep::Distances);
    assert_eq!(steps, [BuildStep::Weights, BuildStep::Words, distances[0], distances[1]]);
    for kind in [LexiconKind::Subword, LexiconKind::Words] {
        assert!(Lexicon::open_kind(to.path(), kind).unwrap().centring().is_some());
    }
    assert!(COMPACT_MODEL_FILES.iter().all(|(file, _)| to.path().join(file).exists()));
    let size = |folder: &TempDir| folder.path().join("model.safetensors").metadata().unwrap().len();
    assert!(size(&to) < size(&source));
}

#[test]
fn the_work_stops_at_the_end_of_a_step() {
    let (source, to) = folders();
    let flow = build_compact_model(source.path(), to.path(), 0, &mut |step, _, _| match step {
        BuildStep::Words => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(flow.unwrap(), ControlFlow::Break(()));
    assert!(to.path().join("model.safetensors").exists() && !to.path().join("words.txt").exists());
}
