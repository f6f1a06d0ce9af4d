#include "core/export/statistics_json.hpp"

#include "core/diff/statistics/statistics_text.hpp"
#include "core/export/contributions_text.hpp"

#include <nlohmann/json.hpp>

namespace core {
namespace {

template <class T>
SmallJson json_or_null(const std::optional<T>& value) {
    return value ? SmallJson(*value) : SmallJson();
}

SmallJson json_interval(const std::optional<stats::Interval>& interval) {
    return interval ? SmallJson::array({interval->low, interval->high}) : SmallJson();
}

SmallJson json_dropped(const StepStatistics& statistics) {
    SmallJson dropped = SmallJson::object();
    for (const StepDrop why : kStepDrops) {
        BySide<std::size_t> counts;
        for (const Side side : kSides)
            for (const StepSample& run : statistics.samples[side]) counts[side] += run.count(why);
        dropped[std::string(name_of(why))] = SmallJson::array({counts.baseline, counts.candidate});
    }
    return dropped;
}

SmallJson json_values(const StepStatistics& statistics) {
    SmallJson values = SmallJson::object();
    for (const Side side : kSides) values[std::string(name_of(side))] = statistics.step.values[side];
    return values;
}

SmallJson json_permutations(const StepStatistics& statistics) {
    SmallJson all = SmallJson::object();
    for (const PermutedStatistic& one : statistics.permuted)
        all[std::string(one.name)] = {{"ns", {one.ns.baseline, one.ns.candidate}},
                                      {"change", one.ns.candidate - one.ns.baseline},
                                      {"p", one.test.p},
                                      {"exact", one.test.exact},
                                      {"choices", one.test.choices}};
    return all;
}

SmallJson json_step(const StepStatistics& statistics) {
    SmallJson step = json_tested(statistics.step);
    step["level"] = statistics.of_runs ? "runs" : "steps";
    step["between_captures"] = !statistics.of_runs;
    step["paired"] = statistics.step.samples.paired;
    step["noise"] = json_or_null(statistics.options.noise);
    step["dropped"] = json_dropped(statistics);
    step["values"] = json_values(statistics);
    if (!statistics.permuted.empty()) step["permutation"] = json_permutations(statistics);
    if (statistics.of_runs) {
        step["within"] = SmallJson::array(
            {json_or_null(statistics.within_ns.baseline), json_or_null(statistics.within_ns.candidate)});
        step["between"] = SmallJson::array(
            {json_or_null(statistics.between_ns.baseline), json_or_null(statistics.between_ns.candidate)});
    }
    return step;
}

}  // namespace

SmallJson json_tested(const Tested& tested) {
    const stats::TwoSamples& s = tested.samples;
    SmallJson json{{"n", {s.baseline.n, s.candidate.n}},
                   {"mean", SmallJson::array({s.baseline.n ? SmallJson(s.baseline.mean) : SmallJson(),
                                              s.candidate.n ? SmallJson(s.candidate.mean) : SmallJson()})}};
    for (const char* const name : {"change", "se", "t", "df", "p", "ci", "detectable", "ratio_ci"})
        json[name] = nullptr;
    if (s.welch) {
        json["change"] = s.welch->change;
        json["se"] = s.welch->se;
        json["t"] = json_or_null(s.welch->t);
        json["df"] = json_or_null(s.welch->df);
        json["p"] = s.welch->p;
        json["ci"] = json_interval(s.welch->interval);
        json["detectable"] = s.welch->detectable;
        json["ratio_ci"] = json_interval(s.welch->ratio);
    }
    json["rank"] = !s.rank ? SmallJson()
                           : SmallJson{{"u", s.rank->u},
                                       {"p", s.rank->p},
                                       {"cliff", s.rank->cliff},
                                       {"exact", s.rank->exact},
                                       {"least_p", s.rank->least_p}};
    json["shift"] = s.shift ? SmallJson(s.shift->median) : SmallJson();
    json["shift_ci"] = s.shift ? json_interval(s.shift->interval) : SmallJson();
    json["g"] = json_or_null(s.g);
    json["r"] = SmallJson::array({json_or_null(s.baseline.autocorrelation), json_or_null(s.candidate.autocorrelation)});
    json["tolerance"] = tested.tolerance_ns;
    json["verdict"] = name_of(verdict_of(tested));
    json["why"] =
        tested.judgement.doubt == stats::Doubt::None ? SmallJson() : SmallJson(name_of(tested.judgement.doubt));
    if (tested.family == 0) return json;
    json["family"] = tested.family;
    json["q"] = json_or_null(tested.q);
    json["holm"] = json_or_null(tested.holm);
    return json;
}

SmallJson json_statistics(const RunStatistics& statistics, const Contributions* contributions) {
    SmallJson json{{"sentence", describe_step(statistics.step)},
                   {"notes", note_statistics(statistics.step)},
                   {"step", json_step(statistics.step)},
                   {"measure", nullptr},
                   {"family", statistics.rows.family},
                   {"rows_absent", nullptr},
                   {"rows", SmallJson::array()}};
    if (contributions) json["contributions"] = json_contributions(*contributions, statistics.step);
    if (!statistics.rows.absent.empty()) {
        json["rows_absent"] = statistics.rows.absent;
        return json;
    }
    json["measure"] = statistics.rows.measure;
    for (const std::optional<Tested>& row : statistics.rows.rows)
        json["rows"].push_back(row ? json_tested(*row) : SmallJson());
    return json;
}

}  // namespace core
