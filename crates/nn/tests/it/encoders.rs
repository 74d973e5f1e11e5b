//! Compares encoders with Hugging Face's code, on tiny random weights; see
//! tests/fixtures/make_encoders.py. tests/fixtures/make_encoders.py.

use std::fs;
use std::path::{Path, PathBuf};

use inkveil_nn::layers::{Activation, Lora};
use inkveil_nn::models::{Bert, BertConfig, BertKind, Projection, T5, T5Config, TextModel, TokenBatch};
use inkveil_nn::train::save_weights;
use inkveil_nn::{DType, Device, Error, ErrorKind, Scope, Tensor, Weights};
use serde::Deserialize;

use crate::gradients::{check_gradients, mixed, precise_scope};

#[derive(Deserialize)]
struct Case {
    padding: u32,
    ids: Vec<Vec<u32>>,
    types: Option<Vec<Vec<u32>>>,
    hidden: Vec<Vec<Vec<f32>>>,
    long: Option<Long>,
    projected: Option<Vec<Vec<f32>>>,
}

#[derive(Deserialize)]
struct Long {
    ids: Vec<u32>,
    places: Vec<usize>,
    hidden: Vec<Vec<f32>>,
}

const LAYOUTS: [&str; 5] = ["bert", "roberta", "mpnet", "t5", "t5_gated"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn read(path: &Path) -> Case {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn batch(case: &Case) -> TokenBatch {
    let batch = TokenBatch::new(&case.ids, case.padding).unwrap();
    match &case.types {
        Some(types) => batch.with_types(types).unwrap(),
        None => batch,
    }
}

fn states(model: &TextModel, batch: &TokenBatch) -> Vec<Vec<Vec<f32>>> {
    model.hidden_states(batch).unwrap().to_vec3().unwrap()
}

fn largest_difference(found: &[Vec<f32>], expected: &[Vec<f32>]) -> f32 {
    assert!(found.len() >= expected.len());
    let rows = found.iter().zip(expected);
    rows.flat_map(|(found, expected)| {
        assert_eq!(found.len(), expected.len());
        found.iter().zip(expected).map(|(x, y)| (x - y).abs())
    })
    .fold(0.0, f32::max)
}

#[test]
fn hidden_states_match_the_reference() {
    for layout in LAYOUTS {
        let case = read(&folder(layout).join("case.json"));
        let model = TextModel::open(&folder(layout), &Device::Cpu).unwrap();
        let found = states(&model, &batch(&case));
        for (row, (found, expected)) in found.iter().zip(&case.hidden).enumerate() {
            let difference = largest_difference(found, expected);
            assert!(difference <= 1e-5, "{layout}, text {row}: {difference}");
        }
        let long = case.long.unwrap();
        let found = states(&model, &TokenBatch::new(&[&long.ids], case.padding).unwrap());
        let found: Vec<Vec<f32>> = long.places.iter().map(|&place| found[0][place].clone()).collect();
        let difference = largest_difference(&found, &long.hidden);
        assert!(difference <= 1e-5, "{layout}, long text: {difference}");
    }
}

#[test]
fn a_trainable_model_matches_and_trains_completely() {
    for layout in LAYOUTS {
        let case = read(&folder(layout).join("case.json"));
        let weights = Weights::open(&folder(layout)).unwrap();
        let scope = Scope::trainable(Some(&weights), &Device::Cpu, 0);
        let model = TextModel::load(&folder(layout), &scope).unwrap();
        let found = states(&model, &batch(&case));
        assert!(largest_difference(&found[0], &case.hidden[0]) <= 1e-5);
        let mut names: Vec<&str> = weights.names().collect();
        names.sort_unstable();
        let variables = scope.variables();
        assert_eq!(variables.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names, "{layout}");
        // In training dropout is on, so the states differ from step to step.
        scope.train_at(0).unwrap();
        let first = states(&model, &batch(&case));
        scope.train_at(1).unwrap();
        assert!(first != found && first != states(&model, &batch(&case)), "{layout}");
        scope.infer();
        assert_eq!(states(&model, &batch(&case)), found);
    }
}

#[test]
fn a_dense_module_projects_the_mean() {
    let case = read(&folder("t5_gated").join("case.json"));
    let projection = Projection::open(&folder("t5_gated"), &Device::Cpu).unwrap().unwrap();
    assert_eq!(projection.dimension(), 16);
    let means: Vec<Vec<f32>> = case
        .hidden
        .iter()
        .map(|rows| (0..32).map(|j| rows.iter().map(|row| row[j]).sum::<f32>() / rows.len() as f32).collect())
        .collect();
    let found = projection.forward(&Tensor::new(means, &Device::Cpu).unwrap()).unwrap().to_vec2().unwrap();
    assert!(largest_difference(&found, &case.projected.unwrap()) <= 1e-5);
    assert!(Projection::open(&folder("bert"), &Device::Cpu).unwrap().is_none());
}

#[test]
fn modules_outside_the_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["../other", "/etc", "a/b", ""] {
        let list = format!(r#"[{{"idx": 0, "name": "0", "path": "{path}", "type": "x.Dense"}}]"#);
        fs::write(folder.path().join("modules.json"), list).unwrap();
        let error = Projection::open(folder.path(), &Device::Cpu).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    }
}

/// A tiny BERT in `f64`.
fn tiny_bert(scope: &Scope, kind: BertKind) -> Bert {
    let config = BertConfig {
        kind,
        vocabulary: 12,
        width: 8,
        layers: 1,
        heads: 2,
        inner: 10,
        positions: 8,
        types: 2,
        padding: u32::from(kind != BertKind::Bert),
        eps: 1e-5,
        ..BertConfig::default()
    };
    Bert::new(scope, &config).unwrap()
}

fn tiny_batch() -> TokenBatch {
    TokenBatch::new(&[&[3u32, 9, 4, 11, 5][..], &[7, 2]], 1).unwrap()
}

/// New tables and their gradients are small, and norms and biases are constant. With larger values
/// the test can fail.
fn enlarge_parameters(scope: &Scope) {
    for (_, variable) in scope.variables() {
        let count = variable.elem_count() as u32;
        let waves = Tensor::arange(0u32, count, &Device::Cpu).unwrap().to_dtype(DType::F64).unwrap();
        let waves = ((waves * 1.7).unwrap().sin().unwrap() * 0.4).unwrap();
        variable
            .set(&(waves.reshape(variable.shape()).unwrap() + variable.as_detached_tensor()).unwrap())
            .unwrap();
    }
}

/// The loss over what is not padding.
fn loss(states: &Tensor, batch: &TokenBatch) -> Result<Tensor, Error> {
    let keep = batch.keep_tensor(&Device::Cpu)?.to_dtype(DType::F64)?.unsqueeze(2)?;
    mixed(&states.broadcast_mul(&keep)?)
}

#[test]
fn gradients_of_the_bert_family_match_finite_differences() {
    for kind in [BertKind::Bert, BertKind::Roberta, BertKind::Mpnet] {
        let scope = precise_scope();
        let model = tiny_bert(&scope, kind);
        enlarge_parameters(&scope);
        let mut batch = tiny_batch();
        if kind != BertKind::Mpnet {
            batch = batch.with_types(&[&[0u32, 0, 1, 1, 1][..], &[0, 1]]).unwrap();
        }
        // The same dropout masks for every evaluation.
        check_gradients(&scope, || {
            scope.train_at(2)?;
            loss(&model.hidden_states(&batch)?, &batch)
        });
    }
}

#[test]
fn gradients_of_t5_match_finite_differences() {
    for gated in [false, true] {
        let scope = precise_scope();
        let config = T5Config {
            vocabulary: 12,
            width: 8,
            layers: 1,
            heads: 2,
            head_width: 3,
            inner: 10,
            gated,
            activation: if gated { Activation::GeluTanh } else { Activation::Relu },
            ..T5Config::default()
        };
        let model = T5::new(&scope, &config).unwrap();
        enlarge_parameters(&scope);
        let batch = tiny_batch();
        check_gradients(&scope, || {
            scope.train_at(2)?;
            loss(&model.hidden_states(&batch)?, &batch)
        });
    }
}

#[test]
fn adapters_are_trained_alone_and_merged() {
    for (layout, ends) in [("mpnet", [".q", ".v"]), ("t5_gated", [".q", ".wi_0"])] {
        let case = read(&folder(layout).join("case.json"));
        let weights = Weights::open(&folder(layout)).unwrap();
        let scope = Scope::trainable(Some(&weights), &Device::Cpu, 0);
        let mut model = TextModel::load(&folder(layout), &scope.freeze()).unwrap();
        assert!(scope.variables().is_empty());
        let lora = Lora { rank: 2, alpha: 8.0, dropout: 0.1 };
        let added = model.add_lora(&scope, &lora, |name| ends.iter().any(|end| name.ends_with(end))).unwrap();
        assert_eq!((added, scope.variables().len()), (4, 8));
        let before = states(&model, &batch(&case));
        assert!(largest_difference(&before[0], &case.hidden[0]) <= 1e-5, "an adapter has no effect at first");
        for (name, variable) in scope.variables() {
            if name.ends_with("lora_B.weight") {
                variable.set(&Tensor::full(0.05f32, variable.shape(), &Device::Cpu).unwrap()).unwrap();
            }
        }
        let adapted = states(&model, &batch(&case));
        assert!(largest_difference(&adapted[0], &before[0]) > 1e-2);
        model.merge_lora().unwrap();
        let merged = states(&model, &batch(&case));
        assert!(largest_difference(&merged[0], &adapted[0]) <= 1e-5);
        // A file with the adapters alone has the same effect on another copy.
        let file = tempfile::tempdir().unwrap();
        let path = file.path().join("adapter.safetensors");
        save_weights(&path, &scope.variables()).unwrap();
        let adapter = Scope::frozen(&Weights::open(&path).unwrap(), &Device::Cpu);
        let mut copy = TextModel::open(&folder(layout), &Device::Cpu).unwrap();
        copy.add_lora(&adapter, &lora, |name| ends.iter().any(|end| name.ends_with(end))).unwrap();
        assert_eq!(states(&copy, &batch(&case)), adapted);
    }
}

/// Opens one fixture's weights with a changed config.
fn changed(layout: &str, field: &str, value: serde_json::Value) -> Result<TextModel, Error> {
    let copy = with_setting(layout, field, value);
    TextModel::open(copy.path(), &Device::Cpu)
}

fn with_setting(layout: &str, field: &str, value: serde_json::Value) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::copy(folder(layout).join("model.safetensors"), copy.path().join("model.safetensors")).unwrap();
    let config = fs::read(folder(layout).join("config.json")).unwrap();
    let mut config: serde_json::Value = serde_json::from_slice(&config).unwrap();
    config[field] = value;
    fs::write(copy.path().join("config.json"), config.to_string()).unwrap();
    copy
}

#[test]
fn missing_pretrained_weights_are_errors() {
    let folder = with_setting("bert", "num_hidden_layers", serde_json::json!(3));
    let weights = Weights::open(folder.path()).unwrap();
    let scope = Scope::trainable(Some(&weights), &Device::Cpu, 0);
    let error = TextModel::load(folder.path(), &scope).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::MissingTensor { .. }), "{error}");
    // Without weights, all parameters are initialised.
    TextModel::load(folder.path(), &Scope::trainable(None, &Device::Cpu, 0)).unwrap();
}

#[test]
fn invalid_settings_are_errors() {
    use serde_json::json;
    changed("bert", "hidden_dropout_prob", json!(null)).unwrap();
    let config = [
        ("bert", "hidden_size", json!(null)),
        ("bert", "hidden_size", json!(u64::MAX)),
        ("bert", "num_attention_heads", json!(0)),
        ("bert", "num_attention_heads", json!(5)),
        ("bert", "hidden_act", json!("magic")),
        ("bert", "position_embedding_type", json!("relative_key")),
        ("bert", "layer_norm_eps", json!("small")),
        ("roberta", "max_position_embeddings", json!(1)),
        ("mpnet", "relative_attention_num_buckets", json!(1)),
        ("t5", "d_kv", json!(-1)),
        ("t5", "feed_forward_proj", json!("gated-magic")),
        ("t5", "relative_attention_max_distance", json!(8)),
    ];
    for (layout, field, value) in config {
        let error = changed(layout, field, value.clone()).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Config { .. }), "{field} {value}: {error}");
        assert!(error.to_string().contains("config.json"), "{error}");
    }
    let error = changed("bert", "model_type", json!("gpt9")).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
    for (layout, field) in [("bert", "hidden_size"), ("bert", "vocab_size"), ("t5", "d_ff")] {
        let error = changed(layout, field, json!(64)).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{field}: {error}");
    }
    let error = changed("bert", "num_hidden_layers", json!(3)).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::MissingTensor { .. }), "{error}");
    let error = changed("bert", "model_type", json!("t5")).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Config { field: "d_model", .. }), "{error}");
}

#[test]
fn invalid_texts_are_errors() {
    let model = TextModel::open(&folder("roberta"), &Device::Cpu).unwrap();
    assert_eq!((model.longest(), model.dimension()), (Some(154), 32));
    assert_eq!(model.table().dims(), [100, 32]);
    let ids = vec![5; 155];
    assert!(model.hidden_states(&TokenBatch::new(&[&ids[..154]], 1).unwrap()).is_ok());
    assert!(model.hidden_states(&TokenBatch::new(&[&ids[..]], 1).unwrap()).is_err());
    assert!(model.hidden_states(&TokenBatch::new(&[[100]], 1).unwrap()).is_err());
    let typed = TokenBatch::new(&[[5]], 1).unwrap().with_types(&[[1]]).unwrap();
    assert!(model.hidden_states(&typed).is_err());
}

#[test]
#[ignore = "reads pulled models and their recorded states: see CONTRIBUTING.md, INKVEIL_REAL_MODELS"]
fn real_models_match_their_recorded_states() {
    let root = PathBuf::from(std::env::var_os("INKVEIL_REAL_MODELS").expect("INKVEIL_REAL_MODELS is set"));
    let mut seen = 0;
    for entry in fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let expected = path.with_extension("json");
        if !path.is_dir() || !expected.exists() {
            continue;
        }
        let case = read(&expected);
        let model = TextModel::open(&path, &Device::Cpu).unwrap();
        let start = std::time::Instant::now();
        let found = states(&model, &batch(&case));
        let time = start.elapsed();
        let rows = found.iter().zip(&case.hidden);
        let difference =
            rows.map(|(found, expected)| largest_difference(found, expected)).fold(0.0, f32::max);
        println!("{}: largest difference {difference:e}, {time:?}", path.display());
        assert!(difference <= 1e-4);
        seen += 1;
    }
    assert!(seen > 0, "no model with its case in {}", root.display());
}
