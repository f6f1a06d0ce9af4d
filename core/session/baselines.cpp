#include "core/session/baselines.hpp"

#include "core/base/small_file.hpp"
#include "core/session/recent_runs.hpp"

#include <algorithm>

namespace core {

namespace {
constexpr std::size_t kLongestName = 64;
}

std::filesystem::path baselines_file() { return state_file("baselines.txt"); }

bool is_baseline_name(const std::string& name) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_allowed);
}

Result<Baselines> read_baselines() {
    Baselines baselines;
    const std::filesystem::path file = baselines_file();
    if (file.empty()) return bad_input("there is no home folder to keep baselines in: set XDG_STATE_HOME");
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return baselines;
    const Result<std::string> text = read_small_file(file, kMostSmallFileBytes);
    if (!text) return text.error();
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text->size();) {
        const std::size_t end = std::min(text->find('\n', begin), text->size());
        const std::string line = text->substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (line.empty() || line[0] == '#') continue;
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos || !is_baseline_name(line.substr(0, tab)))
            return bad_input(file.string() + ": line " + std::to_string(number) + ": expected NAME, a tab and a path");
        baselines[line.substr(0, tab)] = line.substr(tab + 1);
    }
    return baselines;
}

}  // namespace core
