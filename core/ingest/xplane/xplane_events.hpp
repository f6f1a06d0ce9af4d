#pragma once
// Events of an XPlane file on their way to ranks: each device with work is one. Threads of the host belong to the
// first, but for calls that put work on another device, and for marks of steps, which all ranks get.

#include "core/ingest/nsys/rank_stage.hpp"
#include "core/ingest/xplane/xplane_facts.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

struct XPlaneRank {
    std::int64_t device = 0;
    std::int64_t memory_bytes = 0, multiprocessors = 0;
    RankStage stage{};
};

class XPlaneEvents {
public:
    // `file_bytes`: bounds the texts of arguments, which many events may share.
    XPlaneEvents(const XSpaceFacts& facts, std::uint64_t file_bytes);

    // The planes of devices, or those of hosts, of the whole file. False: cancelled.
    bool read(WireStream& stream, bool hosts, const JobContext& context);
    void finish();  // names of processes and threads
    std::vector<std::unique_ptr<XPlaneRank>> release_ranks() { return std::move(ranks_); }
    std::uint64_t events() const { return events_; }

private:
    struct Event {
        std::int64_t name = 0;
        std::int64_t start_ns = 0, duration_ns = 0;
        bool is_total = false;  // of many events, so it has no place
        std::string_view message{};
    };

    bool read_plane(WireStream& stream, const XPlaneFacts& plane, std::uint64_t end, const JobContext& context);
    void read_line(WireStream& stream, const XPlaneFacts& plane, const XLineFacts& line, std::uint64_t end);
    Event parse_event(std::string_view message, const XLineFacts& line, XPlaneRank& rank);
    void add_device_event(const XPlaneFacts& plane, const XLineFacts& line, const Event& event, XPlaneRank& rank);
    void add_host_event(const XPlaneFacts& plane, const XLineFacts& line, const Event& event);
    void add_stats(const XPlaneFacts& plane, const Event& event);
    void add_stat(const XPlaneFacts& plane, const XStat& stat);
    void add_kernel_details(std::string_view text);
    void add_bytes(std::string_view details);
    std::string_view name_of(const XPlaneFacts& plane, std::int64_t id) const;
    void name_line(XPlaneRank& rank, const XPlaneFacts& plane, const XLineFacts& line);
    XPlaneRank* rank_of(const XPlaneFacts& plane) const;

    const XSpaceFacts& facts_;
    std::vector<std::unique_ptr<XPlaneRank>> ranks_;
    std::unordered_map<const XPlaneFacts*, XPlaneRank*> rank_of_plane_;
    std::unordered_map<std::int64_t, XPlaneRank*> rank_of_call_;  // by correlation; of all but the first rank
    std::set<std::pair<const XPlaneRank*, std::uint64_t>> named_;  // lines whose names a rank has
    std::uint64_t text_left_ = 0, copies_left_ = 0;
    std::uint64_t events_ = 0;

    StagedRow row_;
    RowArguments arguments_;
    std::optional<std::int64_t> correlation_, step_;
    std::string hlo_op_;
    std::string message_, scratch_, name_, pid_, tid_;
};

}  // namespace core
