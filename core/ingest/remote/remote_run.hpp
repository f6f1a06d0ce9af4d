#pragma once
// A run on another machine: its summary is copied to a private temporary folder, index files of its ranks follow when
// they are asked for. The folder goes with the last user of the pages; those that killed processes left are removed by
// a later one.

#include "core/base/jobs.hpp"
#include "core/index/rank_pages.hpp"
#include "core/ingest/remote/connection.hpp"
#include "core/ingest/remote/remote_path.hpp"
#include "core/ingest/source/load_progress.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace core {

struct RemoteOptions {
    // Index files kept in the temporary folder. More, and those that were asked for longest ago are removed, unless
    // that was less than `spare` ago; who has one mapped goes on reading it.
    std::uint64_t kept_bytes = std::uint64_t{2} << 30;
    std::chrono::milliseconds spare{30'000};
    std::filesystem::path parent{};  // of the folder; empty: the system's for temporary files
    // A new line, after one was lost: pages go on over it if the files there are the same. Not tried again for
    // `pause` after it failed. Empty: there is none.
    std::function<Result<std::unique_ptr<remote::Line>>()> line_again{};
    std::chrono::milliseconds pause{10'000};
};

struct RemoteRun {
    std::filesystem::path summary;  // the copy
    std::string name;
    std::shared_ptr<const RankPages> pages;  // has the folder
    std::shared_ptr<remote::Connection> connection;  // the first one
};

// Starts the server there by ssh (command_to_serve), and again where that is lost. Errors name the host and say what to
// do.
Result<RemoteRun> open_remote_run(const RemotePath&, LoadProgress&, const JobContext&, const RemoteOptions& = {});
// The same over a line that is there.
Result<RemoteRun> open_remote_run(const RemotePath&, std::unique_ptr<remote::Line>, LoadProgress&, const JobContext&,
                                  const RemoteOptions& = {});

}  // namespace core
