#pragma once
// Base of NCCL's sources: they are read line by line, and tell of one process or several, each of
// which becomes a rank. A source knows its lines; the file around it is NcclFile's business.

#include "core/ingest/nsys/rank_stage.hpp"
#include "core/store/nccl_facts.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace core {

inline constexpr std::size_t kMostNcclMembers = 4'096;  // of a file
inline constexpr std::size_t kMostNcclCommunicators = 65'536;  // of a process
inline constexpr std::size_t kMostNcclCalls = 65'536;  // rows of a process
inline constexpr std::size_t kMostNcclWarnings = 256;  // of a process, each text once
inline constexpr std::size_t kMostNcclText = 500;  // bytes of a name or warning

// One process, or one device of a process that drives several.
struct NcclMember {
    std::string host;
    NcclFacts facts;
    RankStage stage;  // empty for sources without times
};

class NcclLines {
public:
    virtual ~NcclLines() = default;
    virtual std::string_view trace_name() const = 0;
    // `whole`: the line has its end and is not cut.
    virtual void add(std::string_view line, std::uint64_t number, bool whole) = 0;
    // After the last line.
    virtual void finish() {}
    virtual std::string_view nothing_found() const = 0;  // why there is no member, and what to do

    std::vector<std::unique_ptr<NcclMember>>& members() { return members_; }
    Diagnostics& diagnostics() { return diagnostics_; }
    std::uint64_t dropped() const { return dropped_; }

protected:
    // Null: there are too many.
    NcclMember* add_member(std::string host, std::int64_t process);
    // The process of (host, process) that has this rank in the communicator, or does not have the communicator yet.
    NcclMember* member_of(std::string_view host, std::int64_t process, std::uint64_t communicator, std::int32_t rank);
    // The communicator of this id; added if it is not there. Null: there are too many.
    NcclCommunicator* communicator_of(NcclMember& member, std::uint64_t id);
    // Adds to the row of the same communicator, operation, size, algorithm, protocol, channels and timing.
    void add_calls(NcclMember& member, const NcclCalls& calls);
    void add_warning(NcclMember& member, const NcclWarning& warning);
    // A record that is in no rank.
    void drop(std::string_view kind, std::uint64_t line, std::string_view why);

private:
    std::vector<std::unique_ptr<NcclMember>> members_;
    std::map<std::pair<std::string, std::int64_t>, std::vector<NcclMember*>, std::less<>> by_process_;
    std::map<std::pair<const NcclMember*, std::uint64_t>, std::size_t> by_id_;  // into its communicators
    std::map<std::tuple<const NcclMember*, std::uint64_t, std::string, std::int64_t, std::string, std::string,
                        std::int32_t, std::int32_t, std::string>,
             std::size_t>
        rows_;
    Diagnostics diagnostics_;
    std::uint64_t dropped_ = 0;
};

// Valid UTF-8 without control characters, of bounded length.
std::string clean_nccl_text(std::string_view text);
std::optional<std::uint64_t> parse_hex(std::string_view text);  // "0x1f"
std::optional<std::int64_t> parse_decimal(std::string_view text);
// "0x54fe282d32a87d85"
std::string format_nccl_id(std::uint64_t id);
// Bytes of an operation's data as nccl-tests counts them; absent where that is not certain.
std::optional<std::int64_t> nccl_bytes(std::string_view operation, std::int64_t elements, std::int64_t element_bytes,
                                       std::int32_t ranks);
std::optional<std::int64_t> nccl_element_bytes(std::string_view type);  // "ncclFloat32", "7"

}  // namespace core
