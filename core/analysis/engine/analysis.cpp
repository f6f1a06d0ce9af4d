#include "core/analysis/engine/analysis.hpp"

#include "core/analysis/engine/explain_waiting.hpp"
#include "core/analysis/engine/flop_expression.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/writer_advice.hpp"
#include "core/base/join_text.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace core {

namespace {

bool is_step_term(const FilterTerm& term) { return std::holds_alternative<StepTerm>(term.what); }
bool chooses_events_only(const FilterTerm& term) { return !chooses_work(term); }

Error refused(std::string message) { return {ErrorCode::BadInput, std::move(message)}; }

std::string parameter_names(const Analysis& analysis) {
    std::vector<std::string_view> names;
    for (const Param& param : analysis.params) names.push_back(param.name);
    return names.empty() ? "it has none" : "it has " + join_text(names, ", ");
}

std::string format_value(const Param& param, std::int64_t value) {
    if (!param.choices.empty()) return std::string(param.choices[static_cast<std::size_t>(value)]);
    if (param.unit == Unit::Flop && value != 0) return std::to_string(value) + "000000";  // kept in millions
    return std::to_string(value) + (param.unit == Unit::Ns ? "ns" : "");
}

Result<std::int64_t> parse_integer(const Param& param, const std::string& text) {
    if (param.unit == Unit::Ns) {
        const Result<Duration> duration = parse_duration(text);
        if (!duration) return duration.error();
        return duration->count();
    }
    if (param.unit == Unit::Flop) {
        const Result<double> flop = parse_flop_expression(text);
        if (!flop) return flop.error();
        const double millions = std::round(*flop / 1e6);
        return millions > static_cast<double>(param.most) ? std::numeric_limits<std::int64_t>::max()
                                                          : static_cast<std::int64_t>(millions);
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return refused("'" + text + "' is not a whole number");
    return value;
}

Result<std::int64_t> parse_value(const Param& param, const std::string& text) {
    if (!param.choices.empty()) {
        const auto it = std::ranges::find(param.choices, text);
        if (it == param.choices.end()) return refused("'" + text + "' is not one of " + join_text(param.choices, ", "));
        return it - param.choices.begin();
    }
    Result<std::int64_t> value = parse_integer(param, text);
    if (value && (*value < param.least || *value > param.most)) {
        return refused(text + " is not in " + format_value(param, param.least) + " .. " +
                       format_value(param, param.most));
    }
    return value;
}

constexpr std::string_view kPartSlot = "slot";

struct PartSlot {
    std::uint32_t slot = 0;
};

std::vector<EventId> in_time(const IntervalTree& tree, std::span<const EventId> all,
                             const std::optional<RankRange>& time) {
    if (!time) return {all.begin(), all.end()};
    std::vector<EventId> events;
    tree.collect_overlapping(*time, events);
    return events;
}

}  // namespace

template <>
inline constexpr auto kFields<PartSlot> = std::tuple{field("slot", &PartSlot::slot)};

void add_slot(const RankView& view, Partial& partial) {
    Table table = make_record_table<PartSlot>();
    add_record(table, PartSlot{static_cast<std::uint32_t>(view.slot)});
    partial.tables.push_back({std::string(kPartSlot), std::move(table)});
}

std::vector<std::uint32_t> collect_slots(std::span<const Partial* const> partials) {
    std::vector<std::uint32_t> slots;
    for (const Partial* const partial : partials)
        if (const Table* const table = partial->find(kPartSlot); table && table->rows() > 0)
            slots.push_back(read_record<PartSlot>(*table, 0).slot);
    return slots;
}

NoRows explain_no_rows(const Analysis& analysis, const Run& run, const Filter& filter) {
    using enum NoRows::Reason;
    if (analysis.input == Input::Collectives) return {NoInput, explain_no_waiting(run, filter)};
    if (analysis.input == Input::SizedCollectives) return {NoInput, explain_no_sizes(run, filter)};
    if (!analysis.of_cpu && !has_gpu_events(run)) return {NoInput, explain_no_gpu_events(run)};
    if (!has_gpu_events(run) && analysis.input == Input::Launches)
        return {NoInput, "The traces have no GPU events that launches could be linked to."};
    if (analysis.input == Input::Outliers) return {NothingStandsOut, "Nothing stands out."};
    if (filter.empty()) {
        const bool launches = analysis.input == Input::Launches;
        return {NoInput,
                "The traces have no " + std::string(launches ? "launches of GPU work" : analysis.made_of) + "."};
    }
    return {NothingPasses, "Nothing passes the filter."};
}

bool has_no_numbers(const Table& table) {
    if (std::ranges::none_of(table.columns(), [](const Column& column) { return column.role == Role::Measure; }))
        return table.rows() == 0;
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
        if (table.columns()[column].role != Role::Measure) continue;
        for (std::size_t row = 0; row < table.rows(); ++row)
            if (!table.absent(row, column)) return false;
    }
    return true;
}

const Table* Answer::find(std::string_view table) const {
    if (table.empty()) return &main();
    const auto found = std::ranges::find(tables, table, &NamedTable::name);
    return found == tables.end() ? nullptr : &found->table;
}

std::size_t Answer::resident_bytes() const {
    std::size_t bytes = sizeof(Answer) + marks.size() * sizeof(Mark);
    for (const NamedTable& named : tables) bytes += named.table.resident_bytes();
    for (const Series& one : series) bytes += one.time.size() * (sizeof(RunTime) + sizeof(double));
    return bytes;
}

bool RankView::has_gpu_work() const { return !selection->window_events().empty(); }

RankRange RankView::window() const { return visible(selection->window()); }

RankRange RankView::visible(RankRange whole) const {
    if (!time) return whole;
    const RankTime begin = std::max(whole.begin, time->begin);
    return {begin, std::max(begin, std::min(whole.end, time->end))};
}

bool RankView::passes(EventId e) const {
    if (!selection->passes(e)) return false;
    if (!time) return true;
    const RankRange range = trace().range(e);
    const bool is_moment_inside = range.empty() && time->contains(range.begin);
    return is_moment_inside || !visible(range).empty();
}

std::vector<EventId> RankView::gpu_events() const {
    return in_time(selection->gpu_tree(), selection->gpu_events(), time);
}

std::vector<EventId> RankView::window_events() const {
    return in_time(selection->window_tree(), selection->window_events(), time);
}

namespace {

// Another selection of the same rank and filter, which several analyses ask for: it is kept with the first. Tag: which.
template <class Tag>
struct KeptSelection {
    SelectionPtr selection;
};
template <class Tag>
Result<SelectionPtr> keep_selection(const RankView& view, const Filter& filter, const JobContext& context) {
    std::optional<Error> error;
    const auto kept = view.selection->derived().get<KeptSelection<Tag>>([&]() -> std::shared_ptr<KeptSelection<Tag>> {
        Result<SelectionPtr> built = Selection::build(*view.run, view.slot, filter, context);
        if (built) return std::make_shared<KeptSelection<Tag>>(KeptSelection<Tag>{*std::move(built)});
        error = std::move(built).error();
        return nullptr;
    });
    if (!kept) return *error;
    return kept->selection;
}
struct OfAllSteps {};
struct OfWindow {};

}  // namespace

Result<SelectionPtr> RankView::build_selection_of_all_steps(const JobContext& context) const {
    if (std::ranges::none_of(filter->terms, is_step_term)) return selection;
    Filter others = filter->without_time_and_rank();
    std::erase_if(others.terms, is_step_term);
    return keep_selection<OfAllSteps>(*this, others, context);
}

Result<SelectionPtr> RankView::build_selection_of_window(const JobContext& context) const {
    Filter others = filter->without_time_and_rank();
    if (std::erase_if(others.terms, chooses_events_only) == 0) return selection;
    return keep_selection<OfWindow>(*this, others, context);
}

std::vector<Excluded> RankView::collect_excluded() const {
    if (std::ranges::none_of(filter->terms, is_step_term)) return {};
    std::uint64_t count = 0;
    for (const EventId e : trace().gpu_events) {
        if (!selection->passes(e) && !trace().step_of(e)) ++count;
    }
    if (count == 0) return {};
    return {{"GPU events that belong to no step", count}};
}

RankView view_rank(const Run& run, std::size_t slot, const Filter& filter, SelectionPtr selection) {
    RankView view{
        .run = &run, .slot = slot, .filter = &filter, .selection = std::move(selection), .time = std::nullopt};
    if (const std::optional<RunRange> time = filter.time_range(run)) view.time = run.rank(slot).to_rank(*time);
    return view;
}

Result<RankView> build_rank_view(const Run& run, std::size_t slot, const Filter& filter, const JobContext& context) {
    Result<SelectionPtr> selection = Selection::build(run, slot, filter.without_time_and_rank(), context);
    if (!selection) return std::move(selection).error();
    return view_rank(run, slot, filter, *std::move(selection));
}

ComparedRanks one_capture_per_rank(std::span<const Partial* const> partials, std::size_t table, std::size_t column) {
    const auto key_of = [&](const Partial* partial) {
        return RankKey::unpacked(partial->tables[table].table.integer(0, column));
    };
    std::map<std::int32_t, std::size_t> ranks_with;  // by capture
    std::map<std::int32_t, std::set<std::int32_t>> captures;  // by rank
    std::vector<const Partial*> with_rows;
    for (const Partial* partial : partials) {
        if (partial->tables[table].table.rows() == 0) continue;
        with_rows.push_back(partial);
        const RankKey key = key_of(partial);
        ++ranks_with[key.capture];
        captures[key.number].insert(key.capture);
    }
    const auto most = std::ranges::max_element(ranks_with, {}, [](const auto& of) { return of.second; });
    ComparedRanks compared;
    for (const Partial* partial : with_rows) {
        const RankKey key = key_of(partial);
        const std::set<std::int32_t>& own = captures.at(key.number);
        if (key.capture == (own.contains(most->first) ? most->first : *own.begin()))
            compared.partials.push_back(partial);
        else
            ++compared.left_out;
    }
    return compared;
}

Result<Params> make_params(const Analysis& analysis, std::span<const std::pair<std::string, std::string>> given) {
    Params params;
    for (const Param& param : analysis.params) params.push_back(param.standard);
    for (const auto& [name, text] : given) {
        const auto it = std::ranges::find(analysis.params, std::string_view(name), &Param::name);
        if (it == analysis.params.end()) {
            return refused(std::string(analysis.id) + " has no parameter '" + name + "': " + parameter_names(analysis));
        }
        Result<std::int64_t> value = parse_value(*it, text);
        if (!value) return std::move(value).error().within(name);
        params[static_cast<std::size_t>(it - analysis.params.begin())] = *value;
    }
    return params;
}

std::string format_params(const Analysis& analysis, const Params& params) {
    std::string text;
    for (std::size_t i = 0; i < params.size(); ++i) {
        text +=
            (i ? " " : "") + std::string(analysis.params[i].name) + "=" + format_value(analysis.params[i], params[i]);
    }
    return text;
}

}  // namespace core
