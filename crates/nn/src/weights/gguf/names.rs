//! Translates tensor names of GGUF to those of Hugging Face, for models built like Llama.

/// Returns the name in Hugging Face's layout. Unknown names stay unchanged.
pub(super) fn hugging_face(name: &str) -> String {
    translated(name).unwrap_or_else(|| name.to_owned())
}

fn translated(name: &str) -> Option<String> {
    let (module, parameter) = name.rsplit_once('.')?;
    if let Some((layer, part)) = module.strip_prefix("blk.").and_then(|rest| rest.split_once('.')) {
        let part = match part {
            "attn_norm" => "input_layernorm",
            "attn_q" => "self_attn.q_proj",
            "attn_k" => "self_attn.k_proj",
            "attn_v" => "self_attn.v_proj",
            "attn_output" => "self_attn.o_proj",
            "ffn_norm" => "post_attention_layernorm",
            "ffn_gate" => "mlp.gate_proj",
            "ffn_up" => "mlp.up_proj",
            "ffn_down" => "mlp.down_proj",
            _ => return None,
        };
        return Some(format!("model.layers.{layer}.{part}.{parameter}"));
    }
    let module = match module {
        "token_embd" => "model.embed_tokens",
        "output_norm" => "model.norm",
        "output" => "lm_head",
        _ => return None,
    };
    Some(format!("{module}.{parameter}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_translated() {
        for (from, to) in [
            ("token_embd.weight", "model.embed_tokens.weight"),
            ("output.weight", "lm_head.weight"),
            ("output_norm.weight", "model.norm.weight"),
            ("blk.0.attn_q.weight", "model.layers.0.self_attn.q_proj.weight"),
            ("blk.12.attn_k.bias", "model.layers.12.self_attn.k_proj.bias"),
            ("blk.3.ffn_down.weight", "model.layers.3.mlp.down_proj.weight"),
            ("rope_freqs.weight", "rope_freqs.weight"),
            ("blk.3.attn_q_norm.weight", "blk.3.attn_q_norm.weight"),
            ("x", "x"),
            ("", ""),
        ] {
            assert_eq!(hugging_face(from), to);
        }
    }
}
