#include "ui/view_models/overview_model.hpp"

#include "core/base/format.hpp"
#include "ui/view_models/breakdown_model.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ui {
namespace {

std::string count_text(std::size_t count) { return core::format_count(static_cast<std::int64_t>(count)); }

struct StepRow {
    core::RankKey rank;
    std::int64_t number;
    core::Duration start;
    core::Duration duration;
};

std::vector<StepRow> read_steps(const core::Table& table) {
    const std::size_t rank = table.find_column("rank");
    const std::size_t step = table.find_column("step");
    const std::size_t start = table.find_column("start");
    const std::size_t duration = table.find_column("duration");
    std::vector<StepRow> rows;
    if (std::max({rank, step, start, duration}) >= table.columns().size()) return rows;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!table.absent(row, duration) && !table.absent(row, step))
            rows.push_back({core::RankKey::unpacked(table.integer(row, rank)), table.integer(row, step),
                            core::Duration{table.integer(row, start)}, core::Duration{table.integer(row, duration)}});
    return rows;
}

std::string steps_per_rank(const std::vector<StepRow>& rows) {
    std::map<core::RankKey, std::size_t> counts;
    for (const StepRow& row : rows) ++counts[row.rank];
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::ranges::minmax_element(counts, by_count);
    const std::string high = count_text(most->second);
    return least->second == most->second ? high : count_text(least->second) + "\xE2\x80\x93" + high;
}

void add_steps(const core::Run& run, const core::Table& table, OverviewModel& model) {
    std::vector<StepRow> rows = read_steps(table);
    if (rows.empty()) return;
    model.size.push_back({"Steps", steps_per_rank(rows), "per rank", {}, {}});
    if (rows.size() == 1) {
        model.steps.push_back({"Step " + std::to_string(rows[0].number),
                               core::format_duration(rows[0].duration),
                               "the only one",
                               {},
                               {}});
        return;
    }
    std::ranges::sort(rows, {}, &StepRow::duration);
    const core::Duration median = rows[rows.size() / 2].duration;
    const StepRow& worst = rows.back();
    model.steps.push_back(
        {"Step, median",
         core::format_duration(median),
         core::format_duration(rows.front().duration) + " to " + core::format_duration(worst.duration),
         {},
         {}});
    const double over =
        median.count() > 0 ? static_cast<double>(worst.duration.count()) / static_cast<double>(median.count()) - 1 : 0;
    const core::RunTime begin = run.origin() + worst.start;
    model.steps.push_back({"Slowest step",
                           "Step " + std::to_string(worst.number) + ", rank " + core::format_rank(worst.rank),
                           "+" + core::format_ratio(over),
                           core::RunRange{begin, begin + worst.duration},
                           {}});
}

void add_share(const std::vector<RankTimes>& ranks, std::string label, double (*part)(const RankTimes&),
               bool less_is_worse, OverviewModel& model) {
    double whole = 0;
    double sum = 0;
    const RankTimes* worst = nullptr;
    const auto share = [part](const RankTimes& rank) { return part(rank) / rank.window(); };
    for (const RankTimes& rank : ranks) {
        if (rank.absent || rank.window() <= 0) continue;
        whole += rank.window();
        sum += part(rank);
        if (!worst || (less_is_worse ? share(rank) < share(*worst) : share(rank) > share(*worst))) worst = &rank;
    }
    if (!worst) return;
    const std::string note = ranks.size() < 2
                                 ? std::string()
                                 : (less_is_worse ? "least: rank " : "most: rank ") + core::format_rank(worst->key) +
                                       ", " + core::format_ratio(share(*worst));
    model.time.push_back({std::move(label),
                          core::format_ratio(sum / whole),
                          note,
                          {},
                          ranks.size() < 2 ? std::nullopt : std::optional(worst->key)});
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
    for (const auto& [key, texts] : values) {
        const std::string note = texts.size() > 1 ? "and " + count_text(texts.size() - 1) + " more" : "";
        model.environment.push_back({key, *texts.begin(), note, {}, {}});
    }
}

}  // namespace

OverviewModel OverviewModel::of(const core::Run& run, const core::Table* breakdown, const core::Table* steps) {
    OverviewModel model;
    std::string world;
    for (const core::RankSlot& rank : run.ranks())
        if (rank.trace().info.world_size) world = "of " + std::to_string(*rank.trace().info.world_size);
    model.size.push_back({"Ranks", count_text(run.ranks().size()), world, {}, {}});
    model.size.push_back({"Window", core::format_duration(run.window().length()), "", run.window(), {}});
    if (steps) add_steps(run, *steps, model);
    if (breakdown) {
        const std::vector<RankTimes> ranks = BreakdownModel::of_answers(*breakdown, nullptr).ranks;
        add_share(
            ranks, "Compute", [](const RankTimes& r) { return r.compute; }, true, model);
        add_share(
            ranks, "Exposed communication", [](const RankTimes& r) { return r.exposed_communication; }, false, model);
        add_share(
            ranks, "Exposed memory", [](const RankTimes& r) { return r.exposed_memory; }, false, model);
        add_share(
            ranks, "Idle", [](const RankTimes& r) { return r.idle; }, false, model);
    }
    add_environment(run, model);
    const core::Diagnostics diagnostics = run.all_diagnostics();
    for (const core::Diagnostic& entry : diagnostics.entries())
        if (entry.kind->severity >= core::Severity::Repair) ++model.losses;
    return model;
}

}  // namespace ui
