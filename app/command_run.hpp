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

// In two parts, in this process alone: on recorded clocks, with nothing matched; and on the clocks that are asked for.
core::Result<core::RunPtr> open_run_here(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                         std::stop_token stop, std::shared_ptr<core::InternedNames> names = nullptr);
core::RunPtr on_chosen_clocks(const core::RunPtr& run, const Loading& loading);

// Other processes that work on this one's command: lockstep-mpi has them.
class Helpers {
public:
    virtual ~Helpers() = default;
    virtual core::Team& team() = 0;
    // What `open` gives here, on the clocks that are asked for, once every process has the same run open.
    virtual core::Result<core::RunPtr> open_everywhere(std::span<const std::string> paths, const Loading& loading,
                                                       bool quiet, const std::stop_token& stop,
                                                       const std::function<core::Result<core::RunPtr>()>& open) = 0;
};
Helpers* helpers();  // null: there are none
void set_helpers(Helpers*);  // before a command begins

// A run that the numbers of a JSON document come from, with what the trace doctor says of it.
struct OriginRun {
    const core::Run* run = nullptr;
    std::string_view side = {};  // of a comparison
};
// Without sources unless the format is JSON: examining a run takes as long as `lockstep info`.
core::Result<core::JsonOrigin> describe_origin(const Output&, unsigned threads, std::initializer_list<OriginRun>,
                                               const std::stop_token&);

// Target of a command's results; never one of its input files.
Target target_of(const Output&, std::span<const std::string> paths);

// Whether files, folders or ends of files could not be read.
bool is_incomplete(const core::Run&);
// Fails when a file of a run was cut or changed since it was opened: results are of zeros. After the work, before
// output.
core::Result<bool> check_present(std::initializer_list<const core::RunPtr*> runs);
// The exit status of a command that wrote its results: kIncomplete, and a line that says so, instead of kDone.
int status_of(int written, std::initializer_list<const core::Run*> runs);

// "reading: 40 % of 1.0 GB, …" for a progress line. Empty while ssh may ask for a password on the same terminal.
std::string describe_progress(const core::LoadProgress& progress, std::span<const std::string> paths = {});

}  // namespace app
