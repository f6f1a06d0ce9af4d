#include "app/console.hpp"
#include "app/options.hpp"
#include "app/resolve_baseline.hpp"
#include "core/base/nearest.hpp"
#include "core/base/path_text.hpp"
#include "core/base/small_file.hpp"
#include "core/session/baselines.hpp"

#include <algorithm>
#include <filesystem>

namespace app {
namespace {

using core::Baselines, core::baselines_file, core::is_baseline_name, core::read_baselines;

int write_baselines(const Baselines& baselines) {
    std::string text = "# Baselines of lockstep diff @NAME: name, tab, path\n";
    for (const auto& [name, path] : baselines) text.append(name).append("\t").append(path).append("\n");
    const std::filesystem::path file = baselines_file();
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    const core::Result<std::uint64_t> written = core::write_whole_file(file, text);
    return written ? kDone : report_failure(written.error());
}

int tag(const std::string& name, const std::string& run) {
    if (!is_baseline_name(name))
        return refuse_usage("baseline", "'" + name + "' is not a name: letters, digits, '-', '_' and '.', at most 64");
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(run, error);
    if (error) return report_failure({core::ErrorCode::NotFound, run + ": " + error.message()});
    core::Result<Baselines> baselines = read_baselines();
    if (!baselines) return report_failure(baselines.error());
    (*baselines)[name] = core::path_to_text(path);
    return write_baselines(*baselines);
}

int remove(const std::string& name) {
    core::Result<Baselines> baselines = read_baselines();
    if (!baselines) return report_failure(baselines.error());
    if (baselines->erase(name) == 0)
        return report_failure({core::ErrorCode::NotFound, "there is no baseline '" + name + "'"});
    return write_baselines(*baselines);
}

int list() {
    const core::Result<Baselines> baselines = read_baselines();
    if (!baselines) return report_failure(baselines.error());
    std::string text;
    for (const auto& [name, path] : *baselines) text.append(name).append("  ").append(path).append("\n");
    return print_text(text);
}

}  // namespace

core::Result<std::string> resolve_baseline(const std::string& word) {
    std::error_code ignored;
    if (!word.starts_with('@') || std::filesystem::exists(word, ignored)) return word;
    const core::Result<Baselines> baselines = read_baselines();
    if (!baselines) return baselines.error();
    const std::string name = word.substr(1);
    const auto it = baselines->find(name);
    if (it == baselines->end()) {
        std::vector<std::string_view> names;
        for (const auto& [known, path] : *baselines) names.push_back(known);
        return core::Error{core::ErrorCode::NotFound, "there is no baseline '" + name + "'" +
                                                          core::nearest_hint(name, names) +
                                                          "; create it with lockstep baseline tag NAME RUN"};
    }
    const std::optional<std::filesystem::path> path = core::path_from_text(it->second);
    if (!path) return core::bad_input("the baseline '" + name + "' has no valid path");
    return path->string();
}

int run_baseline(Arguments args) {
    const core::Result<Options> options = parse_options({}, args);
    if (!options) return refuse_usage("baseline", options.error().message);
    if (options->has("--help")) return print_text(format_help(*find_command("baseline"), {}));
    const std::vector<std::string>& words = options->words();
    if (words.size() == 3 && words[0] == "tag") return tag(words[1], words[2]);
    if (words.size() == 2 && words[0] == "remove") return remove(words[1]);
    if (words.size() == 1 && words[0] == "list") return list();
    return refuse_usage("baseline", "needs tag NAME RUN, remove NAME or list");
}

}  // namespace app
