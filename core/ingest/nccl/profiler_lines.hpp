#pragma once
// Traces of NCCL's profiler plugins, record by record. Two dialects: the Chrome list of NCCL's example plugin
// (asynchronous begins and ends, bare words as values, "{}]" at the end), and JSON lines of complete records with start
// and stop. Times are microseconds of the plugin's own clock. Source: plugins/profiler/example of NCCL 2.23 to 2.30.

#include "core/ingest/nccl/nccl_lines.hpp"

namespace core {

class JsonMembers;

bool begins_nccl_profiler(std::string_view head);

class ProfilerLines final : public NcclLines {
public:
    std::string_view trace_name() const override { return kNcclProfiler; }
    void add(std::string_view line, std::uint64_t number, bool whole) override;
    void finish() override;
    std::string_view nothing_found() const override;

private:
    struct State {  // a moment of a record that has not come yet
        std::string address, name;
        std::int64_t time_ns = 0;
        std::string process, thread;
    };

    void add_record(std::string_view object, std::uint64_t line);
    void add_async(const JsonMembers& record, std::uint64_t line);
    void add_complete(const JsonMembers& record, std::uint64_t line);
    void add_kernel(const JsonMembers& record, std::uint64_t line);
    void add_state(const JsonMembers& record, std::uint64_t line);
    void put_state(NcclMember& member, const State& state);
    NcclMember* owner_of(const JsonMembers& stated, std::int64_t process, std::string_view key_of_id,
                         std::string_view key_of_rank);
    void count_collective(NcclMember& member, const JsonMembers& details, std::string_view operation,
                          std::string_view key_of_id, std::uint64_t id);
    void copy_arguments(const JsonMembers& from);
    void title(NcclMember& member, const std::string& process);

    RowArguments arguments_;
    std::map<std::int64_t, NcclMember*> first_of_process_;
    std::map<std::string, NcclMember*> by_address_;
    std::map<std::int64_t, NcclMember*> by_launch_;
    std::vector<State> waiting_;
    std::map<const NcclMember*, bool> titled_;
};

}  // namespace core
