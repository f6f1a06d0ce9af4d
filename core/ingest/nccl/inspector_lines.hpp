#pragma once
// JSON lines of NCCL's inspector plugin: one collective or message per line, with its bandwidth. With times (verbose)
// each is an event, on a track per communicator, and its work on each channel another. Ranks are those in the
// communicator. Source: plugins/profiler/inspector of NCCL 2.28, format v4.0.

#include "core/ingest/nccl/nccl_lines.hpp"

namespace core {

class JsonMembers;

bool begins_nccl_inspector(std::string_view head);

class InspectorLines final : public NcclLines {
public:
    std::string_view trace_name() const override { return kNcclInspector; }
    void add(std::string_view line, std::uint64_t number, bool whole) override;
    void finish() override;  // counts the records between those that are here
    std::string_view nothing_found() const override;

private:
    using Numbers = std::vector<std::int64_t>;
    void report_gaps(std::uint64_t communicator, std::string_view operation, Numbers& numbers);

    void add_events(NcclMember& member, const NcclCommunicator& communicator, const NcclCalls& call,
                    const JsonMembers& measured, const JsonMembers& times, std::string_view prefix, std::uint64_t line);

    RowArguments arguments_;
    // Sequence numbers by member, communicator and operation, in the order of lines.
    std::map<std::pair<const NcclMember*, std::uint64_t>, std::map<std::string, Numbers>> numbers_;
    std::map<std::pair<const NcclMember*, std::uint64_t>, std::string> tracks_;  // of communicators with events
};

}  // namespace core
