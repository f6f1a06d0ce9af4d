#include "core/store/main_process.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>

namespace core {

std::string find_main_process(const RankTrace& trace) {
    const Process* found = nullptr;
    for (const Process& process : trace.processes) {
        if (process.device >= 0 || !std::ranges::all_of(trace.text(process.pid), is_digit)) continue;
        if (found == nullptr || process.track_count > found->track_count) found = &process;
    }
    return found == nullptr ? std::string() : std::string(trace.text(found->pid));
}

}  // namespace core
