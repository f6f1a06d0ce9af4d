#include "core/ingest/load/local_pages.hpp"

#include "core/index/summary_rank.hpp"
#include "core/ingest/index_file/index_file.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/load/discover.hpp"

#include <algorithm>
#include <mutex>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostIndexFiles = 1U << 20;

class LocalPages final : public RankPages {
public:
    explicit LocalPages(fs::path folder) : folder_(std::move(folder)) {}

    Result<fs::path> fetch(const RankSlot& rank, const JobContext& job) const override {
        const fs::path& trace = rank.trace().info.summarised;
        if (trace.empty()) return Error{ErrorCode::NotFound, "its trace has no name"};
        {
            const std::lock_guard lock(mutex_);
            for (const bool again : {false, true}) {
                if (!looked_ || again) look(job);
                if (job.cancelled()) return cancelled_error();
                const std::optional<std::size_t> found = find_index_file(trace, files_);
                std::error_code unknown;
                if (!found) break;
                if (fs::is_regular_file(files_[*found], unknown)) return files_[*found];
            }
        }
        for (const fs::path& place : {index_beside(trace), index_in_cache(trace)}) {
            std::error_code unknown;
            if (!place.empty() && fs::is_regular_file(place, unknown)) return place;
        }
        return Error{ErrorCode::NotFound, index_beside(trace.filename()).string() + " is not below " +
                                              folder_.string() +
                                              ", or there are several: copy the index files to where the summary is"};
    }
    std::string describe() const override { return "index files beside the summary"; }

private:
    void look(const JobContext& job) const {
        looked_ = false;
        files_.clear();
        std::error_code error;
        fs::recursive_directory_iterator it(folder_, fs::directory_options::skip_permission_denied, error);
        for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
            if (job.checkpoint() || files_.size() == kMostIndexFiles) return;
            if (it.depth() > kDeepestFolder) it.disable_recursion_pending();
            std::error_code unknown;
            if (is_index_file(it->path().filename().string()) && it->is_regular_file(unknown))
                files_.push_back(it->path());
        }
        std::ranges::sort(files_);
        looked_ = true;
    }

    fs::path folder_;
    mutable std::mutex mutex_;
    mutable bool looked_ = false;
    mutable std::vector<fs::path> files_;  // by name
};

Error is_another(std::string_view what) {
    return bad_input("its index file is not of the trace that the summary was made of: " + std::string(what) +
                     "; write the summary again with `lockstep index`");
}

// Empty: the whole trace is that of the thin one.
std::string_view find_difference(const RankIndex& thin, const RankIndex& whole) {
    const RankTrace& a = thin.trace();
    const RankTrace& b = whole.trace();
    const auto same_member = [](const MemberEvent& one, const MemberEvent& other) {
        return one.start == other.start && one.duration == other.duration && one.operation == other.operation &&
               one.group == other.group;
    };
    if (count_events(a) != b.size() || !(a.info.records == b.info.records)) return "another number of records";
    if (a.info.file_bytes != b.info.file_bytes || a.info.json_bytes != b.info.json_bytes) return "another size";
    if (a.window != b.window) return "other times";
    if (a.lanes.size() != b.lanes.size() || a.steps.size() != b.steps.size()) return "other streams or steps";
    if (!std::ranges::equal(thin.members().events(), whole.members().events(), same_member)) return "other collectives";
    return {};
}

}  // namespace

std::shared_ptr<const RankPages> pages_beside(const fs::path& summary) {
    std::error_code ignored;
    return std::make_shared<LocalPages>(fs::absolute(summary, ignored).parent_path());
}

Result<WholeRank> open_whole_rank(const RankSlot& thin, const RankPages& pages, const ClassRules& rules,
                                  const JobContext& job) {
    const Result<fs::path> file = pages.fetch(thin, job);
    if (!file) return file.error();
    Result<OpenedIndex> opened = open_index_file(*file, thin.trace().info.summarised, std::nullopt, rules, job);
    if (!opened) return std::move(opened).error();
    if (const std::string_view difference = find_difference(*thin.index, *opened->index); !difference.empty())
        return is_another(difference);
    std::error_code unknown;
    const std::uintmax_t bytes = fs::file_size(*file, unknown);
    return WholeRank{.index = std::move(opened->index), .bytes = unknown ? 0 : static_cast<std::uint64_t>(bytes)};
}

}  // namespace core
