#pragma once
// What was opened before, newest first, kept in one small file (a JSON list of path lists). A file that cannot be
// read is as good as none; one that cannot be written is not worth a word. One thread.

#include <filesystem>
#include <vector>

namespace core {

class RecentRuns {
public:
    using Paths = std::vector<std::filesystem::path>;

    RecentRuns() = default;                             // remembers for the life of this object only
    explicit RecentRuns(std::filesystem::path file);
    const std::vector<Paths>& runs() const { return runs_; }
    void add(const Paths& paths);                       // absolute from now on; writes the file
    static constexpr std::size_t kMost = 12;

private:
    void write() const;
    std::filesystem::path file_;
    std::vector<Paths> runs_;
};

// $XDG_STATE_HOME/lockstep/NAME, or ~/.local/state/lockstep/NAME; empty if there is no home.
std::filesystem::path state_file(const std::filesystem::path& name);

}  // namespace core
