#include "ui/model/panels/overview_model.hpp"

#include "ui/model/panels/breakdown_model.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ui {
namespace {

constexpr double kNoticeableExcess = 0.01;   // of the median rank's step time

std::vector<StepTime> read_steps(const core::Run& run, const core::Table& table) {
    const std::size_t rank = table.find_column("rank");
    const std::size_t step = table.find_column("step");
    const std::size_t start = table.find_column("start");
    const std::size_t duration = table.find_column("duration");
    std::vector<StepTime> steps;
    if (std::max({rank, step, start, duration}) >= table.columns().size()) return steps;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, duration) || table.absent(row, step)) continue;
        const core::RunTime begin = run.origin() + core::Duration{table.integer(row, start)};
        steps.push_back({core::RankKey::unpacked(table.integer(row, rank)),
                         table.integer(row, step),
                         table.number(row, duration),
                         {begin, begin + core::Duration{table.integer(row, duration)}}});
    }
    return steps;
}

Spread spread_over_ranks(const std::vector<StepTime>& steps) {
    std::map<core::RankKey, std::vector<SpreadPoint>> by_rank;
    for (const StepTime& step : steps) by_rank[step.rank].push_back({{}, step.duration});
    std::vector<SpreadPoint> medians;
    for (auto& [key, points] : by_rank)
        medians.push_back({core::format_rank(key), make_spread(std::move(points)).median, key.packed()});
    return make_spread(std::move(medians));
}

std::vector<StepTime> slowest_of_each_step(const std::vector<StepTime>& steps) {
    std::map<std::int64_t, StepTime> slowest;
    for (const StepTime& step : steps) {
        const auto [at, fresh] = slowest.try_emplace(step.step, step);
        if (!fresh && step.duration > at->second.duration) at->second = step;
    }
    std::vector<StepTime> found;
    for (const auto& [number, step] : slowest) found.push_back(step);
    return found;
}

StepTimes collect_step_times(const core::Run& run, const core::Table& table) {
    StepTimes times;
    const std::vector<StepTime> steps = read_steps(run, table);
    if (steps.empty()) return times;
    std::vector<SpreadPoint> all;
    std::map<core::RankKey, std::size_t> counts;
    for (const StepTime& step : steps) {
        all.push_back({{}, step.duration, static_cast<std::int64_t>(all.size())});
        ++counts[step.rank];
    }
    times.all = make_spread(std::move(all));
    times.over_ranks = spread_over_ranks(steps);
    times.slowest = slowest_of_each_step(steps);
    std::vector<SpreadPoint> longest;
    for (const StepTime& step : times.slowest) longest.push_back({std::to_string(step.step), step.duration, step.step});
    times.over_steps = make_spread(std::move(longest));
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::ranges::minmax_element(counts, by_count);
    times.least_per_rank = least->second;
    times.most_per_rank = most->second;
    return times;
}

void add_part(const std::vector<RankTimes>& ranks, TimePart part, double RankTimes::*member, OverviewModel& model) {
    double whole = 0;
    bool any = false;
    for (const RankTimes& rank : ranks) {
        if (rank.absent || rank.window() <= 0) continue;
        const double share = rank.*member / rank.window();
        whole += rank.window();
        part.time += rank.*member;
        if (any && (part.least_is_worst ? share >= part.worst_share : share <= part.worst_share)) continue;
        any = true;
        part.worst = rank.key;
        part.worst_share = share;
    }
    if (!any) return;
    part.share = part.time / whole;
    model.parts.push_back(part);
}

void add_parts(const std::vector<RankTimes>& ranks, OverviewModel& model) {
    model.ranks_with_parts = static_cast<std::size_t>(
        std::ranges::count_if(ranks, [](const RankTimes& rank) { return !rank.absent && rank.window() > 0; }));
    add_part(ranks, {"compute", "Compute", 0, 0, true, {}, 0}, &RankTimes::compute, model);
    add_part(ranks, {"exposed_communication", "Exposed communication", 0, 0, false, {}, 0},
             &RankTimes::exposed_communication, model);
    add_part(ranks, {"exposed_memory", "Exposed memory", 0, 0, false, {}, 0}, &RankTimes::exposed_memory, model);
    add_part(ranks, {"idle", "Idle", 0, 0, false, {}, 0}, &RankTimes::idle, model);
}

// The first row is the rank that most waiting is rooted in.
std::optional<WorstRank> find_straggler(const core::Table* stragglers) {
    if (!stragglers || stragglers->rows() == 0) return std::nullopt;
    if (stragglers->text(0, stragglers->find_column("flagged")) != "yes") return std::nullopt;
    const std::int64_t waited = stragglers->integer(0, stragglers->find_column("wait_rooted"));
    return WorstRank{core::RankKey::unpacked(stragglers->integer(0, stragglers->find_column("rank"))), false, 0, 0,
                     waited};
}

std::optional<WorstRank> find_worst_rank(const OverviewModel& model, const core::Table* stragglers) {
    if (const std::optional<WorstRank> straggler = find_straggler(stragglers)) return straggler;
    const Spread& ranks = model.steps.over_ranks;
    const double over = OverviewModel::over_median(ranks, ranks.greatest);
    if (ranks.points.size() > 1 && over >= kNoticeableExcess)
        return WorstRank{core::RankKey::unpacked(ranks.points[ranks.at_greatest].id), true, over, 0, 0};
    const auto idle = std::ranges::find(model.parts, std::string_view("idle"), &TimePart::id);
    if (idle == model.parts.end() || model.ranks_with_parts < 2) return std::nullopt;
    return WorstRank{idle->worst, false, 0, idle->worst_share, 0};
}

std::string without_quotes(const std::string& text) {
    return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

void add_environment(const core::Run& run, OverviewModel& model) {
    std::map<std::string, std::set<std::string>> values;
    for (const core::RankSlot& rank : run.ranks()) {
        const core::RankInfo& info = rank.trace().info;
        for (const core::Device& device : info.devices) values["Device"].insert(device.name);
        if (!info.host.empty()) values["Host"].insert(info.host);
        if (!info.backend.empty()) values["Backend"].insert(info.backend);
        for (const auto& [key, text] : info.environment)
            if (text.size() > 1) values[key].insert(without_quotes(text));  // switches of the profiler are 0 or 1
    }
    for (const auto& [key, texts] : values) model.environment.push_back({key, *texts.begin(), texts.size() - 1});
    std::ranges::stable_partition(model.environment, [](const auto& line) { return line.label == "Device"; });
}

}  // namespace

double OverviewModel::over_median(const Spread& spread, double value) {
    return spread.median > 0 ? value / spread.median - 1 : 0;
}

OverviewModel OverviewModel::of(const core::Run& run, const core::Table* breakdown, const core::Table* steps,
                                const core::Table* stragglers) {
    OverviewModel model;
    model.ranks = run.ranks().size();
    for (const core::RankSlot& rank : run.ranks())
        if (const std::optional<int> size = rank.trace().info.world_size)
            model.world_size = std::max(model.world_size.value_or(0), *size);
    model.window = run.window();
    if (steps) model.steps = collect_step_times(run, *steps);
    if (breakdown) add_parts(RunBreakdown::of_answers(*breakdown, nullptr, {}).ranks, model);
    model.worst_rank = find_worst_rank(model, stragglers);
    add_environment(run, model);
    const core::Diagnostics diagnostics = run.all_diagnostics();
    for (const core::Diagnostic& entry : diagnostics.entries())
        if (entry.kind->severity >= core::Severity::Repair) ++model.losses;
    return model;
}

}  // namespace ui
