#pragma once
// Recently opened runs and pairs of runs, newest first, kept in one small JSON file (a list of path lists, and of
// objects {"baseline", "candidate"}). A file that cannot be read or written is ignored. Not thread-safe.

#include "core/diff/align/side.hpp"

#include <filesystem>
#include <vector>

namespace core {

class RecentRuns {
public:
    using Paths = std::vector<std::filesystem::path>;

    RecentRuns() = default;                             // kept in memory only
    explicit RecentRuns(std::filesystem::path file);
    const std::vector<Paths>& runs() const { return runs_; }
    void add(const Paths& paths);                       // stored as absolute paths; writes the file
    const std::vector<BySide<Paths>>& pairs() const { return pairs_; }
    void add_pair(const BySide<Paths>& paths);
    static constexpr std::size_t kMost = 12;  // of each

private:
    void write() const;
    std::filesystem::path file_;
    std::vector<Paths> runs_;
    std::vector<BySide<Paths>> pairs_;
};

// $XDG_STATE_HOME/lockstep/NAME, or ~/.local/state/lockstep/NAME; empty without a home folder.
std::filesystem::path state_file(const std::filesystem::path& name);

}  // namespace core
