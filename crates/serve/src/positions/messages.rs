//! `/v1/messages` and `/v1/messages/count_tokens`.

const REQUEST: &str = "
model                                   pass
max_tokens                              pass
stream                                  pass
temperature                             pass
top_p                                   pass
top_k                                   pass
service_tier                            pass
speed                                   pass
inference_geo                           pass
betas[]                                 pass
cache_control.*                         pass
system                                  system
system[text].type                       pass
system[text].text                       system
system[text].cache_control              pass
system[text].cache_control.*            pass
system[text].citations                  data
messages[].role                         pass
messages[system].content                system
messages[system].content[text].type     pass
messages[system].content[text].text     system
messages[].content                      veil
messages[].content[thinking].type       pass
messages[].content[thinking].thinking   sealed
messages[].content[thinking].signature  sealed
messages[].content[redacted_thinking].type pass
messages[].content[redacted_thinking].data sealed
messages[].content[tool_use|server_tool_use|mcp_tool_use].type        pass
messages[].content[tool_use|server_tool_use|mcp_tool_use].id          pass
messages[].content[tool_use|server_tool_use|mcp_tool_use].name        pass
messages[].content[tool_use|server_tool_use|mcp_tool_use].server_name pass
messages[].content[tool_use|server_tool_use|mcp_tool_use].input       data
messages[].content[tool_use|server_tool_use|mcp_tool_use].caller.*    pass
messages[].content[tool_use|server_tool_use|mcp_tool_use].cache_control pass
messages[].content[tool_use|server_tool_use|mcp_tool_use].cache_control.* pass
messages[].content[tool_result|mcp_tool_result].type            pass
messages[].content[tool_result|mcp_tool_result].tool_use_id     pass
messages[].content[tool_result|mcp_tool_result].is_error        pass
messages[].content[tool_result|mcp_tool_result].content         veil
messages[].content[tool_result|mcp_tool_result].cache_control   pass
messages[].content[tool_result|mcp_tool_result].cache_control.* pass
messages[].content[web_search_tool_result|web_fetch_tool_result].type          pass
messages[].content[web_search_tool_result|web_fetch_tool_result].tool_use_id   pass
messages[].content[web_search_tool_result|web_fetch_tool_result].content[].type       pass
messages[].content[web_search_tool_result|web_fetch_tool_result].content[].url        veil
messages[].content[web_search_tool_result|web_fetch_tool_result].content[].title      veil
messages[].content[web_search_tool_result|web_fetch_tool_result].content[].page_age   veil
messages[].content[web_search_tool_result|web_fetch_tool_result].content[].encrypted_content sealed
messages[].content[code_execution_tool_result|bash_code_execution_tool_result|text_editor_code_execution_tool_result].type        pass
messages[].content[code_execution_tool_result|bash_code_execution_tool_result|text_editor_code_execution_tool_result].tool_use_id pass
messages[].content[code_execution_tool_result|bash_code_execution_tool_result|text_editor_code_execution_tool_result].content     data
messages[].content[container_upload].type    pass
messages[].content[container_upload].file_id pass
tools[].name                            pass
tools[].type                            pass
tools[].description                     schema
tools[].input_schema                    schema
tools[].input_examples                  schema
tools[].strict                          pass
tools[].cache_control                   pass
tools[].cache_control.*                 pass
tools[].max_uses                        pass
tools[].allowed_domains                 data
tools[].blocked_domains                 data
tools[].user_location                   data
tools[].citations.enabled               pass
tools[].max_content_tokens              pass
tools[].display_width_px                pass
tools[].display_height_px               pass
tools[].display_number                  pass
tools[].max_characters                  pass
tools[].defer_loading                   pass
tools[].eager_input_streaming           pass
tools[].allowed_callers[]               pass
tool_choice.type                        pass
tool_choice.name                        pass
tool_choice.disable_parallel_tool_use   pass
metadata                                pass
metadata.user_id                        pseudonym
stop_sequences                          pass
stop_sequences[]                        veil
thinking.type                           pass
thinking.budget_tokens                  pass
thinking.display                        pass
output_format                           pass
output_format.type                      pass
output_format.schema                    schema
output_config.effort                    pass
output_config.format                    pass
output_config.format.type               pass
output_config.format.schema             schema
container                               pass
container.id                            pass
container.skills[].type                 pass
container.skills[].skill_id             pass
container.skills[].version              pass
diagnostics.previous_message_id         pass
context_management.edits[].type         pass
mcp_servers                             refuse
";

/// Blocks that occur in messages, and again in the results of tools and in documents.
const BLOCKS: &str = "
[]                                      veil
[text].type                             pass
[text].text                             veil
[text].citations                        data
[text].cache_control                    pass
[text].cache_control.*                  pass
[image].type                            pass
[image].source                          media
[image].cache_control                   pass
[image].cache_control.*                 pass
[document].type                         pass
[document].title                        veil
[document].context                      veil
[document].citations                    pass
[document].citations.enabled            pass
[document].cache_control                pass
[document].cache_control.*              pass
[document].source{text}.type            pass
[document].source{text}.media_type      pass
[document].source{text}.data            veil
[document].source{content}.type         pass
[document].source{content}.content      veil
[document].source{content}.content[text].type pass
[document].source{content}.content[text].text veil
[document].source                       media
[search_result].type                    pass
[search_result].source                  veil
[search_result].title                   veil
[search_result].content[text].type      pass
[search_result].content[text].text      veil
[search_result].citations               pass
[search_result].citations.enabled       pass
[search_result].cache_control           pass
[search_result].cache_control.*         pass
[tool_reference].type                   pass
[tool_reference].tool_name              pass
";

pub(super) fn lines() -> String {
    let mut lines = REQUEST.to_owned();
    for place in ["messages[].content[tool_result|mcp_tool_result].content", "messages[].content"] {
        for line in BLOCKS.lines().filter(|line| !line.is_empty()) {
            lines += &format!("{place}{line}\n");
        }
    }
    lines
}
