#include "ui/driver/read_script.hpp"

#include "core/base/small_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

using nlohmann::json;

constexpr core::JsonLimits kScriptLimits{.comments = true, .standard_input = core::StandardInput::Allow};

const ScriptVerb* find_verb(std::string_view name) {
    const auto found = std::ranges::find(kScriptVerbs, name, &ScriptVerb::name);
    return found == std::end(kScriptVerbs) ? nullptr : found;
}

std::string list_verbs() {
    std::string text;
    for (const ScriptVerb& verb : kScriptVerbs) text += (text.empty() ? "" : ", ") + std::string(verb.name);
    return text;
}

std::string list_details(const ScriptVerb& verb) {
    std::string text;
    for (const std::string_view detail : verb.details)
        if (!detail.empty()) text.append(" ").append(detail);
    return text.empty() ? " none" : text;
}

}  // namespace

core::Result<const ScriptVerb*> read_verb(const json& step) {
    if (!step.is_object() || step.empty()) return core::bad_input("a step is an object with one verb: " + list_verbs());
    const ScriptVerb* verb = nullptr;
    for (const auto& [key, value] : step.items()) {
        const ScriptVerb* found = find_verb(key);
        if (found && verb) return core::bad_input("two verbs, " + std::string(verb->name) + " and " + key);
        if (found) verb = found;
    }
    if (!verb) return core::bad_input("no verb in " + step.dump() + "; known are " + list_verbs());
    for (const auto& [key, value] : step.items()) {
        if (key == verb->name || std::ranges::find(verb->details, key) != verb->details.end()) continue;
        return core::bad_input("'" + key + "' is not an option of " + std::string(verb->name) + "; known are" +
                               list_details(*verb));
    }
    return verb;
}

std::vector<std::string> collect_verbs() {
    std::vector<std::string> names;
    for (const ScriptVerb& verb : kScriptVerbs) names.emplace_back(verb.name);
    return names;
}

core::Result<json> parse_script(std::string_view text) {
    core::Result<json> steps = core::parse_small_json(text, kScriptLimits);
    if (!steps) return steps;
    if (core::Result<bool> checked = check_script(*steps); !checked) return std::move(checked).error();
    return steps;
}

core::Result<json> read_script(const std::filesystem::path& path) {
    core::Result<json> steps = core::read_small_json(path, kScriptLimits);
    if (!steps) return steps;
    if (core::Result<bool> checked = check_script(*steps); !checked)
        return std::move(checked).error().within(path.string());
    return steps;
}

core::Result<bool> check_script(const json& steps) {
    if (!steps.is_array()) return core::bad_input("a script is an array of steps");
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (core::Result<const ScriptVerb*> verb = read_verb(steps[i]); !verb)
            return std::move(verb).error().within("step " + std::to_string(i + 1));
    return true;
}

}  // namespace ui
