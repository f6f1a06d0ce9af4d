#include "core/analysis/whatif/what_if_choice.hpp"

#include "core/analysis/whatif/whatif_analyses.hpp"
#include "core/base/path_text.hpp"
#include "core/query/filter_text.hpp"

#include <sstream>

namespace core {
namespace {

std::string shell_word(std::string_view text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

}  // namespace

Params standard_what_if() {
    Params params;
    for (const Param& param : kWhatIf.params) params.push_back(param.standard);
    return params;
}

Params what_if_or_standard(const Params& params) {
    return params.size() == kWhatIf.params.size() ? params : standard_what_if();
}

std::vector<std::pair<std::string, std::string>> collect_changed_what_if(const Params& params) {
    std::vector<std::pair<std::string, std::string>> changed;
    std::istringstream words(format_params(kWhatIf, params));  // "name=value name=value": neither has blanks
    std::string word;
    for (std::size_t i = 0; words >> word && i < params.size(); ++i)
        if (params[i] != kWhatIf.params[i].standard) {
            const std::size_t at = word.find('=');
            changed.emplace_back(word.substr(0, at), word.substr(at + 1));
        }
    return changed;
}

Params make_what_if(std::span<const std::pair<std::string, std::string>> given) {
    const Result<Params> params = make_params(kWhatIf, given);
    return given.empty() || !params ? Params{} : *params;
}

std::string format_what_if_command(std::span<const std::filesystem::path> run, const Filter& filter,
                                   const Params& params) {
    std::string text = "lockstep analyze what-if";
    for (const std::filesystem::path& path : run) text += " " + shell_word(path_to_text(path));
    if (!filter.empty()) text += " --filter " + shell_word(format_filter(filter));
    for (const auto& [name, value] : collect_changed_what_if(params)) text += " --param " + name + "=" + value;
    return text;
}

}  // namespace core
