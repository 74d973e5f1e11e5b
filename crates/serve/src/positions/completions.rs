//! `/v1/completions`.

pub(super) const LINES: &str = "
model               pass
prompt              veil
prompt[]            veil
prompt[][]          refuse
suffix              veil
stop                veil
stop[]              veil
user                pseudonym
logit_bias          refuse
best_of             pass
echo                pass
frequency_penalty   pass
logprobs            pass
max_tokens          pass
n                   pass
presence_penalty    pass
seed                pass
stream              pass
stream_options      pass
stream_options.include_usage       pass
stream_options.include_obfuscation pass
temperature         pass
top_p               pass
";
