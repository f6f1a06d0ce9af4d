#pragma once
// Parses scripts: an array of steps, one verb each. Checks them without a window; script.hpp runs
// the verbs. Errors begin with the step: "step 3: no verb in …".

#include "core/base/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct ScriptVerb {
    std::string_view name;
    std::array<std::string_view, 4> details;  // keys a step may have besides the verb; unused ones are empty
};

inline constexpr ScriptVerb kScriptVerbs[] = {
    {"open", {"as"}},
    {"drop", {}},
    {"wait", {"seconds"}},
    {"click", {"with"}},
    {"double_click", {"with"}},
    {"right_click", {"with"}},
    {"hover", {}},
    {"drag", {"to", "with", "button", "steps"}},
    {"scroll", {"by", "sideways", "with"}},
    {"key", {"frames"}},
    {"type", {}},
    {"panel", {}},
    {"resize", {}},
    {"expect", {}},
    {"shot", {}},
    {"compare", {"tolerance", "share"}},
    {"state", {"items"}},
};

core::Result<nlohmann::json> parse_script(std::string_view text);
core::Result<nlohmann::json> read_script(const std::filesystem::path&);  // "-": standard input
core::Result<bool> check_script(const nlohmann::json& steps);
// Finds the verb of a step; refuses keys that the verb does not know.
core::Result<const ScriptVerb*> read_verb(const nlohmann::json& step);
std::vector<std::string> collect_verbs();

}  // namespace ui
