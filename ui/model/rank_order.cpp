#include "ui/model/rank_order.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/index/rank_count.hpp"
#include "ui/model/charts/spread.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace ui {
namespace {

constexpr std::string_view kByNode = "node";
constexpr std::string_view kByBlock = "block";
constexpr std::size_t kMostMembers = 6;  // ranges of numbers in a title

bool is_stated(std::string_view description) { return !description.empty() && description != "undefined"; }

std::string kind_of(const core::ProcessGroup& group) {
    return is_stated(group.description) ? group.description : group.name;
}

constexpr std::pair<std::string_view, std::string_view> kWordsOfKinds[] = {
    {"tp", "tensor"},   {"dp", "data"}, {"pp", "pipeline"}, {"ep", "expert"}, {"cp", "context"},
    {"sp", "sequence"}, {"mesh", ""},   {"pg", ""},         {"group", ""}};

// "TENSOR_MODEL_PARALLEL_GROUP" gives "tensor model parallel", "mesh_tp" gives "tensor".
std::string words_of_kind(std::string_view kind) {
    std::string lower;
    for (const char c : kind) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    std::string words;
    for (std::size_t from = 0; from <= lower.size();) {
        const std::size_t to = std::min(lower.find('_', from), lower.size());
        const std::string_view part = std::string_view(lower).substr(from, to - from);
        const auto known =
            std::ranges::find(kWordsOfKinds, part, &std::pair<std::string_view, std::string_view>::first);
        const std::string_view word = known == std::end(kWordsOfKinds) ? part : known->second;
        if (!word.empty()) words.append(words.empty() ? "" : " ").append(word);
        from = to + 1;
    }
    return words.empty() ? std::string(kind) : words;
}

// Formats ascending numbers: "0–3, 8".
std::string format_members(const std::vector<std::int32_t>& ranks) {
    std::string text;
    std::size_t runs = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] <= ranks[last] + 1) ++last;
        if (runs++ > 0) text += ", ";
        if (runs > kMostMembers) return text + "\xE2\x80\xA6";
        text += std::to_string(ranks[i]);
        if (last > i) text += "\xE2\x80\x93" + std::to_string(ranks[last]);
        i = last;
    }
    return text;
}

// Size of the blocks of ranks by number: a multiple of eight ranks that gives about a hundred blocks.
std::int32_t block_size(const core::Run& run) {
    constexpr std::int32_t kBlocks = 100, kMultiple = 8;
    const auto ranks = static_cast<std::int32_t>(std::min<std::size_t>(run.ranks().size(), 1U << 24));
    return (ranks / kBlocks + kMultiple) / kMultiple * kMultiple;
}

// Headings of ranks under a grouping. Caches them per group, so that a group of 10,000 ranks is formatted once.
class GroupTitles {
public:
    GroupTitles(const core::Run& run, std::string_view grouping) : grouping_(grouping), block_(block_size(run)) {}

    // Counts captures for kByRank: ranks with only one of these slots get no heading.
    void count(const core::Run& run, std::span<const std::uint32_t> slots) {
        for (const std::uint32_t slot : slots) ++captures_[run.rank(slot).key.number];
    }

    // Empty: not in any group.
    const std::string& of(const core::RankSlot& rank) {
        const core::RankInfo& info = rank.trace().info;
        own_.clear();
        if (grouping_ == kByNode) {
            if (!info.host.empty()) own_ = "node " + info.host;
            return own_;
        }
        if (grouping_ == kByRank) {
            const auto captures = captures_.find(rank.key.number);
            const bool is_alone = captures != captures_.end() && captures->second < 2;
            return is_alone ? own_ : own_ = "rank " + std::to_string(rank.key.number);
        }
        if (grouping_ == kByBlock) {
            const std::int32_t first = rank.key.number / block_ * block_;
            own_ = "ranks " + std::to_string(first) + "\xE2\x80\x93" + std::to_string(first + block_ - 1);
            return own_;
        }
        for (const core::ProcessGroup& group : info.groups) {
            if (kind_of(group) != grouping_) continue;
            if (group.ranks.empty()) return own_ = words_of_kind(grouping_) + " " + group.name;
            const Known& known = find(group.ranks);
            if (std::ranges::binary_search(known.ranks, rank.key.number)) return known.title;
        }
        return own_;
    }

private:
    struct Known {
        std::vector<std::int32_t> ranks;  // ascending
        std::string title;
    };
    const Known& find(const core::RankList& list) {
        const auto [at, fresh] = known_.try_emplace(&list.get());
        if (!fresh) return at->second;
        Known& known = at->second;
        known.ranks = list.get();
        std::ranges::sort(known.ranks);
        known.title = words_of_kind(grouping_) + " \xC2\xB7 rank" + (known.ranks.size() == 1 ? " " : "s ") +
                      format_members(known.ranks);
        return known;
    }

    std::string grouping_;
    std::int32_t block_;
    std::string own_;
    std::map<std::int32_t, std::size_t> captures_;  // by rank
    std::map<const std::vector<std::int32_t>*, Known> known_;  // equal lists are one object (RankList)
};

std::size_t count_groups(const core::Run& run, std::string_view grouping) {
    GroupTitles titles(run, grouping);
    std::set<std::string> seen;
    for (const core::RankSlot& rank : run.ranks()) seen.insert(titles.of(rank));
    return seen.size();
}

bool parts_ranks(const core::Run& run, std::string_view grouping) {
    GroupTitles titles(run, grouping);
    std::optional<std::string> first;
    for (const core::RankSlot& rank : run.ranks()) {
        const std::string& title = titles.of(rank);
        if (!first) first = title;
        if (*first != title) return true;
    }
    return false;
}

// Adds the trace's own name to groupings with the same title.
void tell_apart(std::vector<RankGrouping>& ways) {
    std::map<std::string, std::size_t> count;
    for (const RankGrouping& way : ways) ++count[way.title];
    for (RankGrouping& way : ways)
        if (count[way.title] > 1) way.title += " (" + way.id + ")";
}

std::int64_t name_at(const core::Run& run, const RankSorting& sorting, std::uint32_t slot) {
    return slot < sorting.names.size() ? sorting.names[slot] : run.rank(slot).key.packed();
}

std::vector<std::uint32_t> collect_sorted(const core::Run& run, const RankSorting& sorting) {
    std::vector<std::uint32_t> slots(run.ranks().size());
    std::iota(slots.begin(), slots.end(), 0u);
    const bool down = sorting.choices.descending;
    if (!sorting.measures) {
        if (sorting.choices.sort == RankSort::Rank && down) std::ranges::reverse(slots);
        return slots;
    }
    const auto weight = [&](std::uint32_t slot) {
        const auto known = sorting.measures->find(run.rank(slot).key.packed());
        if (known == sorting.measures->end()) return std::numeric_limits<double>::infinity();
        return down ? -known->second : known->second;
    };
    std::ranges::stable_sort(slots, {}, weight);
    return slots;
}

// Adds single ranks of folded groups that the user has opened.
void add_opened_ranks(RankOrder& order, const core::Run& run, const RankSorting& sorting) {
    for (RankOrder::Section& section : order.sections) {
        if (!section.folded) continue;
        for (const std::uint32_t slot : section.slots)
            if (sorting.choices.singled.contains(name_at(run, sorting, slot))) section.shown.push_back(slot);
    }
}

// Adds the ranks of folded groups that cause most waiting, on top. Skipped for few ranks, which are all in view.
void add_worst(RankOrder& order, const core::Run& run, const RankSorting& sorting) {
    constexpr std::size_t kMost = 8, kAmong = 16;
    if (!sorting.choices.worst_on_top || !sorting.worst) return;
    std::vector<std::pair<double, std::uint32_t>> candidates;
    for (const RankOrder::Section& section : order.sections) {
        if (!section.folded) continue;
        for (const std::uint32_t slot : section.slots) {
            const auto known = sorting.worst->find(run.rank(slot).key.packed());
            if (known != sorting.worst->end() && known->second > 0) candidates.emplace_back(-known->second, slot);
        }
    }
    const std::size_t count = std::min({kMost, run.ranks().size() / kAmong, candidates.size()});
    if (count == 0) return;
    const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::partial_sort(candidates, last);
    RankOrder::Section worst{
        .title = "worst " + std::to_string(count) + " ranks \xC2\xB7 " + std::string(name_of(RankSort::Caused)),
        .slots = {},
        .worst = true};
    for (auto one = candidates.begin(); one != last; ++one) worst.slots.push_back(one->second);
    const auto at = std::ranges::find(order.sections, false, &RankOrder::Section::pinned);
    order.sections.insert(at, std::move(worst));
}

std::vector<std::uint32_t> collect_slots(const RankOrder& order) {
    std::vector<std::uint32_t> slots;
    for (const RankOrder::Section& section : order.sections)
        slots.insert(slots.end(), section.slots.begin(), section.slots.end());
    return slots;
}

void add_to_section(RankOrder& order, const RankOrder::Section& like, std::uint32_t slot) {
    const auto same = std::ranges::find_if(order.sections, [&](const RankOrder::Section& section) {
        return section.title == like.title && section.pinned == like.pinned;
    });
    if (same != order.sections.end()) return same->slots.push_back(slot);
    const auto at = like.pinned ? order.sections.begin() : order.sections.end();
    order.sections.insert(at, {like.title, {slot}, like.pinned, like.folded});
}

RankMeasures measure_steps(const core::Table& table) {
    const std::size_t rank = table.find_column("rank");
    const std::size_t duration = table.find_column("duration");
    std::map<std::int64_t, std::vector<SpreadPoint>> by_rank;
    RankMeasures measures;
    if (std::max(rank, duration) >= table.columns().size()) return measures;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!table.absent(row, duration))
            by_rank[table.integer(row, rank)].push_back({{}, table.number(row, duration), 0});
    for (auto& [key, points] : by_rank) measures[key] = make_spread(std::move(points)).median;
    return measures;
}

RankMeasures measure_share(const core::Table& table, std::string_view part) {
    const std::size_t rank = table.find_column("rank");
    const std::size_t column = table.find_column(part);
    const std::size_t window = table.find_column("window");
    RankMeasures measures;
    if (std::max({rank, column, window}) >= table.columns().size()) return measures;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, column) || table.absent(row, window) || table.number(row, window) <= 0) continue;
        measures[table.integer(row, rank)] = table.number(row, column) / table.number(row, window);
    }
    return measures;
}

// Sums over a rank's rows, or means for columns that don't add up.
RankMeasures measure_column(const core::Table& table, std::string_view name) {
    const std::size_t rank = table.find_column("rank");
    const std::size_t column = table.find_column(name);
    RankMeasures measures;
    if (std::max(rank, column) >= table.columns().size()) return measures;
    std::map<std::int64_t, double> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, rank) || table.absent(row, column)) continue;
        measures[table.integer(row, rank)] += table.number(row, column);
        rows[table.integer(row, rank)] += 1;
    }
    if (!table.columns()[column].adds_up)
        for (auto& [key, measure] : measures) measure /= rows[key];
    return measures;
}

RankMeasures measure_kernel(const core::Table& table, std::string_view kernel) {
    const std::size_t rank = table.find_column("rank");
    const std::size_t name = table.find_column("kernel");
    const std::size_t mean = table.find_column("mean");
    RankMeasures measures;
    if (std::max({rank, name, mean}) >= table.columns().size()) return measures;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.text(row, name) == kernel && !table.absent(row, mean))
            measures[table.integer(row, rank)] = table.number(row, mean);
    return measures;
}

}  // namespace

std::string_view name_of(RankSort sort) {
    switch (sort) {
        case RankSort::Rank:
            return "rank";
        case RankSort::StepTime:
            return "step time";
        case RankSort::Idle:
            return "idle";
        case RankSort::Exposed:
            return "exposed communication";
        case RankSort::Caused:
            return "waiting caused";
        case RankSort::Kernel:
            return "kernel duration";
        case RankSort::Measure:
            return "measure";
    }
    return {};
}

RankChoices sorted_by(RankChoices choices, RankSort sort) {
    choices.sort = sort;
    choices.descending = sort != RankSort::Rank;
    return choices;
}

void flip_membership(std::set<std::int64_t>& ranks, std::int64_t rank) {
    if (ranks.erase(rank) == 0) ranks.insert(rank);
}

bool is_folded(const RankChoices& choices, const std::string& title) {
    return choices.fold_groups != choices.other_groups.contains(title);
}

void fold_group(RankChoices& choices, const std::string& title, bool folded) {
    if (choices.fold_groups == folded)
        choices.other_groups.erase(title);
    else
        choices.other_groups.insert(title);
}

RankChoices fold_all_groups(RankChoices choices, bool folded) {
    choices.fold_groups = folded;
    choices.other_groups.clear();
    return choices;
}

RankChoices hide_others(RankChoices choices, std::span<const std::int64_t> all, std::int64_t rank) {
    choices.hidden.insert(all.begin(), all.end());
    choices.hidden.erase(rank);
    return choices;
}

RankChoices change_ranks(RankChoices choices, RankChange change, const core::Run& run, core::EventRef selected,
                         const std::vector<std::string>& chosen_kernels) {
    if (change == RankChange::NextGrouping) {
        const std::vector<RankGrouping> ways = collect_groupings(run);
        const auto now = std::ranges::find(ways, choices.grouping, &RankGrouping::id);
        const auto next = now == ways.end() ? ways.begin() : now + 1;
        choices.grouping = next == ways.end() ? std::string() : next->id;
        return choices;
    }
    const bool is_known = selected.valid() && selected.slot < run.ranks().size();
    if (change == RankChange::SortBySelected) {
        const core::RankTrace* trace = is_known ? &run.rank(selected.slot).trace() : nullptr;
        if (trace && trace->has(selected.event, core::kGpuEvent))
            choices.kernel = trace->name_text(selected.event);
        else if (!chosen_kernels.empty())
            choices.kernel = chosen_kernels.front();
        return choices.kernel.empty() ? choices : sorted_by(choices, RankSort::Kernel);
    }
    if (!is_known) return choices;
    const std::int64_t rank = run.rank(selected.slot).key.packed();
    if (change == RankChange::PinSelected) flip_membership(choices.pinned, rank);
    if (change == RankChange::HideSelected) choices.hidden.insert(rank);
    if (change != RankChange::HideOthers) return choices;
    std::vector<std::int64_t> all;
    for (const core::RankSlot& slot : run.ranks()) all.push_back(slot.key.packed());
    return hide_others(std::move(choices), all, rank);
}

RankChoices change_rows(RankChoices choices, RowChange change, const core::Run& run, core::EventRef selected,
                        std::int64_t name) {
    if (change == RowChange::UnpinAll) choices.pinned_rows.clear();
    if (change == RowChange::UnpinAll || !selected.valid() || selected.slot >= run.ranks().size()) return choices;
    const core::RankTrace& trace = run.rank(selected.slot).trace();
    const std::string track = name_tracks(trace)[trace.lanes[trace.find_lane(selected.event)].track];
    if (change == RowChange::HideSelected) add_row(choices.hidden_rows, {name, track});
    if (change == RowChange::HideOnEveryRank) add_row(choices.hidden_rows, {kEveryRank, track});
    if (change != RowChange::PinSelected) return choices;
    if (has_track(choices.pinned_rows, name, track))
        remove_row(choices.pinned_rows, name, track);
    else
        add_row(choices.pinned_rows, {name, track});
    return choices;
}

void copy_pins(const RankChoices& from, RankChoices& to) {
    to.pinned = from.pinned;
    to.hidden = from.hidden;
    to.pinned_rows = from.pinned_rows;
    to.hidden_rows = from.hidden_rows;
}

bool have_same_pins(const RankChoices& a, const RankChoices& b) {
    return a.pinned == b.pinned && a.hidden == b.hidden && a.pinned_rows == b.pinned_rows &&
           a.hidden_rows == b.hidden_rows;
}

std::vector<RankGrouping> collect_groupings(const core::Run& run) {
    std::vector<RankGrouping> ways{{std::string(kByNode), std::string(kByNode)}};
    for (const core::RankSlot& rank : run.ranks()) {
        for (const core::ProcessGroup& group : rank.trace().info.groups) {
            const std::string kind = kind_of(group);
            if (!kind.empty() && std::ranges::find(ways, kind, &RankGrouping::id) == ways.end())
                ways.push_back({kind, words_of_kind(kind)});
        }
    }
    std::erase_if(ways, [&](const RankGrouping& way) { return !parts_ranks(run, way.id); });
    if (core::count_ranks(run).ranks < run.ranks().size()) ways.push_back({std::string(kByRank), std::string(kByRank)});
    if (run.ranks().size() > kManyRanks)
        ways.push_back({std::string(kByBlock), "blocks of " + std::to_string(block_size(run)) + " ranks"});
    tell_apart(ways);
    return ways;
}

RankChoices group_at_first(const core::Run& run) {
    constexpr std::size_t kMostGroups = 256, kFewestGroups = 8;
    RankChoices choices;
    if (run.ranks().size() <= kManyRanks) {
        if (!core::are_windows(run)) return choices;
        choices.grouping = kByRank;
        return fold_all_groups(std::move(choices), core::count_ranks(run).ranks > 1);
    }
    choices.grouping = kByBlock;
    for (const RankGrouping& way : collect_groupings(run)) {
        const std::size_t groups = count_groups(run, way.id);
        if (groups < kFewestGroups || groups > kMostGroups) continue;
        choices.grouping = way.id;
        break;
    }
    return fold_all_groups(std::move(choices), true);
}

std::string analysis_of(const RankChoices& choices) {
    switch (choices.sort) {
        case RankSort::Rank:
            return {};
        case RankSort::StepTime:
            return "steps";
        case RankSort::Idle:
        case RankSort::Exposed:
            return "temporal-breakdown";
        case RankSort::Caused:
            return "stragglers";
        case RankSort::Kernel:
            return "kernels";
        case RankSort::Measure: {
            const std::string id = choices.measure.substr(0, choices.measure.find('/'));
            return core::find_analysis(id) ? id : std::string();
        }
    }
    return {};
}

RankMeasures measure_ranks(const core::Table& table, const RankChoices& choices) {
    switch (choices.sort) {
        case RankSort::Rank:
            return {};
        case RankSort::StepTime:
            return measure_steps(table);
        case RankSort::Idle:
            return measure_share(table, "idle");
        case RankSort::Exposed:
            return measure_share(table, "exposed_communication");
        case RankSort::Caused:
            return measure_column(table, "wait_rooted");
        case RankSort::Kernel:
            return measure_kernel(table, choices.kernel);
        case RankSort::Measure:
            return measure_column(
                table, choices.measure.substr(std::min(choices.measure.find('/'), choices.measure.size() - 1) + 1));
    }
    return {};
}

std::string name_of_sort(const RankChoices& choices) {
    if (choices.sort != RankSort::Measure) return std::string(name_of(choices.sort));
    std::string name = choices.measure;
    if (const std::size_t slash = name.find('/'); slash != std::string::npos) name.replace(slash, 1, ": ");
    return name;
}

std::vector<OtherMeasure> other_measures() {
    std::vector<OtherMeasure> measures;
    for (const core::Analysis& analysis : core::all_analyses()) {
        const std::vector<core::Column>& columns = analysis.columns();
        const bool by_rank = std::ranges::any_of(columns, [](const core::Column& column) {
            return column.unit == core::Unit::Rank && column.role == core::Role::Key && column.name == "rank";
        });
        if (!by_rank) continue;
        for (const core::Column& column : columns)
            if (column.role == core::Role::Measure && column.unit != core::Unit::Text &&
                column.unit != core::Unit::Rank)
                measures.push_back({std::string(analysis.id) + "/" + column.name, analysis.title, column.name});
    }
    return measures;
}

RankOrder order_ranks(const core::Run& run, const RankSorting& sorting) {
    const RankChoices& choices = sorting.choices;
    RankOrder order{.run = run.id(), .sections = {}, .hidden = {}};
    RankOrder::Section pinned{.title = {}, .slots = {}, .pinned = true, .folded = false};
    std::map<std::string, RankOrder::Section> groups;  // by title
    GroupTitles titles(run, choices.grouping);
    std::vector<std::uint32_t> sorted = collect_sorted(run, sorting);
    if (!sorting.only.empty()) {
        const std::set<core::RankKey> only(sorting.only.begin(), sorting.only.end());
        std::erase_if(sorted, [&](std::uint32_t slot) { return !only.contains(run.rank(slot).key); });
    }
    if (choices.grouping == kByRank) titles.count(run, sorted);
    for (const std::uint32_t slot : sorted) {
        const std::int64_t name = name_at(run, sorting, slot);
        if (choices.hidden.contains(name)) {
            order.hidden.push_back(slot);
            continue;
        }
        if (choices.pinned.contains(name)) {
            pinned.slots.push_back(slot);
            continue;
        }
        std::string title = choices.grouping.empty() ? std::string() : titles.of(run.rank(slot));
        RankOrder::Section& group = groups[title];
        group.folded = !title.empty() && is_folded(choices, title);
        group.title = std::move(title);
        group.slots.push_back(slot);
    }
    if (!pinned.slots.empty()) order.sections.push_back(std::move(pinned));
    const std::size_t first = order.sections.size();
    for (auto& [title, group] : groups) order.sections.push_back(std::move(group));
    // Sorts open groups by their first rank, whatever the measures. Folded groups show one row, so they sort by the
    // measure of their first rank in the current order. Ranks without a group come last.
    const bool by_measure = sorting.measures && choices.fold_groups;
    std::vector<std::size_t> places(run.ranks().size());
    for (std::size_t i = 0; i < sorted.size(); ++i) places[sorted[i]] = i;
    const auto place = [&](const RankOrder::Section& section) {
        const std::size_t at = by_measure ? places[section.slots.front()] : *std::ranges::min_element(section.slots);
        return std::pair{section.title.empty(), at};
    };
    std::ranges::sort(order.sections.begin() + static_cast<std::ptrdiff_t>(first), order.sections.end(), {}, place);
    std::ranges::sort(order.hidden);
    add_opened_ranks(order, run, sorting);
    add_worst(order, run, sorting);
    return order;
}

RankOrder order_like(const RankOrder& baseline, const core::BySide<const core::Run*>& runs,
                     const core::RunAlignment& alignment, const RankSorting& candidate) {
    const core::Run& run = *runs.candidate;
    const RankOrder own = order_ranks(run, candidate);
    std::map<std::int64_t, std::uint32_t> slot_of_partner;
    for (const std::uint32_t slot : collect_slots(own))
        if (const auto partner = alignment.partner_of_rank(core::Side::Candidate, run.rank(slot).key))
            slot_of_partner[partner->packed()] = slot;
    RankOrder order{.run = run.id(), .sections = {}, .hidden = own.hidden};
    std::set<std::uint32_t> taken;
    for (const RankOrder::Section& section : baseline.sections) {
        for (const std::uint32_t slot : section.slots) {
            const auto partner = slot_of_partner.find(runs.baseline->rank(slot).key.packed());
            if (partner == slot_of_partner.end() || !taken.insert(partner->second).second) continue;
            add_to_section(order, section, partner->second);
        }
    }
    for (const RankOrder::Section& section : own.sections)
        for (const std::uint32_t slot : section.slots)
            if (!taken.contains(slot)) add_to_section(order, section, slot);
    add_opened_ranks(order, run, candidate);
    return order;
}

std::vector<std::int64_t> names_of_ranks(const core::Run& run, core::Side side, const core::RunAlignment& alignment) {
    std::map<core::RankKey, core::RankKey> partners;
    std::set<core::RankKey> in_baseline;
    for (const core::BySide<core::RankKey>& pair : alignment.ranks) {
        partners.emplace(pair[side], pair.baseline);
        in_baseline.insert(pair.baseline);
    }
    std::vector<std::int64_t> names;
    for (const core::RankSlot& rank : run.ranks()) {
        const auto partner = partners.find(rank.key);
        const std::int64_t own = rank.key.packed();
        const bool is_free = side == core::Side::Baseline || !in_baseline.contains(rank.key);
        names.push_back(partner != partners.end() ? partner->second.packed() : is_free ? own : -1 - own);
    }
    return names;
}

std::vector<std::int64_t> names_of_ranks(const core::Session& session, core::Side side) {
    const core::RunAlignment* alignment = session.alignment();
    const core::RunPtr& run = session.run(side);
    return alignment && run ? names_of_ranks(*run, side, *alignment) : std::vector<std::int64_t>();
}

std::vector<std::int64_t> collect_rank_names(const core::Session& session) {
    std::vector<std::int64_t> names;
    for (const core::Side side : core::kSides) {
        const std::vector<std::int64_t> of_side = names_of_ranks(session, side);
        names.insert(names.end(), of_side.begin(), of_side.end());
    }
    if (!names.empty() || !session.run()) return names;
    for (const core::RankSlot& rank : session.run()->ranks()) names.push_back(rank.key.packed());
    return names;
}

}  // namespace ui
