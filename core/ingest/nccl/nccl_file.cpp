#include "core/ingest/nccl/nccl_file.hpp"

#include "core/base/format.hpp"
#include "core/ingest/megatron/megatron_log.hpp"
#include "core/ingest/nccl/inspector_lines.hpp"
#include "core/ingest/nccl/nccl_log.hpp"
#include "core/ingest/nccl/profiler_lines.hpp"
#include "core/ingest/source/line_reader.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

namespace core {
namespace {

class NcclFile final : public TraceReader {
public:
    NcclFile(std::filesystem::path path, std::unique_ptr<ByteSource> source, std::unique_ptr<NcclLines> lines,
             LoadProgress& progress)
        : path_(std::move(path)), source_(std::move(source)), lines_(std::move(lines)), progress_(progress) {}

    void work(const JobContext& context) override {
        const std::unique_lock lock(reading_, std::try_to_lock);
        if (!lock || done_) return;
        done_ = true;
        try {
            read_all(context);
        } catch (const std::exception& exception) {
            failure_ = reader_error(exception);
        }
    }

    Result<RankTracePtr> finish(const JobContext& context) override { return only_rank(finish_ranks(context)); }

    Result<std::vector<RankTracePtr>> finish_ranks(const JobContext& context) override {
        const std::lock_guard lock(reading_);
        if (context.checkpoint()) return cancelled_error();
        if (failure_) return *failure_;
        std::vector<std::unique_ptr<NcclMember>>& members = lines_->members();
        if (members.empty())
            return Error{ErrorCode::NotFound, "not a trace: this is " + std::string(lines_->nothing_found())};
        identify();
        const auto rank_of = [&](const auto& member) { return numbers_ ? stated_rank(*member) : 0; };
        std::ranges::stable_sort(members, {}, rank_of);
        if (members.size() > 1)
            lines_->diagnostics().add("ranks-in-one-file",
                                      format_plural(members.size(), "rank", "ranks") + ", told apart by process");
        std::vector<RankTracePtr> traces;
        for (const std::unique_ptr<NcclMember>& member : members) {
            RankInfo info = describe(*member, traces.size());
            Diagnostics diagnostics;
            if (traces.empty()) {
                diagnostics = std::move(lines_->diagnostics());
                EventBatch rest;
                rest.records.total = rest.records.dropped = lines_->dropped();
                member->stage.builder().append(std::move(rest));
                member->stage.builder().append(training_.release_counts());
                info.training = training_.release_log();
            }
            Result<RankTracePtr> trace =
                std::move(member->stage.builder()).finish(std::move(info), std::move(diagnostics), context);
            if (!trace) return std::move(trace).error();
            traces.push_back(std::move(*trace));
        }
        return traces;
    }

private:
    void read_all(const JobContext& context) {
        LineReader reader(*source_);
        std::uint64_t reported = 0;
        constexpr std::uint64_t kLinesBetweenChecks = 4'096;
        for (std::string_view line;;) {
            const Result<bool> more = reader.next(line);
            if (!more) {
                if (reader.number() == 0) failure_ = more.error();
                lines_->diagnostics().add("file-truncated", more.error().message);
                break;
            }
            if (!*more) break;
            const bool whole = !reader.is_cut() && !reader.is_last_open();
            lines_->add(line, reader.number(), whole);
            training_.add(line, reader.number(), whole);  // a job's output has both
            if (reader.number() % kLinesBetweenChecks != 0) continue;
            if (context.checkpoint()) {
                failure_ = cancelled_error();
                return;
            }
            progress_.bytes_done += source_->consumed() - reported;
            reported = source_->consumed();
        }
        lines_->finish();
        for (const std::unique_ptr<NcclMember>& member : lines_->members()) {
            member->stage.flush();
            progress_.events += member->stage.records();
        }
        progress_.bytes_done += source_->consumed() - reported;
    }

    static std::int32_t stated_rank(const NcclMember& member) {
        const NcclCommunicator* const largest = largest_communicator(member.facts);
        return largest != nullptr ? largest->rank : -1;
    }

    // The number of each process, where it says one process each.
    void identify() {
        std::set<std::int32_t> ranks;
        numbers_ = std::ranges::all_of(lines_->members(), [&](const auto& member) {
            const std::int32_t rank = stated_rank(*member);
            return rank >= 0 && ranks.insert(rank).second;
        });
    }

    RankInfo describe(const NcclMember& member, std::size_t at) const {
        RankInfo info;
        info.path = path_;
        info.trace_name = lines_->trace_name();
        if (numbers_) info.rank = stated_rank(member);
        info.host = member.host;
        info.nccl = member.facts;
        info.metadata_json = "{\"traceName\": ";
        append_json_string(info.metadata_json, info.trace_name);
        if (!member.facts.version.empty()) {
            std::string& version = info.environment["nccl_version"];
            append_json_string(version, member.facts.version);
            info.metadata_json += ", \"nccl_version\": " + version;
        }
        info.metadata_json += "}";
        const std::uint64_t bytes = source_->consumed();
        const std::uint64_t share = bytes / lines_->members().size();
        info.file_bytes = info.json_bytes = at == 0 ? bytes - share * (lines_->members().size() - 1) : share;
        return info;
    }

    std::filesystem::path path_;
    std::unique_ptr<ByteSource> source_;
    std::unique_ptr<NcclLines> lines_;
    MegatronLines training_;
    LoadProgress& progress_;
    std::mutex reading_;
    bool done_ = false;
    bool numbers_ = false;
    std::optional<Error> failure_;
};

Result<std::unique_ptr<TraceReader>> open_lines(const std::filesystem::path& path, std::unique_ptr<NcclLines> lines,
                                                LoadProgress& progress) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    return std::unique_ptr<TraceReader>(
        std::make_unique<NcclFile>(path, std::move(*source), std::move(lines), progress));
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_nccl_log(const std::filesystem::path& path, LoadProgress& progress) {
    return open_lines(path, std::make_unique<NcclLog>(), progress);
}

Result<std::unique_ptr<TraceReader>> open_nccl_inspector(const std::filesystem::path& path, LoadProgress& progress) {
    return open_lines(path, std::make_unique<InspectorLines>(), progress);
}

Result<std::unique_ptr<TraceReader>> open_nccl_profiler(const std::filesystem::path& path, LoadProgress& progress) {
    return open_lines(path, std::make_unique<ProfilerLines>(), progress);
}

}  // namespace core
