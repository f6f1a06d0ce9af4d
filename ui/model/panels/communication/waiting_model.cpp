#include "ui/model/panels/communication/waiting_model.hpp"

#include "core/analysis/collectives/waiting_words.hpp"
#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"
#include "core/session/paged_run.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ui {
namespace {

constexpr std::string_view kNoStepName = "none";

// 0 if the column or the cell is absent: a rank without a match has no waits.
double number_of(const core::Table& table, std::size_t row, std::string_view column) {
    const std::size_t at = table.find_column(column);
    return at == table.columns().size() || table.absent(row, at) ? 0 : table.number(row, at);
}

std::string text_of(const core::Table& table, std::size_t row, std::string_view column) {
    const std::size_t at = table.find_column(column);
    return at == table.columns().size() || table.absent(row, at) ? std::string() : std::string(table.text(row, at));
}

std::optional<std::size_t> find_rank(const WaitingModel& model, core::RankKey rank) {
    const auto it = std::ranges::lower_bound(model.ranks, rank, {}, &WaitingRank::rank);
    if (it == model.ranks.end() || it->rank != rank) return std::nullopt;
    return static_cast<std::size_t>(it - model.ranks.begin());
}

void add_ranks(const core::Run& run, const core::Table& table, const core::Filter& filter, WaitingModel& model) {
    const std::size_t key = table.find_column("rank");
    std::map<core::RankKey, WaitingRank> ranks;
    std::map<core::RankKey, double> most;  // longest wait, by capture
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const core::RankKey capture = core::RankKey::unpacked(table.integer(row, key));
        WaitingRank& rank = ranks[core::counted_as(run, capture)];
        rank.rank = core::counted_as(run, capture);
        rank.captures.push_back(capture);
        rank.caused += number_of(table, row, "wait_caused");
        const double rooted = number_of(table, row, "wait_rooted");
        rank.rooted += rooted;
        const double waited = number_of(table, row, "own_wait");
        rank.waited += waited;
        rank.gain += number_of(table, row, "gain");
        rank.last += std::llround(number_of(table, row, "last"));
        rank.collectives += std::llround(number_of(table, row, "collectives"));
        rank.flagged = rank.flagged || text_of(table, row, "flagged") == "yes";
        model.total += waited;
        // The cause shown is that of the capture whose waits cost most.
        const auto [costliest, is_first] = most.try_emplace(rank.rank, rooted);
        if (!is_first && rooted <= costliest->second) continue;
        costliest->second = rooted;
        rank.cause = text_of(table, row, "cause");
    }
    for (auto& [shown, rank] : ranks) {
        std::ranges::sort(rank.captures);
        rank.faded = !rank.passes(filter);
        model.ranks.push_back(std::move(rank));
        model.rank_labels.push_back(core::format_rank(shown));
    }
}

void sort_by_cost(WaitingModel& model, bool directly) {
    model.order.resize(model.ranks.size());
    std::iota(model.order.begin(), model.order.end(), std::size_t{0});
    std::ranges::stable_sort(model.order, std::greater{}, [&](std::size_t i) { return model.ranks[i].of(directly); });
}

// Waits are amounts: a small difference between large ones is not to look like much.
core::HeatScale scale_from_zero(const std::vector<double>& values) {
    core::HeatScale scale = core::find_heat_scale(values);
    scale.low = std::min(0.0, scale.low);
    return scale;
}

// NaN means no value yet; it turns into a sum with the first one.
void add_to(double& sum, double value) { sum = std::isnan(sum) ? value : sum + value; }

void add_pairs(const core::Run& run, const core::Answer& answer, WaitingModel& model) {
    const auto most = static_cast<std::ptrdiff_t>(std::min(kMostPaired, model.order.size()));
    model.paired.assign(model.order.begin(), model.order.begin() + most);
    std::ranges::sort(model.paired);
    for (const std::size_t rank : model.paired) model.pair_labels.push_back(model.rank_labels[rank]);
    const auto find_paired = [&](core::RankKey key) -> std::optional<std::size_t> {
        const auto rank = find_rank(model, core::counted_as(run, key));
        const auto found = std::ranges::lower_bound(model.paired, rank.value_or(model.ranks.size()));
        if (!rank || found == model.paired.end() || *found != *rank) return std::nullopt;
        return static_cast<std::size_t>(found - model.paired.begin());
    };
    model.pairs.assign(model.paired.size() * model.paired.size(), std::nan(""));
    model.pair_events.assign(model.pairs.size(), {});
    const core::Table* const table = answer.find("pairs");
    if (table == nullptr) return;
    const std::size_t waits = table->find_column("rank"), awaited = table->find_column("waits_for");
    const std::size_t wait = table->find_column("wait"), event = table->find_column("event");
    std::vector<double> longest(model.pairs.size(), 0);  // longest wait, by capture
    for (std::size_t row = 0; row < table->rows(); ++row) {
        const core::RankKey from = core::RankKey::unpacked(table->integer(row, waits));
        const auto a = find_paired(from);
        const auto b = find_paired(core::RankKey::unpacked(table->integer(row, awaited)));
        if (!a || !b) continue;
        const std::size_t pair = model.at(*a, *b);
        const double waited = table->number(row, wait);
        add_to(model.pairs[pair], waited);
        if (table->absent(row, event) || waited <= longest[pair]) continue;
        longest[pair] = waited;
        model.pair_events[pair] = core::find_told_event(run, from, table->integer(row, event));
    }
    model.pair_scale = scale_from_zero(model.pairs);
}

// Steps ascend; rows without a step come last.
void add_steps(const core::Run& run, const core::Table& table, bool directly, WaitingModel& model) {
    const std::size_t step = table.find_column("step"), rank = table.find_column("rank");
    const std::size_t value = table.find_column(directly ? "wait_caused" : "wait_rooted");
    if (std::max({step, rank, value}) >= table.columns().size()) return;
    const auto number = [&](std::size_t row) -> std::optional<std::int64_t> {
        const std::string text(table.text(row, step));
        return text == kNoStepName ? std::nullopt : std::optional<std::int64_t>(std::stoll(text));
    };
    const auto before = [](const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
        return a && b ? *a < *b : a.has_value() && !b;
    };
    for (std::size_t row = 0; row < table.rows(); ++row) model.steps.push_back(number(row));
    std::ranges::sort(model.steps, before);
    const auto rest = std::ranges::unique(model.steps);
    model.steps.erase(rest.begin(), rest.end());
    for (const auto& one : model.steps)
        model.step_labels.push_back(one ? std::to_string(*one) : std::string(kNoStepName));
    model.by_step.assign(model.ranks.size() * model.steps.size(), std::nan(""));
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto at = find_rank(model, core::counted_as(run, core::RankKey::unpacked(table.integer(row, rank))));
        if (!at) continue;
        const auto column =
            static_cast<std::size_t>(std::ranges::lower_bound(model.steps, number(row), before) - model.steps.begin());
        add_to(model.by_step[*at * model.steps.size() + column], table.number(row, value));
    }
    model.step_scale = scale_from_zero(model.by_step);
}

std::string format_ns(double ns) { return core::format_duration(core::Duration{std::llround(ns)}); }

}  // namespace

std::string describe_clocks_of(const core::Answer& answer) {
    const core::Table* const table = answer.find("clocks");
    if (table == nullptr || table->rows() == 0) return {};
    const std::size_t clocks = table->find_column("clocks"), error = table->find_column("error");
    bool mixed = false;
    double most = 0;
    for (std::size_t row = 0; row < table->rows(); ++row) {
        mixed |= table->text(row, clocks) != table->text(0, clocks);
        if (!table->absent(row, error)) most = std::max(most, table->number(row, error));
    }
    return "clocks " + (mixed ? std::string("partly aligned") : std::string(table->text(0, clocks))) + ", error " +
           format_ns(most);
}

std::string describe_remarks_of(const core::Answer& answer) {
    const core::Table* const table = answer.find("clocks");
    std::string all;
    for (std::size_t row = 0; table != nullptr && row < table->rows(); ++row) {
        const std::string one = text_of(*table, row, "remark");
        if (one.empty() || all.find(one) != std::string::npos) continue;
        all += (all.empty() ? "" : "; ") + one;
    }
    if (!all.empty()) all[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(all[0])));
    return all;
}

bool WaitingRank::passes(const core::Filter& filter) const {
    return std::ranges::any_of(captures, [&](core::RankKey capture) { return filter.accepts_rank(capture); });
}

std::optional<std::size_t> WaitingModel::chosen(const core::Filter& filter) const {
    std::optional<std::size_t> only;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (!ranks[i].passes(filter)) continue;
        if (only) return order.front();
        only = i;
    }
    return only || order.empty() ? only : std::optional(order.front());
}

WaitingModel WaitingModel::of(const core::Run& run, const core::Answer& stragglers, const core::Table& by_step,
                              const core::Filter& filter, bool directly) {
    WaitingModel model;
    add_ranks(run, stragglers.main(), filter, model);
    sort_by_cost(model, directly);
    if (model.ranks.empty()) return model;
    add_pairs(run, stragglers, model);
    add_steps(run, by_step, directly, model);
    model.headline = core::headline_of(stragglers, run, directly);
    model.clocks = describe_clocks_of(stragglers);
    model.remark = describe_remarks_of(stragglers);
    return model;
}

}  // namespace ui
