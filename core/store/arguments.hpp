#pragma once
// Event arguments: those Lockstep computes with as typed columns, and the exact text of all
// arguments of every event in compressed blocks. A new argument is a row in kKnownArgs. Integers
// keep their exact value (counts, ids, bytes); texts are interned; lists such as shapes stay JSON
// text.

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
    ConcreteInputs,
    GroupFirstRank,
    GroupStride,
    GroupId,
    InSplit,
    OutSplit,
    CallStack,
    GroupRank,
    Count_,
};
inline constexpr std::size_t kArgCount = static_cast<std::size_t>(Arg::Count_);

enum class ArgType : std::uint8_t { Integer, Text };

struct KnownArg {
    std::string_view key;  // as in the file; several rows may name one Arg (older writers)
    Arg arg;
    ArgType type;
    double scale = 1;  // integer = value × scale, rounded (bandwidth is written in GB/s)
    // An integer below this is unreadable: the argument is absent, and counted. -1 where writers write it for "none".
    std::int64_t least = 0;
    bool is_bits = false;  // unsigned 64 bits, kept bit for bit; otherwise 2^63 and more is unreadable
    std::string_view only_for{};  // kept for events whose name begins so; empty: for all
};
std::span<const KnownArg> known_args();
const KnownArg* find_known_arg(std::string_view key);
ArgType type_of(Arg arg);

// Sparse values: two parallel arrays, sorted by event.
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

// Text of one event that no column holds.
struct EventText {
    std::string arguments;  // the args object as JSON text; empty if there was none
    std::string extra;  // other unknown fields as a JSON object text; usually empty
    std::uint64_t source_offset = 0;  // byte offset of the event in the uncompressed file
};

// The shape shared by the argument texts of many events: the text between the values, and the text of other
// fields.
struct TextForm {
    enum class Value : std::uint8_t { Text, Integer };  // Integer: of at most 18 digits, and given as a number too
    std::uint32_t id = 0;  // small; tells forms apart
    std::vector<std::string> pieces;  // one more than values
    std::vector<Value> values;
    std::string extra;
};

// A block of {event order, source offset, texts}, in file order, deflated by itself. Forms are stored once per
// block, integers as differences to the previous one of their form, repeated texts as a marker.
struct TextBlock {
    std::uint32_t first_order;  // file order of the first event in the block
    std::uint32_t raw_bytes;
    std::uint64_t offset;  // into the packed bytes
    std::uint64_t packed_bytes;
};

class TextStoreBuilder {
public:
    // Orders must increase. A block is packed every 64 KiB.
    void add(std::uint32_t order, std::uint64_t source_offset, std::string_view arguments, std::string_view extra);
    // The same for a text of a known form, stored once per block. An id means one form per builder. `numbers`
    // holds the values of integers and is ignored for texts.
    void add(std::uint32_t order, std::uint64_t source_offset, const TextForm& form,
             std::span<const std::string_view> values, std::span<const std::int64_t> numbers);
    // Appends the packed blocks of another builder with shifted orders; closes both open blocks first.
    void append(TextStoreBuilder&& other, std::uint32_t order_shift);
    void close();  // packs the open block
    void clear();  // as new, but keeps its memory
    void expect_rest(double share);  // reserves room, see TraceBuilder
    std::span<const TextBlock> blocks() const { return blocks_; }
    std::span<const std::uint8_t> packed() const { return packed_; }
    // Copies one piece of the packed bytes and frees it. Different pieces may be moved on different threads.
    void move_packed(std::size_t first, std::span<std::uint8_t> to);

private:
    struct Last {  // previous value of a form's slot
        std::int64_t number = 0;
        std::size_t text_at = 0;  // in the open block
        std::size_t text_size = 0;
    };
    // Returns where the entry continues in the open block; end_entry() receives its end.
    char* begin_entry(std::uint32_t order, std::uint64_t source_offset, std::size_t most_bytes);
    void end_entry(const char* end);
    void drop_open();
    // Writes at `to`; returns the end.
    static char* write_form(char* to, const TextForm& form);
    static char* write_integer(char* to, std::string_view text, std::int64_t number, Last& last);
    char* write_text(char* to, std::string_view text, Last& last) const;

    std::vector<TextBlock> blocks_;
    PageVector<std::uint8_t> packed_;
    std::vector<char> open_;  // sized for the next entry
    std::size_t open_size_ = 0;  // bytes used
    struct OpenForm {
        std::uint32_t number = 0;  // in the open block; 0: not yet written
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

// The same for many events: caches the last blocks unpacked, so nearly sorted orders unpack each block once.
// Not thread-safe; the source must outlive it.
class RecentTexts {
public:
    RecentTexts(std::span<const TextBlock> blocks, std::span<const std::uint8_t> packed)
        : blocks_(blocks), packed_(packed) {}
    Result<EventText> find(std::uint32_t order);

private:
    struct Unpacked {
        const TextBlock* block = nullptr;
        std::vector<std::uint32_t> orders;  // sorted
        std::vector<EventText> texts;  // one per order
        bool broken = false;  // some of it is unreadable
    };
    const Unpacked& unpack_block(const TextBlock& block);

    std::span<const TextBlock> blocks_;
    std::span<const std::uint8_t> packed_;
    std::array<Unpacked, 8> recent_;
    std::size_t oldest_ = 0;
};

}  // namespace core
