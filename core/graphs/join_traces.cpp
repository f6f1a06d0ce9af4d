#include "core/graphs/join_traces.hpp"

#include "core/store/sections.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kMostEvents = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::uint32_t kNoText = std::numeric_limits<std::uint32_t>::max() - 1;  // an order without argument text
// Sequence numbers of one recording are below; each part has its own range of them.
constexpr int kSequenceBits = 40;

// One past the last position of a record.
std::uint64_t order_end(const RankTrace& trace) {
    std::uint64_t end = 0;
    for (const std::uint32_t order : trace.order) end = std::max<std::uint64_t>(end, std::uint64_t{order} + 1);
    return end;
}

std::span<const std::byte> section_of(const RankTrace& trace, std::uint32_t id) {
    for (const BlobSection& section : trace.blob().sections())
        if (section.id == id) return trace.blob().bytes(section);
    return {};
}

// Sections as lists of parts, copied into one block at the end.
class Sections {
public:
    void add(std::uint32_t id, std::uint32_t element_bytes, std::span<const std::byte> part) {
        auto at = std::ranges::find(sections_, id, &Section::id);
        if (at == sections_.end())
            at = sections_.insert(at, Section{.id = id, .element_bytes = element_bytes, .parts = {}});
        at->parts.push_back(part);
    }
    template <class T>
    void add(std::uint32_t id, std::span<const T> part) {
        add(id, sizeof(T), std::as_bytes(part));
    }
    Blob build() const {
        std::vector<BlobSection> placed;
        std::size_t size = 0;
        for (const Section& section : sections_) {
            std::size_t bytes = 0;
            for (const auto& part : section.parts) bytes += part.size();
            placed.push_back(
                {.id = section.id, .element_bytes = section.element_bytes, .offset = size, .bytes = bytes});
            size += aligned_to_section(bytes);
        }
        constexpr std::align_val_t kAlignment{kSectionAlignment};
        const std::shared_ptr<std::byte> memory(
            static_cast<std::byte*>(::operator new(std::max(size, kSectionAlignment), kAlignment)),
            [](std::byte* at) { ::operator delete(at, std::align_val_t{kSectionAlignment}); });
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            std::byte* to = memory.get() + placed[i].offset;
            for (const auto& part : sections_[i].parts) {
                if (!part.empty()) std::memcpy(to, part.data(), part.size());
                to += part.size();
            }
        }
        return {memory, std::move(placed)};
    }

private:
    struct Section {
        std::uint32_t id;
        std::uint32_t element_bytes;
        std::vector<std::span<const std::byte>> parts;
    };
    std::vector<Section> sections_;
};

bool overlaps_any(std::span<const RankRange> ranges, RankTime begin, RankTime end) {
    const auto at = std::ranges::upper_bound(ranges, begin, {}, &RankRange::begin);
    if (at != ranges.begin() && begin < (at - 1)->end) return true;
    return at != ranges.end() && at->begin < end;
}

}  // namespace

TraceJoin::TraceJoin(const RankTrace& own) : own_(own), categories_(own.categories.begin(), own.categories.end()) {
    for (std::uint32_t n = 0; n < own.names.size(); ++n) names_.intern(own.text(NameId{n}));
    next_order_ = order_end(own);
}

EventId TraceJoin::next_id() const {
    return EventId{static_cast<std::uint32_t>(std::min(own_.size() + start_.size(), kMostEvents))};
}

std::uint16_t TraceJoin::category_of_text(std::string_view text) {
    const NameId name = names_.intern(text);
    auto at = std::ranges::find(categories_, name, &CategoryEntry::text);
    if (at == categories_.end()) {
        if (categories_.size() >= std::numeric_limits<std::uint16_t>::max()) return 0;
        at = categories_.insert(at, CategoryEntry{.text = name, .kind = category_of(text)});
    }
    return static_cast<std::uint16_t>(at - categories_.begin());
}

std::uint32_t TraceJoin::order_shift_of(const RankTrace& source) {
    for (const Text& text : texts_)
        if (text.source == &source) return text.order_shift;
    const std::uint64_t shift = next_order_, end = shift + order_end(source);
    if (end >= kNoText) return kNoText;
    texts_.push_back({&source, static_cast<std::uint32_t>(shift)});
    next_order_ = end;
    return texts_.back().order_shift;
}

std::vector<EventId> TraceJoin::add(const RankTrace& source, std::span<const RankRange> ranges, bool with_shapes) {
    std::vector<EventId> placed(source.size(), kNoEvent);
    const std::uint32_t shift = with_shapes ? order_shift_of(source) : kNoText;
    std::vector<std::uint16_t> category;
    for (const CategoryEntry& entry : source.categories) category.push_back(category_of_text(source.text(entry.text)));
    std::vector<NameId> names(source.names.size(), kNoName);
    const auto name_of = [&](NameId name) {
        NameId& known = names[index_of(name)];
        if (known == kNoName) known = names_.intern(source.text(name));
        return known;
    };
    for (const Lane& lane : source.lanes) {
        if (source.tracks[lane.track].kind != TrackKind::Thread) continue;
        for (std::size_t e = index_of(lane.first); e < index_of(lane.last); ++e) {
            const RankTime start = source.start[e], end = start + source.duration[e];
            if (!overlaps_any(ranges, start, end) || own_.size() + start_.size() >= kMostEvents) continue;
            placed[e] = next_id();
            start_.push_back(start);
            duration_.push_back(source.duration[e]);
            name_.push_back(name_of(source.name[e]));
            category_.push_back(category[source.category[e]]);
            flags_.push_back(source.flags[e] & static_cast<std::uint8_t>(~(kStepMark | kGpuEvent)));
            order_.push_back(shift == kNoText ? kNoText : source.order[e] + shift);
        }
    }
    ++parts_;
    parent_.resize(start_.size(), kNoEvent);
    for (std::size_t e = 0; e < placed.size(); ++e) {
        const EventId parent = source.parent[e];
        if (placed[e] != kNoEvent && parent != kNoEvent && index_of(parent) < placed.size())
            parent_[index_of(placed[e]) - own_.size()] = placed[index_of(parent)];
    }
    const auto copy = [&]<class T>(const SparseColumn<T>& from, Added<T>& to, const auto& value_of) {
        std::vector<std::pair<EventId, T>> found;
        for (std::size_t i = 0; i < from.size(); ++i)
            if (const EventId at = placed[index_of(from.events[i])]; at != kNoEvent)
                found.emplace_back(at, value_of(from.values[i]));
        std::ranges::sort(found, {}, &std::pair<EventId, T>::first);
        for (const auto& [event, value] : found) {
            to.events.push_back(event);
            to.values.push_back(value);
        }
    };
    copy(source.integers(Arg::SequenceNumber), sequence_, [&](std::int64_t number) {
        return number < 0 || number >> kSequenceBits != 0 ? std::int64_t{-1} : number + (parts_ << kSequenceBits);
    });
    if (!with_shapes) return placed;
    copy(source.texts(Arg::InputDims), dims_, name_of);
    copy(source.texts(Arg::InputTypes), types_, name_of);
    return placed;
}

EventId TraceJoin::add(std::string_view name, std::string_view category) {
    const EventId made = next_id();
    start_.push_back(own_.window.begin);
    duration_.push_back(Duration{0});
    name_.push_back(names_.intern(name));
    category_.push_back(category_of_text(category));
    flags_.push_back(0);
    parent_.push_back(kNoEvent);
    order_.push_back(kNoText);
    return made;
}

RankTracePtr TraceJoin::build(const JobContext& job) && {
    if (own_.size() + start_.size() >= kMostEvents || names_.size() < own_.names.size()) return nullptr;
    std::vector<EventId> parent(own_.parent.begin(), own_.parent.end());
    for (const auto& [event, above] : parents_) parent[index_of(event)] = above;
    parent.insert(parent.end(), parent_.begin(), parent_.end());
    if (job.checkpoint()) return nullptr;

    Sections sections;
    sections.add<EventId>(section::kParent, parent);
    const auto joined = [&]<class T>(std::uint32_t id, std::span<const T> own, const std::vector<T>& added) {
        sections.add<T>(id, own);
        sections.add<T>(id, std::span<const T>(added));
    };
    joined(section::kStart, own_.start, start_);
    joined(section::kDuration, own_.duration, duration_);
    joined(section::kName, own_.name, name_);
    joined(section::kCategory, own_.category, category_);
    joined(section::kFlags, own_.flags, flags_);
    joined(section::kOrder, own_.order, order_);
    sections.add<CategoryEntry>(section::kCategories, categories_);
    sections.add<std::uint64_t>(section::kNameOffsets, names_.offsets());
    sections.add<char>(section::kNameBytes, names_.bytes());
    const auto argument = [&]<class T>(Arg arg, const SparseColumn<T>& own, const Added<T>& added) {
        joined(section::arg_events(arg), own.events, added.events);
        joined(section::arg_values(arg), own.values, added.values);
    };
    argument(Arg::SequenceNumber, own_.integers(Arg::SequenceNumber), sequence_);
    argument(Arg::InputDims, own_.texts(Arg::InputDims), dims_);
    argument(Arg::InputTypes, own_.texts(Arg::InputTypes), types_);

    std::vector<TextBlock> blocks;
    std::uint64_t packed = 0;
    const auto add_texts = [&](const RankTrace& source, std::uint32_t order_shift) {
        const std::span<const std::byte> raw = section_of(source, section::kTextBlocks);
        std::vector<TextBlock> more(raw.size() / sizeof(TextBlock));
        if (!more.empty()) std::memcpy(more.data(), raw.data(), more.size() * sizeof(TextBlock));
        for (TextBlock& block : more) {
            block.first_order += order_shift;
            block.offset += packed;
            blocks.push_back(block);
        }
        const std::span<const std::byte> bytes = section_of(source, section::kTextPacked);
        sections.add(section::kTextPacked, 1, bytes);
        packed += bytes.size();
    };
    add_texts(own_, 0);
    for (const Text& text : texts_) add_texts(*text.source, text.order_shift);
    sections.add<TextBlock>(section::kTextBlocks, blocks);

    constexpr std::uint32_t kMade[] = {section::kParent,
                                       section::kStart,
                                       section::kDuration,
                                       section::kName,
                                       section::kCategory,
                                       section::kFlags,
                                       section::kOrder,
                                       section::kCategories,
                                       section::kNameOffsets,
                                       section::kNameBytes,
                                       section::kTextBlocks,
                                       section::kTextPacked,
                                       section::arg_events(Arg::SequenceNumber),
                                       section::arg_values(Arg::SequenceNumber),
                                       section::arg_events(Arg::InputDims),
                                       section::arg_values(Arg::InputDims),
                                       section::arg_events(Arg::InputTypes),
                                       section::arg_values(Arg::InputTypes)};
    for (const BlobSection& one : own_.blob().sections())
        if (section::is_of_trace(one.id) && std::ranges::find(kMade, one.id) == std::end(kMade))
            sections.add(one.id, one.element_bytes, own_.blob().bytes(one));
    if (job.checkpoint()) return nullptr;
    RankInfo info = own_.info;
    info.metadata_json.clear();
    return std::make_shared<const RankTrace>(sections.build(), std::move(info), Diagnostics());
}

}  // namespace core
