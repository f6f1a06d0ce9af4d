#include "core/ingest/source/ranks_reader.hpp"

#include "core/base/format.hpp"

#include <algorithm>

namespace core {

RanksReader::RanksReader(std::filesystem::path path, LoadProgress& progress)
    : path_(std::move(path)), progress_(progress) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path_, unknown);
    file_bytes_ = unknown ? 0 : static_cast<std::uint64_t>(bytes);
}

void RanksReader::work(const JobContext& context) {
    const std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock || done_) return;
    done_ = true;
    try {
        if (Result<bool> read = read_all(context); !read) failure_ = std::move(read).error();
        progress_.bytes_done += file_bytes_ - reported_;
    } catch (const std::exception& exception) {
        failure_ = reader_error(exception);
    }
}

void RanksReader::report(std::uint64_t more_bytes, std::uint64_t events) {
    const std::uint64_t step = std::min(more_bytes, file_bytes_ - reported_);
    progress_.bytes_done += step;
    reported_ += step;
    progress_.events += events - std::min(events, events_);
    events_ = std::max(events, events_);
}

Result<bool> RanksReader::keep(Diagnostics diagnostics, bool is_empty) {
    diagnostics_ = std::move(diagnostics);
    if (!is_empty) return true;
    for (const Diagnostic& entry : diagnostics_.entries())
        if (entry.kind->id == "file-truncated")
            return bad_input("no event could be read: " + entry.first + ": copy the file again, or export it again");
    return true;
}

Result<std::vector<RankTracePtr>> RanksReader::finish_ranks(const JobContext& context) {
    const std::lock_guard lock(reading_);
    if (context.checkpoint()) return cancelled_error();
    if (failure_) return *failure_;
    std::vector<Rank> ranks = describe_ranks();
    if (ranks.size() > 1)
        diagnostics_.add("ranks-in-one-file", format_plural(ranks.size(), "rank", "ranks") + ", told apart by process");
    std::vector<RankTracePtr> traces;
    for (Rank& rank : ranks) {
        const std::uint64_t share = file_bytes_ / ranks.size();
        rank.info.path = path_;
        rank.info.file_bytes = rank.info.json_bytes = traces.empty() ? file_bytes_ - share * (ranks.size() - 1) : share;
        Diagnostics diagnostics;
        if (traces.empty()) diagnostics = std::move(diagnostics_);
        rank.builder->mark_steps(step_marks_);
        Result<RankTracePtr> trace =
            std::move(*rank.builder).finish(std::move(rank.info), std::move(diagnostics), context);
        if (!trace) return std::move(trace).error();
        traces.push_back(std::move(*trace));
    }
    return traces;
}

}  // namespace core
