#pragma once
// The arguments of events that Lockstep computes with, as typed columns; and, for every event, the
// text of all its arguments exactly as the file had it, in compressed blocks.
//
// To know one more argument: give it a row in kKnownArgs. Integers keep their exact value (counts,
// ids, bytes); texts are interned; lists such as shapes are kept as their JSON text.

#include "core/base/pages.hpp"
#include "core/base/result.hpp"
#include "core/base/units.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class Arg : std::uint8_t {
    Correlation,
    Device,
    Stream,
    Bytes,
    BandwidthMbPerS,
    GraphId,
    GraphNodeId,
    PythonId,
    PythonParentId,
    PythonModuleId,
    SequenceNumber,
    InputDims,
    InputTypes,
    CollectiveName,
    CollectiveDtype,
    GroupName,
    GroupDescription,
    GroupRanks,
    GroupSize,
    InElements,
    OutElements,
    Seq,
    CommsId,
    IsPeerToPeer,
    SourceRank,
    DestinationRank,
    WaitOnStream,
    WaitOnRecordCorrelation,
    Addr,
    TotalAllocated,
    TotalReserved,
    DeviceType,
    Count_,
};
inline constexpr std::size_t kArgCount = static_cast<std::size_t>(Arg::Count_);

enum class ArgType : std::uint8_t { Integer, Text };

struct KnownArg {
    std::string_view key;  // as in the file; several rows may name one Arg (older writers)
    Arg arg;
    ArgType type;
    double scale = 1;  // integer = value × scale, rounded (bandwidth is written in GB/s)
};
std::span<const KnownArg> known_args();
const KnownArg* find_known_arg(std::string_view key);
ArgType type_of(Arg arg);

// Values that only few events have: two parallel arrays, events rising.
template <class T>
struct SparseColumn {
    std::span<const EventId> events;
    std::span<const T> values;
    std::size_t size() const { return events.size(); }
    const T* find(EventId event) const;
};

template <class T>
const T* SparseColumn<T>::find(EventId event) const {
    std::size_t low = 0;
    std::size_t high = events.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (events[middle] < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < events.size() && events[low] == event ? &values[low] : nullptr;
}

// What the file said about one event beyond the columns.
struct EventText {
    std::string arguments;             // the args object as JSON text; empty if there was none
    std::string extra;                 // other unknown fields as a JSON object text; usually empty
    std::uint64_t source_offset = 0;   // byte offset of the event in the uncompressed file
};

// What the argument texts of many events have in common: the pieces around their values, and the text of other fields.
struct TextForm {
    enum class Value : std::uint8_t { Text, Integer };  // Integer: of at most 18 digits, and given as a number too
    std::uint32_t id = 0;            // small; tells forms apart
    std::vector<std::string> pieces; // one more than values
    std::vector<Value> values;
    std::string extra;
};

// Blocks of {event order, source offset, texts}, in file order, deflated one by one. Forms are written once per block,
// integers as their difference to the last of their form, texts that repeat as nothing.
struct TextBlock {
    std::uint32_t first_order;   // file order of the first event in the block
    std::uint32_t raw_bytes;
    std::uint64_t offset;        // into the packed bytes
    std::uint64_t packed_bytes;
};

class TextStoreBuilder {
public:
    // Orders must rise. Packs a block whenever 64 KiB are full.
    void add(std::uint32_t order, std::uint64_t source_offset, std::string_view arguments, std::string_view extra);
    // The same for a text of a known form, which is kept once per block. An id must mean one form in each builder. Of
    // values that are integers, `numbers` has what they say; of others it is not looked at.
    void add(std::uint32_t order, std::uint64_t source_offset, const TextForm& form,
             std::span<const std::string_view> values, std::span<const std::int64_t> numbers);
    // Appends what another builder packed, shifting its orders; both sides' open blocks are closed first.
    void append(TextStoreBuilder&& other, std::uint32_t order_shift);
    void close();  // packs the open block
    void clear();  // as new, but keeps its memory
    void expect_rest(double share);  // room for the rest, as TraceBuilder has it
    std::span<const TextBlock> blocks() const { return blocks_; }
    std::span<const std::uint8_t> packed() const { return packed_; }
    // Copies a piece of what is packed and gives its memory back. Different pieces may be moved on several threads.
    void move_packed(std::size_t first, std::span<std::uint8_t> to);

private:
    struct Last {  // of a form's value
        std::int64_t number = 0;
        std::size_t text_at = 0;  // in the open block
        std::size_t text_size = 0;
    };
    // Where the entry goes on, in the open block; its end is told to end_entry().
    char* begin_entry(std::uint32_t order, std::uint64_t source_offset, std::size_t most_bytes);
    void end_entry(const char* end);
    void drop_open();
    // What they put goes to `to`; they return its end.
    static char* put_form(char* to, const TextForm& form);
    static char* put_integer(char* to, std::string_view text, std::int64_t number, Last& last);
    char* put_text(char* to, std::string_view text, Last& last) const;

    std::vector<TextBlock> blocks_;
    PageVector<std::uint8_t> packed_;
    std::vector<char> open_;  // as large as the next entry may need
    std::size_t open_size_ = 0;  // how much of it is filled
    struct OpenForm {
        std::uint32_t number = 0;  // in the open block, 0 if it is not in there yet
        std::size_t first_value = 0;  // in last_
    };
    std::vector<OpenForm> open_forms_;  // by id
    std::vector<Last> last_;
    std::uint32_t forms_ = 0;
    std::uint32_t open_first_order_ = 0;
    std::uint32_t last_order_ = 0;
    std::uint64_t last_offset_ = 0;
};

// Unpacks the block that holds the event with this file order. Orders inside a block are relative to
// its first, so blocks can be appended without being opened. NotFound if no text was kept for it.
Result<EventText> find_event_text(std::span<const TextBlock>, std::span<const std::uint8_t> packed,
                                  std::uint32_t order);

// The same for many events: keeps the last blocks unpacked, so that orders that rise, or nearly so, cost each block
// once. Not for concurrent use; what it reads from must outlive it.
class RecentTexts {
public:
    RecentTexts(std::span<const TextBlock> blocks, std::span<const std::uint8_t> packed)
        : blocks_(blocks), packed_(packed) {}
    Result<EventText> find(std::uint32_t order);

private:
    struct Unpacked {
        const TextBlock* block = nullptr;
        std::vector<std::uint32_t> orders;  // rising
        std::vector<EventText> texts;  // one each
        bool broken = false;  // not all of it could be read
    };
    const Unpacked& unpack_block(const TextBlock& block);

    std::span<const TextBlock> blocks_;
    std::span<const std::uint8_t> packed_;
    std::array<Unpacked, 8> recent_;
    std::size_t oldest_ = 0;
};

}  // namespace core
