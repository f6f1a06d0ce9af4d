#include "core/index/count_files.hpp"

#include <string_view>
#include <unordered_set>

namespace core {

std::size_t count_files(const Run& run) {
    std::unordered_set<std::string_view> paths;
    std::size_t unnamed = 0;
    for (const RankSlot& rank : run.ranks()) {
        const std::string_view path = rank.trace().info.path.native();
        if (path.empty())
            ++unnamed;
        else
            paths.insert(path);
    }
    return paths.size() + unnamed;
}

}  // namespace core
