#include "core/ingest/xplane/xplane_file.hpp"

#include "core/ingest/source/ranks_reader.hpp"
#include "core/ingest/xplane/xplane_events.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace core {
namespace {

constexpr std::uint64_t kPasses = 3;  // facts, devices, hosts
// Times that count from the start of the recording are shorter than this.
constexpr std::int64_t kLongestRecording = 100'000'000'000'000'000;

class XPlaneFile final : public RanksReader {
public:
    XPlaneFile(std::filesystem::path path, OpenBytes open, LoadProgress& progress)
        : RanksReader(std::move(path), progress), open_(std::move(open)) {}

private:
    Result<bool> read_all(const JobContext& context) override {
        Diagnostics diagnostics;
        Result<bool> read = pass([&](WireStream& stream) {
            facts_ = read_xspace_facts(stream, context);
            return !context.checkpoint();
        });
        if (!read) return read;
        if (!facts_.fault.empty()) diagnostics.add("file-truncated", facts_.fault);
        XPlaneEvents events(facts_, file_bytes());
        for (const bool hosts : {false, true}) {
            read = pass([&](WireStream& stream) { return events.read(stream, hosts, context); });
            if (!read) return read;
            report(0, events.events());
        }
        events.finish();
        ranks_ = events.release_ranks();
        const bool empty = std::ranges::all_of(ranks_, [](const auto& rank) { return rank->stage.records() == 0; });
        return keep(std::move(diagnostics), empty);
    }

    template <class Read>
    Result<bool> pass(const Read& read) {
        Result<std::unique_ptr<ByteSource>> source = open_();
        if (!source) return std::move(source).error();
        WireStream stream(**source);
        if (!read(stream)) return cancelled_error();
        report(file_bytes() / kPasses, 0);
        return true;
    }

    std::vector<Rank> describe_ranks() override {
        bool is_relative = true;
        for (const XPlaneFacts& plane : facts_.planes)
            for (const XLineFacts& line : plane.lines) is_relative &= line.start_ns < kLongestRecording;
        std::set<std::int64_t> devices;
        for (const std::unique_ptr<XPlaneRank>& rank : ranks_) devices.insert(rank->device);
        const bool are_numbered = devices.size() > 1 && devices.size() == ranks_.size() && *devices.begin() >= 0;
        std::vector<Rank> described;
        for (const std::unique_ptr<XPlaneRank>& rank : ranks_) {
            RankInfo info;
            info.trace_name = "XPlane";
            info.host = facts_.host;
            if (are_numbered) {
                info.rank = static_cast<int>(rank->device);
                rank->stage.note("device-ranks", "planes of " + std::to_string(ranks_.size()) + " devices");
                rank->stage.flush();
            }
            if (is_relative) info.base_time_ns = facts_.start_utc_ns;
            info.metadata_json = device_json(*rank);
            described.push_back({.builder = &rank->stage.builder(), .info = std::move(info)});
        }
        return described;
    }

    // As PyTorch's profiler writes it.
    static std::string device_json(const XPlaneRank& rank) {
        std::string json = "{\"traceName\": \"XPlane\", \"deviceProperties\": [";
        if (rank.device >= 0) {
            json += "{\"id\": " + std::to_string(rank.device);
            if (rank.memory_bytes > 0) json += ", \"totalGlobalMem\": " + std::to_string(rank.memory_bytes);
            if (rank.multiprocessors > 0) json += ", \"numSms\": " + std::to_string(rank.multiprocessors);
            json += "}";
        }
        return json + "]}";
    }

    OpenBytes open_;
    XSpaceFacts facts_;
    std::vector<std::unique_ptr<XPlaneRank>> ranks_;
};

}  // namespace

Result<std::unique_ptr<TraceReader>> open_xplane_file(const std::filesystem::path& path, LoadProgress& progress) {
    return read_xplane(
        path, [path] { return open_bytes(path); }, progress);
}

std::unique_ptr<TraceReader> read_xplane(std::filesystem::path path, OpenBytes open, LoadProgress& progress) {
    return std::make_unique<XPlaneFile>(std::move(path), std::move(open), progress);
}

}  // namespace core
