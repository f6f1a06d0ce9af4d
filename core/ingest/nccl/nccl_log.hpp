#pragma once
// Lines that NCCL prints with NCCL_DEBUG (INIT, COLL and TUNING), among whatever else the file holds: communicators,
// calls by size with algorithm and protocol, warnings. Lines have no time but for warnings, so nothing becomes an
// event. Source: src/debug.cc, src/init.cc and src/enqueue.cc of NCCL 2.18 to 2.30.

#include "core/ingest/nccl/nccl_lines.hpp"

#include <deque>

namespace core {

// Whether the text has a line of NCCL's log that says something of communicators, calls or warnings.
bool begins_nccl_log(std::string_view head);

class NcclLog final : public NcclLines {
public:
    std::string_view trace_name() const override { return kNcclLog; }
    void add(std::string_view line, std::uint64_t number, bool whole) override;
    std::string_view nothing_found() const override;

private:
    struct Prefix {
        std::string_view time, host, place;
        std::int64_t process = -1, thread = -1;
        std::int32_t device = -1;
    };
    struct Handle {  // a communicator by its address in a process
        NcclMember* member = nullptr;
        std::size_t communicator = 0;
    };
    using ProcessKey = std::pair<std::string, std::int64_t>;
    struct Thread {
        std::vector<std::pair<std::string, Handle>> calls;  // not yet tuned, by operation
        bool tuned = false;  // since the last call
        std::optional<Handle> started;  // whose start-up it is in
    };

    static std::optional<Prefix> parse_prefix(std::string_view before);
    ProcessKey process_of(const Prefix& prefix);
    NcclMember* member_on(const ProcessKey& process, std::int32_t device);
    NcclMember* any_member(const ProcessKey& process, std::int32_t device);
    Thread* thread_of(const ProcessKey& process, std::int64_t thread);
    void add_start(const Prefix& prefix, std::string_view text);
    void add_channels(const Prefix& prefix, std::string_view text);
    void add_call(const Prefix& prefix, std::string_view operation, std::string_view text);
    void add_tuning(const Prefix& prefix, std::string_view operation, std::string_view text);
    std::optional<Handle> find_tuned(const ProcessKey& process, Thread* thread, std::string_view operation);

    std::map<std::int64_t, std::vector<std::string>>
        hosts_;  // by process, to tell them where other text runs into a line
    std::map<std::pair<ProcessKey, std::uint64_t>, Handle> handles_;
    std::map<std::pair<ProcessKey, std::int32_t>, NcclMember*> by_device_;
    std::map<ProcessKey, std::vector<NcclMember*>> of_process_;
    std::map<std::pair<ProcessKey, std::int64_t>, Thread> threads_;
    std::map<ProcessKey, std::string> versions_;
};

}  // namespace core
