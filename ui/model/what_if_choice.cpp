#include "ui/model/what_if_choice.hpp"

#include "core/base/path_text.hpp"
#include "core/query/filter_text.hpp"

#include <sstream>

namespace ui {
namespace {

const core::Analysis& what_if() { return *core::find_analysis("what-if"); }

std::string shell_word(std::string_view text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

}  // namespace

core::Params standard_what_if() {
    core::Params params;
    for (const core::Param& param : what_if().params) params.push_back(param.standard);
    return params;
}

core::Params what_if_or_standard(const core::Params& params) {
    return params.size() == what_if().params.size() ? params : standard_what_if();
}

std::vector<std::pair<std::string, std::string>> collect_changed_what_if(const core::Params& params) {
    std::vector<std::pair<std::string, std::string>> changed;
    std::istringstream words(core::format_params(what_if(), params));  // "name=value name=value": neither has blanks
    std::string word;
    for (std::size_t i = 0; words >> word && i < params.size(); ++i)
        if (params[i] != what_if().params[i].standard) {
            const std::size_t at = word.find('=');
            changed.emplace_back(word.substr(0, at), word.substr(at + 1));
        }
    return changed;
}

core::Params make_what_if(std::span<const std::pair<std::string, std::string>> given) {
    const core::Result<core::Params> params = core::make_params(what_if(), given);
    return given.empty() || !params ? core::Params{} : *params;
}

std::string format_what_if_command(std::span<const std::filesystem::path> run, const core::Filter& filter,
                                   const core::Params& params) {
    std::string text = "lockstep analyze what-if";
    for (const std::filesystem::path& path : run) text += " " + shell_word(core::path_to_text(path));
    if (!filter.empty()) text += " --filter " + shell_word(core::format_filter(filter));
    for (const auto& [name, value] : collect_changed_what_if(params)) text += " --param " + name + "=" + value;
    return text;
}

}  // namespace ui
