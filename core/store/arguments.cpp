#include "core/store/arguments.hpp"

#include "core/store/make_room.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <memory>

#include <isa-l/igzip_lib.h>

namespace core {
namespace {

constexpr std::int64_t kAnyInteger = std::numeric_limits<std::int64_t>::min();

// A new argument is one row here. Keys of older writers map to the same Arg.
constexpr KnownArg kKnownArgs[] = {
    {"correlation", Arg::Correlation, ArgType::Integer},
    {"correlation_id", Arg::Correlation, ArgType::Integer},
    {"device", Arg::Device, ArgType::Integer, 1, -1},
    {"Device Id", Arg::Device, ArgType::Integer, 1, -1},
    {"stream", Arg::Stream, ArgType::Integer, 1, -1},
    {"bytes", Arg::Bytes, ArgType::Integer},
    {"Bytes", Arg::Bytes, ArgType::Integer, 1, kAnyInteger},  // memory events free negative amounts
    {"size", Arg::Bytes, ArgType::Integer},
    {"memory bandwidth (GB/s)", Arg::BandwidthMbPerS, ArgType::Integer, 1000},
    {"graph id", Arg::GraphId, ArgType::Integer},
    {"graph node id", Arg::GraphNodeId, ArgType::Integer},
    {"Python id", Arg::PythonId, ArgType::Integer},
    {"Python parent id", Arg::PythonParentId, ArgType::Integer},
    {"Python module id", Arg::PythonModuleId, ArgType::Integer},
    {"Sequence number", Arg::SequenceNumber, ArgType::Integer, 1, -1},
    {"Input Dims", Arg::InputDims, ArgType::Text},
    {"Input dims", Arg::InputDims, ArgType::Text},
    {"Input type", Arg::InputTypes, ArgType::Text},
    {"Collective name", Arg::CollectiveName, ArgType::Text},
    {"dtype", Arg::CollectiveDtype, ArgType::Text},
    {"Process Group Name", Arg::GroupName, ArgType::Text},
    {"Process Group Description", Arg::GroupDescription, ArgType::Text},
    {"Process Group Ranks", Arg::GroupRanks, ArgType::Text},
    {"Group size", Arg::GroupSize, ArgType::Integer},
    {"In msg nelems", Arg::InElements, ArgType::Integer},
    {"Out msg nelems", Arg::OutElements, ArgType::Integer},
    {"In msg size", Arg::InElements, ArgType::Integer},
    {"Out msg size", Arg::OutElements, ArgType::Integer},
    {"Seq", Arg::Seq, ArgType::Integer},
    {"Comms Id", Arg::CommsId, ArgType::Integer, 1, kAnyInteger, true},
    {"Is P2P", Arg::IsPeerToPeer, ArgType::Integer},
    {"isP2P", Arg::IsPeerToPeer, ArgType::Integer},
    {"Src Rank", Arg::SourceRank, ArgType::Integer, 1, -1},
    {"Dst Rank", Arg::DestinationRank, ArgType::Integer, 1, -1},
    {"Rank", Arg::GroupRank, ArgType::Integer, 1, -1, false, "record_param_comms"},
    {"wait_on_stream", Arg::WaitOnStream, ArgType::Integer, 1, -1},
    {"wait_on_cuda_event_record_corr_id", Arg::WaitOnRecordCorrelation, ArgType::Integer, 1, -1},
    {"Addr", Arg::Addr, ArgType::Integer, 1, kAnyInteger, true},
    {"Total Allocated", Arg::TotalAllocated, ArgType::Integer},
    {"Total Reserved", Arg::TotalReserved, ArgType::Integer},
    {"Device Type", Arg::DeviceType, ArgType::Integer},
    {"Concrete Inputs", Arg::ConcreteInputs, ArgType::Text, 1, 0, false, "record_param_comms"},
    {"Global rank start", Arg::GroupFirstRank, ArgType::Integer, 1, kAnyInteger},
    {"Global rank stride", Arg::GroupStride, ArgType::Integer, 1, kAnyInteger},
    {"Process Group ID", Arg::GroupId, ArgType::Integer, 1, kAnyInteger},
    {"In split size", Arg::InSplit, ArgType::Text},
    {"Out split size", Arg::OutSplit, ArgType::Text},
    {"Call stack", Arg::CallStack, ArgType::Text, 1, 0, false, "[memory]"},
    {"count", Arg::InElements, ArgType::Integer, 1, 0, false, "hcom_"},
    {"data_type", Arg::CollectiveDtype, ArgType::Text, 1, 0, false, "hcom_"},
};

constexpr std::size_t kSlots = 256;
constexpr std::uint8_t kFree = 0xFF;

// Length, first and last letter distinguish nearly all known keys.
constexpr std::size_t slot_of(std::string_view key) {
    const auto letter = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(key[i])); };
    return (key.size() * 41 + letter(0) * 7 + letter(key.size() - 1) * 31 + letter(key.size() / 2) * 13) % kSlots;
}

constexpr auto kSlotTable = [] {
    std::array<std::uint8_t, kSlots> table{};
    table.fill(kFree);
    for (std::size_t i = 0; i < std::size(kKnownArgs); ++i) {
        std::size_t slot = slot_of(kKnownArgs[i].key);
        while (table[slot] != kFree) slot = (slot + 1) % kSlots;
        table[slot] = static_cast<std::uint8_t>(i);
    }
    return table;
}();

constexpr auto kTypes = [] {
    std::array<ArgType, kArgCount> types{};
    for (const KnownArg& known : kKnownArgs) types[static_cast<std::size_t>(known.arg)] = known.type;
    return types;
}();

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

constexpr std::uint64_t kMostInflated = 1100;  // deflate expands one byte to fewer than this
constexpr std::size_t kMostRepeated = std::size_t{64} << 20;  // limit for repeated text of one block

constexpr std::size_t kNumberBytes = 10;  // longest encoding

// Entry kinds, stored after the position: verbatim texts, a new form with its values, or (2 and up) values of
// the block's first, second, … form.
constexpr std::uint64_t kVerbatim = 0;
constexpr std::uint64_t kNewForm = 1;

// An integer value is stored as its difference to the previous one of the same form, zigzag, plus one; 0 marks
// an integer stored as text because its text is not the shortest form. A text is its size plus one and its
// bytes; 0 repeats the previous text.
constexpr std::uint64_t kWritten = 0;
constexpr std::uint64_t kSameText = 0;

std::uint64_t to_zigzag(std::uint64_t n) { return (n << 1) ^ (0 - (n >> 63)); }
std::uint64_t from_zigzag(std::uint64_t n) { return (n >> 1) ^ (0 - (n & 1)); }

// True for the canonical decimal text of an integer.
bool is_shortest_integer(std::string_view text) {
    const std::size_t digits = text.front() == '-' ? 1 : 0;
    return text[digits] != '0' || text.size() == 1;
}

// Writes at `to`, which must have room; returns the end.
inline char* write_number(char* to, std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) *to++ = static_cast<char>(n | 0x80);
    *to++ = static_cast<char>(n);
    return to;
}

// Most texts are a few bytes long: copied as two words that may overlap.
char* copy_bytes(char* to, std::string_view bytes) {
    const auto copy_ends = [&](auto word) {
        const std::size_t last = bytes.size() - sizeof word;
        std::memcpy(&word, bytes.data() + last, sizeof word);
        auto first = word;
        std::memcpy(&first, bytes.data(), sizeof first);
        std::memcpy(to + last, &word, sizeof word);
        std::memcpy(to, &first, sizeof first);
    };
    if (bytes.size() > 16) {
        std::memcpy(to, bytes.data(), bytes.size());
    } else if (bytes.size() >= 8) {
        copy_ends(std::uint64_t{});
    } else if (bytes.size() >= 4) {
        copy_ends(std::uint32_t{});
    } else {
        for (std::size_t i = 0; i < bytes.size(); ++i) to[i] = bytes[i];
    }
    return to + bytes.size();
}

char* write_bytes(char* to, std::string_view bytes) { return copy_bytes(write_number(to, bytes.size()), bytes); }

// False at the end or for a number that does not end.
bool read_number(std::span<const char>& from, std::uint64_t& n) {
    n = 0;
    for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(from.front());
        from = from.subspan(1);
        n |= static_cast<std::uint64_t>(byte & 0x7Fu) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

bool read_bytes(std::span<const char>& from, std::string_view& bytes) {
    std::uint64_t size = 0;
    if (!read_number(from, size) || size > from.size()) return false;
    bytes = {from.data(), size};
    from = from.subspan(size);
    return true;
}

struct FormView {
    struct Value {
        bool is_integer = false;
        bool is_written = true;
        std::uint64_t number = 0;  // previous number
        std::string_view text;  // previous text, or this one verbatim
    };
    std::string_view extra;
    std::vector<std::string_view> pieces;
    std::vector<Value> values;  // of the entry read last

    std::string text() const {
        std::string text(pieces.front());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i].is_written)
                text += values[i].text;
            else
                text += std::to_string(static_cast<std::int64_t>(values[i].number));
            text += pieces[i + 1];
        }
        return text;
    }
};

// Iterates over the entries of an unpacked block.
class BlockReader {
public:
    BlockReader(std::span<const char> block, std::uint64_t first_order) : rest_(block), order_(first_order) {}

    bool at_end() const { return rest_.empty(); }
    std::uint64_t order() const { return order_; }
    // False if the block is damaged.
    bool next() {
        std::uint64_t order_step = 0, offset_step = 0, kind = 0;
        const bool placed = read_number(rest_, order_step) && read_number(rest_, offset_step);
        if (!placed || !read_number(rest_, kind)) return false;
        order_ += order_step;
        offset_ += offset_step;
        if (kind == kVerbatim && !read_verbatim()) return false;
        if (kind == kNewForm && !read_form()) return false;
        form_ = kind == kVerbatim ? 0 : kind == kNewForm ? forms_.size() - 1 : kind - 1;
        if (form_ >= forms_.size()) return false;
        return std::ranges::all_of(forms_[form_].values, [&](FormView::Value& value) {
            return value.is_integer ? read_integer(value) : read_text(value);
        });
    }
    EventText text() const {
        return {.arguments = forms_[form_].text(), .extra = std::string(forms_[form_].extra), .source_offset = offset_};
    }

private:
    bool read_verbatim() {
        FormView& form = forms_.front();
        return read_bytes(rest_, form.pieces.front()) && read_bytes(rest_, form.extra);
    }
    bool read_form() {
        FormView form;
        std::uint64_t count = 0;
        if (!read_bytes(rest_, form.extra) || !read_number(rest_, count)) return false;
        if (!read_bytes(rest_, form.pieces.emplace_back())) return false;
        for (; count > 0; --count) {
            std::uint64_t kind = 0;
            if (!read_number(rest_, kind) || !read_bytes(rest_, form.pieces.emplace_back())) return false;
            form.values.emplace_back().is_integer = kind == static_cast<std::uint64_t>(TextForm::Value::Integer);
        }
        forms_.push_back(std::move(form));
        return true;
    }
    bool read_integer(FormView::Value& value) {
        std::uint64_t step = 0;
        if (!read_number(rest_, step)) return false;
        value.is_written = step == kWritten;
        if (value.is_written) return read_bytes(rest_, value.text);
        value.number += from_zigzag(step - 1);
        return true;
    }
    bool read_text(FormView::Value& value) {
        std::uint64_t size = 0;
        if (!read_number(rest_, size)) return false;
        if (size == kSameText) return true;
        if (--size > rest_.size()) return false;
        value.text = {rest_.data(), size};
        rest_ = rest_.subspan(size);
        return true;
    }

    std::span<const char> rest_;
    std::uint64_t order_;
    std::uint64_t offset_ = 0;
    std::vector<FormView> forms_ = {{.extra = {}, .pieces = {{}}, .values = {}}};  // form 0: verbatim texts
    std::uint64_t form_ = 0;
};

// Raw deflate at igzip's fastest level; one per thread, as its buffers are large.
class Deflater {
public:
    // Valid until the next call.
    std::span<const std::uint8_t> pack(std::span<const char> from) {
        packed_.resize(std::max(packed_.size(), from.size() + from.size() / 1000 + 512));
        isal_deflate_stateless_init(stream_.get());
        stream_->level = 0;
        stream_->end_of_stream = 1;
        stream_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(from.data()));
        stream_->avail_in = static_cast<std::uint32_t>(from.size());
        stream_->next_out = packed_.data();
        stream_->avail_out = static_cast<std::uint32_t>(packed_.size());
        [[maybe_unused]] const int status = isal_deflate_stateless(stream_.get());
        assert(status == COMP_OK && stream_->avail_in == 0);
        return std::span(packed_).first(packed_.size() - stream_->avail_out);
    }

private:
    std::unique_ptr<isal_zstream> stream_ = std::make_unique<isal_zstream>();
    std::vector<std::uint8_t> packed_;
};

bool unpack(std::span<const std::uint8_t> from, std::span<char> to) {
    const auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    state->next_in = const_cast<std::uint8_t*>(from.data());
    state->avail_in = static_cast<std::uint32_t>(from.size());
    state->next_out = reinterpret_cast<std::uint8_t*>(to.data());
    state->avail_out = static_cast<std::uint32_t>(to.size());
    return isal_inflate_stateless(state.get()) == ISAL_DECOMP_OK && state->avail_out == 0;
}

}  // namespace

std::span<const KnownArg> known_args() { return kKnownArgs; }

const KnownArg* find_known_arg(std::string_view key) {
    if (key.empty()) return nullptr;
    for (std::size_t slot = slot_of(key); kSlotTable[slot] != kFree; slot = (slot + 1) % kSlots) {
        const KnownArg& known = kKnownArgs[kSlotTable[slot]];
        if (known.key == key) return &known;
    }
    return nullptr;
}

ArgType type_of(Arg arg) { return kTypes[static_cast<std::size_t>(arg)]; }

// An entry: order and offset as differences to the previous entry, kind, then length-prefixed texts. A block
// starts with order 0 and an absolute offset, and numbers its own forms, so it can be read alone and moved.
char* TextStoreBuilder::begin_entry(std::uint32_t order, std::uint64_t source_offset, std::size_t most_bytes) {
    if (open_size_ == 0) {
        open_first_order_ = last_order_ = order;
        last_offset_ = 0;
    }
    assert(order >= last_order_ && source_offset >= last_offset_);
    most_bytes += open_size_ + 2 * kNumberBytes;
    if (open_.size() < most_bytes) open_.resize(std::max(most_bytes, kBlockBytes + kBlockBytes / 8));
    char* to = open_.data() + open_size_;
    to = write_number(to, order - last_order_);
    to = write_number(to, source_offset - last_offset_);
    last_order_ = order;
    last_offset_ = source_offset;
    return to;
}

void TextStoreBuilder::end_entry(const char* end) {
    open_size_ = static_cast<std::size_t>(end - open_.data());
    if (open_size_ >= kBlockBytes) close();
}

void TextStoreBuilder::add(std::uint32_t order, std::uint64_t source_offset, std::string_view arguments,
                           std::string_view extra) {
    char* to = begin_entry(order, source_offset, arguments.size() + extra.size() + 3 * kNumberBytes);
    to = write_number(to, kVerbatim);
    to = write_bytes(to, arguments);
    end_entry(write_bytes(to, extra));
}

void TextStoreBuilder::add(std::uint32_t order, std::uint64_t source_offset, const TextForm& form,
                           std::span<const std::string_view> values, std::span<const std::int64_t> numbers) {
    assert(values.size() == form.values.size() && numbers.size() == values.size());
    std::size_t most_bytes = kNumberBytes;
    for (const std::string_view value : values) most_bytes += value.size() + 2 * kNumberBytes;
    if (form.id >= open_forms_.size()) open_forms_.resize(form.id + 1);
    OpenForm& open_form = open_forms_[form.id];
    if (open_form.number == 0) {
        most_bytes += form.extra.size() + 2 * kNumberBytes;
        for (const std::string& piece : form.pieces) most_bytes += piece.size() + 2 * kNumberBytes;
    }
    char* to = begin_entry(order, source_offset, most_bytes);
    to = write_number(to, kNewForm + open_form.number);
    if (open_form.number == 0) {
        to = write_form(to, form);
        open_form = {++forms_, last_.size()};
        last_.resize(last_.size() + values.size());
    }
    Last* last = last_.data() + open_form.first_value;
    for (std::size_t i = 0; i < values.size(); ++i, ++last) {
        const bool is_integer = form.values[i] == TextForm::Value::Integer;
        to = is_integer ? write_integer(to, values[i], numbers[i], *last) : write_text(to, values[i], *last);
    }
    end_entry(to);
}

char* TextStoreBuilder::write_integer(char* to, std::string_view text, std::int64_t number, Last& last) {
    if (!is_shortest_integer(text)) return write_bytes(write_number(to, kWritten), text);
    to = write_number(to, 1 + to_zigzag(static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(last.number)));
    last.number = number;
    return to;
}

char* TextStoreBuilder::write_text(char* to, std::string_view text, Last& last) const {
    const char* const before = open_.data() + last.text_at;
    if (last.text_size == text.size() && std::memcmp(before, text.data(), text.size()) == 0)
        return write_number(to, kSameText);
    to = write_number(to, 1 + text.size());
    last.text_at = static_cast<std::size_t>(to - open_.data());
    last.text_size = text.size();
    return copy_bytes(to, text);
}

char* TextStoreBuilder::write_form(char* to, const TextForm& form) {
    to = write_bytes(to, form.extra);
    to = write_number(to, form.values.size());
    to = write_bytes(to, form.pieces.front());
    for (std::size_t i = 0; i < form.values.size(); ++i) {
        to = write_number(to, static_cast<std::uint64_t>(form.values[i]));
        to = write_bytes(to, form.pieces[i + 1]);
    }
    return to;
}

void TextStoreBuilder::append(TextStoreBuilder&& other, std::uint32_t order_shift) {
    close();
    other.close();
    const std::uint64_t shift = packed_.size();
    if (packed_.empty() && blocks_.empty())
        packed_ = std::move(other.packed_);
    else
        packed_.insert(packed_.end(), other.packed_.begin(), other.packed_.end());
    for (TextBlock block : other.blocks_) {
        block.first_order += order_shift;
        block.offset += shift;
        blocks_.push_back(block);
    }
    other.clear();
}

void TextStoreBuilder::move_packed(std::size_t first, std::span<std::uint8_t> to) {
    const std::span<std::uint8_t> from = std::span(packed_).subspan(first, to.size());
    std::ranges::copy(from, to.begin());
    drop_pages(from.data(), from.size());
}

void TextStoreBuilder::clear() {
    blocks_.clear();
    packed_.clear();
    drop_open();
}

void TextStoreBuilder::close() {
    if (open_size_ == 0) return;
    thread_local Deflater deflater;
    const std::uint64_t offset = packed_.size();
    const std::span<const std::uint8_t> packed = deflater.pack(std::span(open_).first(open_size_));
    packed_.insert(packed_.end(), packed.begin(), packed.end());
    blocks_.push_back({.first_order = open_first_order_,
                       .raw_bytes = static_cast<std::uint32_t>(open_size_),
                       .offset = offset,
                       .packed_bytes = packed.size()});
    drop_open();
}

void TextStoreBuilder::drop_open() {
    open_size_ = 0;
    forms_ = 0;
    last_.clear();
    std::ranges::fill(open_forms_, OpenForm{});
}

void TextStoreBuilder::expect_rest(double share) {
    make_room(blocks_, share);
    make_room(packed_, share);
}

namespace {

const TextBlock* find_text_block(std::span<const TextBlock> blocks, std::uint32_t order) {
    const auto after = std::ranges::upper_bound(blocks, order, {}, &TextBlock::first_order);
    return after == blocks.begin() ? nullptr : &*(after - 1);
}

// False if it cannot be unpacked.
bool unpack_text_block(const TextBlock& block, std::span<const std::uint8_t> packed, std::vector<char>& raw) {
    if (block.offset > packed.size() || block.packed_bytes > packed.size() - block.offset) return false;
    if (block.raw_bytes / kMostInflated > block.packed_bytes) return false;
    raw.resize(block.raw_bytes);
    return unpack(packed.subspan(block.offset, block.packed_bytes), raw);
}

Error no_text() { return {ErrorCode::NotFound, "no text was kept for this event"}; }
Error broken_text() { return {ErrorCode::Internal, "a block of argument texts cannot be unpacked"}; }

}  // namespace

Result<EventText> find_event_text(std::span<const TextBlock> blocks, std::span<const std::uint8_t> packed,
                                  std::uint32_t order) {
    const TextBlock* const block = find_text_block(blocks, order);
    if (block == nullptr) return no_text();
    std::vector<char> raw;
    if (!unpack_text_block(*block, packed, raw)) return broken_text();

    BlockReader reader(raw, block->first_order);
    while (!reader.at_end() && reader.order() <= order) {
        if (!reader.next()) return broken_text();
        if (reader.order() == order) return reader.text();
    }
    return no_text();
}

Result<EventText> RecentTexts::find(std::uint32_t order) {
    const TextBlock* const block = find_text_block(blocks_, order);
    if (block == nullptr) return no_text();
    const Unpacked& unpacked = unpack_block(*block);
    const auto it = std::ranges::lower_bound(unpacked.orders, order);
    if (it != unpacked.orders.end() && *it == order)
        return unpacked.texts[static_cast<std::size_t>(it - unpacked.orders.begin())];
    return unpacked.broken ? broken_text() : no_text();
}

const RecentTexts::Unpacked& RecentTexts::unpack_block(const TextBlock& block) {
    const auto known = std::ranges::find(recent_, &block, &Unpacked::block);
    if (known != recent_.end()) return *known;
    Unpacked& place = recent_[oldest_];
    oldest_ = (oldest_ + 1) % recent_.size();
    place.block = &block;
    place.orders.clear();
    place.texts.clear();
    std::vector<char> raw;
    place.broken = !unpack_text_block(block, packed_, raw);
    if (place.broken) return place;
    BlockReader reader(raw, block.first_order);
    for (std::size_t room = raw.size() + kMostRepeated; !reader.at_end() && !place.broken;) {
        place.broken = !reader.next();
        if (place.broken) break;
        place.orders.push_back(static_cast<std::uint32_t>(reader.order()));
        place.texts.push_back(reader.text());
        const std::size_t size = place.texts.back().arguments.size() + place.texts.back().extra.size();
        place.broken = size > room;
        room -= std::min(size, room);
    }
    return place;
}

}  // namespace core
