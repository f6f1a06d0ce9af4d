#pragma once
// Opens a run for a command, with a progress line unless quiet. Errors name the file. With
// --strict, any loss while reading is an error.

#include "app/console.hpp"
#include "app/options.hpp"
#include "core/cluster/team.hpp"
#include "core/export/json.hpp"
#include "core/index/run.hpp"

#include <functional>
#include <initializer_list>
#include <span>
#include <string>

namespace app {

// Runs opened with the same `names` share ids for equal names; null: a private table.
core::Result<core::RunPtr> open_run(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                    std::stop_token stop, std::shared_ptr<core::InternedNames> names = nullptr);

// Opens both stages in this process alone: first on recorded clocks with nothing matched, then on the requested clocks.
core::Result<core::RunPtr> open_run_here(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                         std::stop_token stop, std::shared_ptr<core::InternedNames> names = nullptr);
core::RunPtr on_chosen_clocks(const core::RunPtr& run, const Loading& loading);

// Other processes that work on this process's command; set by lockstep-mpi.
class Helpers {
public:
    virtual ~Helpers() = default;
    virtual core::Team& team() = 0;
    // Returns the result of `open` here, on the requested clocks, once every process has the same run open.
    virtual core::Result<core::RunPtr> open_everywhere(std::span<const std::string> paths, const Loading& loading,
                                                       bool quiet, const std::stop_token& stop,
                                                       const std::function<core::Result<core::RunPtr>()>& open) = 0;
};
Helpers* helpers();  // null: there are none
void set_helpers(Helpers*);  // before a command begins

// A run that a JSON document is computed from, and the trace doctor's report of it.
struct OriginRun {
    const core::Run* run = nullptr;
    std::string_view side = {};  // of a comparison
};
// Without sources unless the format is JSON: examining a run takes as long as `lockstep info`.
core::Result<core::JsonOrigin> describe_origin(const Output&, unsigned threads, std::initializer_list<OriginRun>,
                                               const std::stop_token&);

// Target of a command's results; refuses the command's input files.
Target target_of(const Output&, std::span<const std::string> paths);

// True if files, folders or ends of files could not be read.
bool is_incomplete(const core::Run&);
// Fails if a file of a run was cut or changed since it was opened, because its events then read as zeros. Call it after
// the work, before the output.
core::Result<bool> check_present(std::initializer_list<const core::RunPtr*> runs);
// Exit status of a command that wrote its results: kIncomplete, with a line that says so, if the run is; else kDone.
int status_of(int written, std::initializer_list<const core::Run*> runs);

// "reading: 40 % of 1.0 GB, …" for a progress line. Empty while ssh may ask for a password on the same terminal.
std::string describe_progress(const core::LoadProgress& progress, std::span<const std::string> paths = {});

}  // namespace app
