//! Requests with a canary at every position. `@@` is where the canary stands.

/// What must happen to a canary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expect {
    /// It is veiled, and the echo of the request comes back byte for byte.
    Restored,
    /// It is veiled, and not restored.
    Vault,
    /// The request is refused, and nothing is sent.
    Refused,
}
use Expect::{Refused, Restored, Vault};

type Case = (&'static str, Expect, &'static str);

/// A part in place of the messages of a chat.
pub(crate) const CHAT: &[Case] = &[
    ("user", Restored, r#""messages":[{"role":"user","content":"@@"}]"#),
    ("user part", Restored, r#""messages":[{"role":"user","content":[{"type":"text","text":"@@"}]}]"#),
    ("user bare string", Restored, r#""messages":[{"role":"user","content":["@@"]}]"#),
    ("system", Vault, r#""messages":[{"role":"system","content":"@@"},{"role":"user","content":"hi"}]"#),
    (
        "system part",
        Vault,
        r#""messages":[{"role":"system","content":[{"type":"text","text":"@@"}]},{"role":"user","content":"hi"}]"#,
    ),
    (
        "developer",
        Vault,
        r#""messages":[{"role":"developer","content":"@@"},{"role":"user","content":"hi"}]"#,
    ),
    (
        "assistant",
        Restored,
        r#""messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"@@"}]"#,
    ),
    (
        "assistant part",
        Restored,
        r#""messages":[{"role":"assistant","content":[{"type":"text","text":"@@"}]}]"#,
    ),
    (
        "refusal part",
        Restored,
        r#""messages":[{"role":"assistant","content":[{"type":"refusal","refusal":"@@"}]}]"#,
    ),
    ("tool", Restored, r#""messages":[{"role":"tool","tool_call_id":"c","content":"@@"}]"#),
    (
        "tool part",
        Restored,
        r#""messages":[{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"@@"}]}]"#,
    ),
    ("function", Restored, r#""messages":[{"role":"function","name":"f","content":"@@"}]"#),
    ("refusal", Restored, r#""messages":[{"role":"assistant","content":null,"refusal":"@@"}]"#),
    (
        "reasoning_content",
        Restored,
        r#""messages":[{"role":"assistant","content":"a","reasoning_content":"@@"}]"#,
    ),
    (
        "audio transcript",
        Restored,
        r#""messages":[{"role":"assistant","audio":{"id":"a","transcript":"@@"}}]"#,
    ),
    ("name", Restored, r#""messages":[{"role":"user","name":"@@","content":"hi"}]"#),
    ("role", Refused, r#""messages":[{"role":"@@","content":"hi"}]"#),
    ("function name", Refused, r#""messages":[{"role":"function","name":"@@","content":"hi"}]"#),
    (
        "arguments",
        Restored,
        r#""messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"to\":\"@@\"}"}}]}]"#,
    ),
    (
        "arguments nested",
        Restored,
        r#""messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":[{\"b\":{\"c\":\"@@\"}}]}"}}]}]"#,
    ),
    (
        "arguments key",
        Restored,
        r#""messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"@@\":1}"}}]}]"#,
    ),
    (
        "arguments not JSON",
        Restored,
        r#""messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{to: @@"}}]}]"#,
    ),
    (
        "arguments escaped",
        Restored,
        r#""messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"to\":\"\\nDear @@\\t\\\"x\\\"\"}"}}]}]"#,
    ),
    (
        "function_call",
        Restored,
        r#""messages":[{"role":"assistant","function_call":{"name":"f","arguments":"{\"to\":\"@@\"}"}}]"#,
    ),
    (
        "custom input",
        Restored,
        r#""messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":"@@"}}]}]"#,
    ),
    (
        "tool call name",
        Refused,
        r#""messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"@@","arguments":"{}"}}]}]"#,
    ),
    (
        "tool call id",
        Refused,
        r#""messages":[{"role":"assistant","tool_calls":[{"id":"@@","type":"function","function":{"name":"f","arguments":"{}"}}]}]"#,
    ),
    (
        "tool description",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":"@@","parameters":{"type":"object"}}}]"#,
    ),
    (
        "schema description",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string","description":"@@"}}}}}]"#,
    ),
    (
        "schema enum",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"enum":["@@"]}}}}}]"#,
    ),
    (
        "schema default",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"a":{"default":"@@","examples":["@@"]}}}}}]"#,
    ),
    (
        "schema key",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"@@":{"type":"string"}},"required":["@@"]}}}]"#,
    ),
    (
        "functions",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"functions":[{"name":"f","description":"@@"}]"#,
    ),
    (
        "custom tool",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"tools":[{"type":"custom","custom":{"name":"f","description":"@@","format":{"type":"grammar","grammar":{"definition":"@@"}}}}]"#,
    ),
    (
        "tool_choice",
        Refused,
        r#""messages":[{"role":"user","content":"hi"}],"tool_choice":{"type":"function","function":{"name":"@@"}}"#,
    ),
    (
        "response_format",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"@@","schema":{"title":"@@"}}}"#,
    ),
    (
        "prediction",
        Restored,
        r#""messages":[{"role":"user","content":"hi"}],"prediction":{"type":"content","content":"@@"}"#,
    ),
    (
        "prediction part",
        Restored,
        r#""messages":[{"role":"user","content":"hi"}],"prediction":{"type":"content","content":[{"type":"text","text":"@@"}]}"#,
    ),
    ("stop", Restored, r#""messages":[{"role":"user","content":"hi"}],"stop":"@@""#),
    ("stop list", Restored, r#""messages":[{"role":"user","content":"hi"}],"stop":["@@"]"#),
    ("user id", Vault, r#""messages":[{"role":"user","content":"hi"}],"user":"@@""#),
    ("safety_identifier", Vault, r#""messages":[{"role":"user","content":"hi"}],"safety_identifier":"@@""#),
    ("prompt_cache_key", Vault, r#""messages":[{"role":"user","content":"hi"}],"prompt_cache_key":"@@""#),
    ("metadata", Restored, r#""messages":[{"role":"user","content":"hi"}],"metadata":{"k":"@@"}"#),
    ("metadata key", Restored, r#""messages":[{"role":"user","content":"hi"}],"metadata":{"@@":"v"}"#),
    (
        "user_location",
        Restored,
        r#""messages":[{"role":"user","content":"hi"}],"web_search_options":{"user_location":{"type":"approximate","approximate":{"city":"@@"}}}"#,
    ),
    ("logit_bias", Refused, r#""messages":[{"role":"user","content":"hi"}],"logit_bias":{"@@":1}"#),
    (
        "image",
        Refused,
        r#""messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/@@"}}]}]"#,
    ),
    (
        "audio",
        Refused,
        r#""messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"@@","format":"wav"}}]}]"#,
    ),
    (
        "file",
        Refused,
        r#""messages":[{"role":"user","content":[{"type":"file","file":{"file_data":"@@"}}]}]"#,
    ),
    (
        "file name",
        Restored,
        r#""messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f","filename":"@@"}}]}]"#,
    ),
    ("part type", Refused, r#""messages":[{"role":"user","content":[{"type":"@@","text":"hi"}]}]"#),
    ("unknown part", Refused, r#""messages":[{"role":"user","content":[{"type":"video","video":"@@"}]}]"#),
    ("unknown field", Refused, r#""messages":[{"role":"user","content":"hi"}],"extra":"@@""#),
    ("unknown key", Refused, r#""messages":[{"role":"user","content":"hi"}],"@@":1"#),
    ("unknown field of a message", Refused, r#""messages":[{"role":"user","content":"hi","extra":"@@"}]"#),
    ("reasoning_effort", Refused, r#""messages":[{"role":"user","content":"hi"}],"reasoning_effort":"@@""#),
    (
        "prefill",
        Restored,
        r#""messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Dear @@"}]"#,
    ),
];

pub(crate) const MESSAGES: &[Case] = &[
    ("system", Vault, r#""system":"@@","messages":[{"role":"user","content":"hi"}]"#),
    (
        "system block",
        Vault,
        r#""system":[{"type":"text","text":"@@","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"hi"}]"#,
    ),
    ("user", Restored, r#""messages":[{"role":"user","content":"@@"}]"#),
    (
        "text",
        Restored,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"@@","cache_control":{"type":"ephemeral","ttl":"5m"}}]}]"#,
    ),
    ("assistant", Restored, r#""messages":[{"role":"assistant","content":[{"type":"text","text":"@@"}]}]"#),
    (
        "tool_use",
        Restored,
        r#""messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"a":{"b":["@@"]}}}]}]"#,
    ),
    (
        "tool_use key",
        Restored,
        r#""messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"@@":1}}]}]"#,
    ),
    (
        "server_tool_use",
        Restored,
        r#""messages":[{"role":"assistant","content":[{"type":"server_tool_use","id":"t","name":"web_search","input":{"query":"@@"}}]}]"#,
    ),
    (
        "mcp_tool_use",
        Restored,
        r#""messages":[{"role":"assistant","content":[{"type":"mcp_tool_use","id":"t","name":"n","server_name":"s","input":{"query":"@@"}}]}]"#,
    ),
    (
        "tool_result",
        Restored,
        r#""messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"@@"}]}]"#,
    ),
    (
        "tool_result list",
        Restored,
        r#""messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"@@"}]}]}]"#,
    ),
    (
        "tool_result document",
        Restored,
        r#""messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"@@"}}]}]}]"#,
    ),
    (
        "document",
        Restored,
        r#""messages":[{"role":"user","content":[{"type":"document","title":"@@","context":"@@","source":{"type":"text","media_type":"text/plain","data":"@@"}}]}]"#,
    ),
    (
        "document content",
        Restored,
        r#""messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"@@"}]}}]}]"#,
    ),
    (
        "document base64",
        Refused,
        r#""messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"@@"}}]}]"#,
    ),
    (
        "document url",
        Refused,
        r#""messages":[{"role":"user","content":[{"type":"document","source":{"type":"url","url":"https://x/@@"}}]}]"#,
    ),
    (
        "image",
        Refused,
        r#""messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"@@"}}]}]"#,
    ),
    (
        "search_result",
        Restored,
        r#""messages":[{"role":"user","content":[{"type":"search_result","source":"@@","title":"@@","content":[{"type":"text","text":"@@"}]}]}]"#,
    ),
    (
        "thinking",
        Refused,
        r#""messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"@@","signature":"s"}]}]"#,
    ),
    (
        "redacted_thinking",
        Refused,
        r#""messages":[{"role":"assistant","content":[{"type":"redacted_thinking","data":"@@"}]}]"#,
    ),
    (
        "tool description",
        Vault,
        r#""messages":[{"role":"user","content":"hi"}],"tools":[{"name":"n","description":"@@","input_schema":{"type":"object","properties":{"a":{"description":"@@","enum":["@@"]}}}}]"#,
    ),
    (
        "tool name",
        Refused,
        r#""messages":[{"role":"user","content":"hi"}],"tools":[{"name":"@@","input_schema":{"type":"object"}}]"#,
    ),
    ("user_id", Vault, r#""messages":[{"role":"user","content":"hi"}],"metadata":{"user_id":"@@"}"#),
    ("stop_sequences", Restored, r#""messages":[{"role":"user","content":"hi"}],"stop_sequences":["@@"]"#),
    (
        "mcp_servers",
        Refused,
        r#""messages":[{"role":"user","content":"hi"}],"mcp_servers":[{"type":"url","url":"https://@@","name":"n"}]"#,
    ),
    (
        "citations",
        Restored,
        r#""messages":[{"role":"assistant","content":[{"type":"text","text":"a","citations":[{"type":"char_location","cited_text":"@@","document_title":"@@"}]}]}]"#,
    ),
    (
        "encrypted_content",
        Refused,
        r#""messages":[{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"t","content":[{"type":"web_search_result","url":"u","title":"t","encrypted_content":"@@"}]}]}]"#,
    ),
    (
        "prefill",
        Restored,
        r#""messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Dear @@"}]"#,
    ),
    ("unknown block", Refused, r#""messages":[{"role":"user","content":[{"type":"video","text":"@@"}]}]"#),
    ("unknown field", Refused, r#""messages":[{"role":"user","content":"hi"}],"extra":"@@""#),
];

pub(crate) const RESPONSES: &[Case] = &[
    ("instructions", Vault, r#""instructions":"@@","input":"hi""#),
    ("input", Restored, r#""input":"@@""#),
    ("message", Restored, r#""input":[{"role":"user","content":"@@"}]"#),
    (
        "message part",
        Restored,
        r#""input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"@@"}]}]"#,
    ),
    (
        "system",
        Vault,
        r#""input":[{"role":"developer","content":[{"type":"input_text","text":"@@"}]},{"role":"user","content":"hi"}]"#,
    ),
    (
        "output_text",
        Restored,
        r#""input":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":"@@","annotations":[{"type":"url_citation","title":"@@"}]}]}]"#,
    ),
    (
        "refusal",
        Restored,
        r#""input":[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"@@"}]}]"#,
    ),
    (
        "function_call",
        Restored,
        r#""input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":\"@@\"}"}]"#,
    ),
    (
        "function_call_output",
        Restored,
        r#""input":[{"type":"function_call_output","call_id":"c","output":"@@"}]"#,
    ),
    (
        "function_call_output part",
        Restored,
        r#""input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"@@"}]}]"#,
    ),
    (
        "custom_tool_call",
        Restored,
        r#""input":[{"type":"custom_tool_call","call_id":"c","name":"f","input":"@@"},{"type":"custom_tool_call_output","call_id":"c","output":"@@"}]"#,
    ),
    (
        "mcp_call",
        Restored,
        r#""input":[{"type":"mcp_call","id":"m","name":"f","server_label":"s","arguments":"{\"a\":\"@@\"}","output":"@@"}]"#,
    ),
    (
        "shell",
        Restored,
        r#""input":[{"type":"local_shell_call","id":"i","call_id":"c","status":"completed","action":{"type":"exec","command":["mail","@@"],"env":{"A":"@@"}}},{"type":"local_shell_call_output","id":"i","output":"@@"}]"#,
    ),
    (
        "patch",
        Restored,
        r#""input":[{"type":"apply_patch_call","call_id":"c","operation":{"type":"update_file","path":"@@","diff":"@@"}}]"#,
    ),
    (
        "computer",
        Restored,
        r#""input":[{"type":"computer_call","id":"i","call_id":"c","action":{"type":"type","text":"@@"}}]"#,
    ),
    (
        "web and file search",
        Restored,
        r#""input":[{"type":"web_search_call","id":"i","action":{"type":"search","query":"@@"}},{"type":"file_search_call","id":"i","queries":["@@"],"results":[{"text":"@@"}]}]"#,
    ),
    (
        "code",
        Restored,
        r#""input":[{"type":"code_interpreter_call","id":"i","container_id":"c","code":"@@","outputs":[{"type":"logs","logs":"@@"}]}]"#,
    ),
    (
        "reasoning summary",
        Restored,
        r#""input":[{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"@@"}]}]"#,
    ),
    (
        "encrypted reasoning",
        Refused,
        r#""input":[{"type":"reasoning","id":"r","summary":[],"encrypted_content":"@@"}]"#,
    ),
    ("prompt variables", Restored, r#""input":"hi","prompt":{"id":"p","variables":{"name":"@@"}}"#),
    (
        "text format",
        Vault,
        r#""input":"hi","text":{"format":{"type":"json_schema","name":"n","description":"@@","schema":{"title":"@@"}}}"#,
    ),
    (
        "tools",
        Vault,
        r#""input":"hi","tools":[{"type":"function","name":"f","description":"@@","parameters":{"description":"@@"}}]"#,
    ),
    (
        "mcp tool",
        Refused,
        r#""input":"hi","tools":[{"type":"mcp","server_label":"s","server_url":"https://@@"}]"#,
    ),
    ("previous_response_id", Refused, r#""input":"hi","previous_response_id":"@@""#),
    ("conversation", Refused, r#""input":"hi","conversation":"@@""#),
    (
        "image",
        Refused,
        r#""input":[{"role":"user","content":[{"type":"input_image","image_url":"https://x/@@"}]}]"#,
    ),
    ("file", Refused, r#""input":[{"role":"user","content":[{"type":"input_file","file_data":"@@"}]}]"#),
    (
        "file name",
        Restored,
        r#""input":[{"role":"user","content":[{"type":"input_file","file_id":"f","filename":"@@"}]}]"#,
    ),
    ("metadata", Restored, r#""input":"hi","metadata":{"k":"@@"}"#),
    ("unknown item", Refused, r#""input":[{"type":"telepathy","thought":"@@"}]"#),
];

pub(crate) const COMPLETIONS: &[Case] = &[
    ("prompt", Restored, r#""prompt":"@@""#),
    ("prompt list", Restored, r#""prompt":["@@","b"]"#),
    ("suffix", Restored, r#""prompt":"a","suffix":"@@""#),
    ("stop", Restored, r#""prompt":"a","stop":["@@"]"#),
    ("token ids", Refused, r#""prompt":[1,2,3],"suffix":"@@""#),
    ("lists of token ids", Refused, r#""prompt":[[1,2,3]],"suffix":"@@""#),
];

pub(crate) const EMBEDDINGS: &[Case] = &[
    ("input", Restored, r#""input":"@@""#),
    ("input list", Restored, r#""input":["@@","b"]"#),
    ("token ids", Refused, r#""input":[1,2,3],"user":"@@""#),
    ("lists of token ids", Refused, r#""input":[[1,2,3]],"user":"@@""#),
    ("user", Vault, r#""input":"hi","user":"@@""#),
];
