#include "core/index/member_events.hpp"

#include "core/base/saturate.hpp"
#include "core/index/member_facts.hpp"
#include "core/index/replay_numbers.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace core {
namespace {

constexpr Duration kPartGap = std::chrono::milliseconds{10};  // parts of one collective begin this near to each other

// Rows of "HCCL" hold collectives and, below them, their tasks; only the former are member events.
class MemberTest {
public:
    MemberTest(const RankTrace& trace, const ClassTable& classes) : trace_(trace), classes_(classes) {
        is_hccl_.resize(trace.processes.size());
        for (std::size_t i = 0; i < is_hccl_.size(); ++i) is_hccl_[i] = trace.text(trace.processes[i].name) == "HCCL";
        has_hccl_ = std::ranges::find(is_hccl_, true) != is_hccl_.end();
    }
    bool accepts(EventId e) const {
        if (classes_.of(e) != KernelClass::Communication || !trace_.has(e, kGpuEvent)) return false;
        if (!has_hccl_ || !is_hccl_[trace_.track_of(e).process]) return true;
        const std::string_view name = trace_.name_text(e);
        return name.starts_with("hcom_") || name.starts_with("hccl::");
    }

private:
    const RankTrace& trace_;
    const ClassTable& classes_;
    std::vector<bool> is_hccl_;
    bool has_hccl_ = false;
};

// Recorded twice: equal start, duration, stream and correlation.
bool is_same_record(const RankTrace& trace, EventId a, EventId b) {
    const std::size_t i = index_of(a);
    const std::size_t k = index_of(b);
    return trace.start[i] == trace.start[k] && trace.duration[i] == trace.duration[k] &&
           trace.name[i] == trace.name[k] && trace.track_of(a).stream == trace.track_of(b).stream &&
           trace.integer(Arg::Correlation, a) == trace.integer(Arg::Correlation, b);
}

bool is_recorded(const RankTrace& trace, std::span<const MemberFacts> before, EventId e) {
    for (auto it = before.rbegin(); it != before.rend() && it->member.start == trace.start[index_of(e)]; ++it)
        if (is_same_record(trace, it->member.event, e)) return true;
    return false;
}

// From end to start; times may be as far apart as there are numbers.
Duration gap_between(RankTime end, RankTime start) { return Duration{saturating_subtract(ns_of(start), ns_of(end))}; }

auto order_of(const MemberGroup& group) {
    return std::tuple(group.name, group.description, group.ranks, group.size, group.first, group.stride, group.local);
}
struct GroupOrder {
    bool operator()(const MemberGroup& a, const MemberGroup& b) const { return order_of(a) < order_of(b); }
};

class TableBuilder {
public:
    explicit TableBuilder(const RankTrace& trace) : trace_(trace) {}

    void collect(const ClassTable& classes) {
        const MemberTest test(trace_, classes);
        std::optional<MemberFactReader> reader;
        for (const EventId e : trace_.gpu_events) {
            if (!test.accepts(e) || is_recorded(trace_, facts_, e)) continue;
            if (!reader) reader.emplace(trace_);
            facts_.push_back(reader->read(e));
            facts_.back().member.group = number_group(facts_.back().group);
        }
    }

    std::vector<MemberEvent> release_events() {
        if (!facts_.empty()) number_replays(trace_, facts_);
        std::ranges::stable_sort(facts_, {}, [](const MemberFacts& f) {
            return std::tuple(f.member.launched, f.launch, f.member.start, f.member.event);
        });
        std::vector<MemberEvent> events;
        for (const MemberFacts& facts : facts_)
            if (!join_part(events, facts.member)) events.push_back(facts.member);
        return events;
    }
    std::vector<MemberGroup> release_groups() { return std::move(groups_); }

private:
    std::uint16_t number_group(const MemberGroup& group) {
        if (group == MemberGroup{}) return kNoGroup;
        const auto known = numbers_.find(group);
        if (known != numbers_.end()) return known->second;
        if (groups_.size() >= kNoGroup) return kNoGroup;
        groups_.push_back(group);
        return numbers_[group] = static_cast<std::uint16_t>(groups_.size() - 1);
    }

    // Calls of a coalesced batch of sends and receives share a number, but are not parts of one.
    bool join_part(std::vector<MemberEvent>& events, const MemberEvent& part) {
        if (part.number == kNoNumber || is_pairwise(part.operation)) return false;
        if (part.group == kNoGroup && groups_.size() >= kNoGroup) return false;  // of many groups, perhaps
        const auto [it, is_new] = last_of_.try_emplace({part.group, part.number}, events.size());
        if (is_new) return false;
        MemberEvent& whole = events[it->second];
        const bool earlier = part.start < whole.start;
        const Duration apart = earlier ? gap_between(part.end(), whole.start) : gap_between(whole.end(), part.start);
        if (apart > kPartGap || is_pairwise(whole.operation) || whole.operation != part.operation) {
            it->second = events.size();
            return false;
        }
        const RankTime end = std::max(whole.end(), part.end());
        if (part.start < whole.start) whole.event = part.event;
        whole.start = std::min(whole.start, part.start);
        whole.duration = gap_between(whole.start, end);
        whole.in_bytes = add(whole.in_bytes, part.in_bytes);
        whole.out_bytes = add(whole.out_bytes, part.out_bytes);
        if (whole.parts < 255) ++whole.parts;
        if (whole.peer != part.peer) whole.peer = kNoPeer;  // several roots: nobody is awaited by all
        return true;
    }

    static std::int64_t add(std::int64_t a, std::int64_t b) {
        std::int64_t sum = 0;
        return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? kNoBytes : sum;
    }

    const RankTrace& trace_;
    std::vector<MemberFacts> facts_;
    std::vector<MemberGroup> groups_;
    std::map<MemberGroup, std::uint16_t, GroupOrder> numbers_;
    std::map<std::pair<std::uint16_t, std::int64_t>, std::size_t> last_of_;
};

}  // namespace

MemberTable::MemberTable(const RankTrace& trace, const ClassTable& classes) {
    TableBuilder builder(trace);
    builder.collect(classes);
    events_ = Values(builder.release_events());
    groups_ = Values(builder.release_groups());
}

MemberTable::MemberTable(const Blob& blob)
    : events_(Values<MemberEvent>::lent(blob.section<MemberEvent>(section::kMemberEvents))),
      groups_(Values<MemberGroup>::lent(blob.section<MemberGroup>(section::kMemberGroups))) {}

void MemberTable::collect_sections(SectionList& list) const {
    list.add(section::kMemberEvents, events_.all());
    list.add(section::kMemberGroups, groups_.all());
}

bool MemberTable::has_fault(const RankTrace& trace) const {
    const bool bad_member = std::ranges::any_of(events_, [&](const MemberEvent& member) {
        return index_of(member.event) >= trace.size() || member.duration < Duration{0} || member.parts == 0 ||
               member.start > RankTime::max() - member.duration || member.start < trace.window.begin ||
               member.end() > trace.window.end || (member.group != kNoGroup && member.group >= groups_.size()) ||
               (member.step != kNoStep && member.step >= trace.steps.size()) ||
               static_cast<std::size_t>(member.operation) >= kOperations || member.launched > 1 ||
               member.in_bytes < kNoBytes || member.out_bytes < kNoBytes || member.peer < kNoPeer;
    });
    const auto is_name = [&](NameId name) { return name == kNoName || index_of(name) < trace.names.size(); };
    const bool bad_group = std::ranges::any_of(groups_, [&](const MemberGroup& group) {
        return !is_name(group.name) || !is_name(group.description) || !is_name(group.ranks);
    });
    return bad_member || bad_group || groups_.size() > kNoGroup;
}

std::vector<EventId> parts_of(const RankTrace& trace, const ClassTable& classes, const MemberEvent& member) {
    std::vector<EventId> parts{member.event};
    if (member.parts < 2) return parts;
    const Track* const track = &trace.track_of(member.event);
    const auto first = std::ranges::lower_bound(trace.gpu_events, member.start, {},
                                                [&](EventId e) { return trace.start[index_of(e)]; });
    for (auto e = first; e != trace.gpu_events.end() && trace.start[index_of(*e)] < member.end(); ++e)
        if (*e != member.event && classes.of(*e) == KernelClass::Communication && trace.end(*e) <= member.end() &&
            &trace.track_of(*e) == track)
            parts.push_back(*e);
    return parts;
}

std::vector<std::string_view> split_list(std::string_view json) {
    std::vector<std::string_view> items;
    if (json.size() < 2 || json.front() != '[' || json.back() != ']') return items;
    json = json.substr(1, json.size() - 2);
    std::size_t begin = 0;
    int depth = 0;
    bool in_string = false;
    const auto add = [&](std::size_t end) {
        std::string_view item = json.substr(begin, end - begin);
        while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
        while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
        if (item.size() >= 2 && item.front() == '"' && item.back() == '"') item = item.substr(1, item.size() - 2);
        items.push_back(item);
        begin = end + 1;
    };
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '(' || c == '{') {
            ++depth;
        } else if (c == ']' || c == ')' || c == '}') {
            --depth;
        } else if (c == ',' && depth == 0) {
            add(i);
        }
    }
    if (begin > 0 || !json.empty()) add(json.size());
    return items;
}

}  // namespace core
