#include "core/export/chrome/chrome_additions.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/critical_path/critical_path.hpp"
#include "core/analysis/time/idle_gaps.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core {
namespace {

class AdditionsCollector {
public:
    AdditionsCollector(const RankView& view, const JobContext& context)
        : view_(view), trace_(view.trace()), context_(context) {}

    Result<ChromeAdditions> run() {
        for (const auto part : {&AdditionsCollector::add_path, &AdditionsCollector::add_exposed,
                                &AdditionsCollector::add_waits, &AdditionsCollector::add_counters}) {
            if (Result<bool> added = (this->*part)(); !added) return std::move(added).error();
        }
        std::erase_if(additions_.rows, [](const AddedRow& row) { return row.slices.empty(); });
        return std::move(additions_);
    }

private:
    std::string name_of_track(std::uint32_t track) const { return std::string(trace_.text(trace_.tracks[track].name)); }

    static AddedSlice slice(RankRange range, std::string name) {
        return {.range = range, .name = std::move(name), .arguments = {}};
    }

    Result<bool> add_path() {
        Result<std::vector<PathStretch>> path = collect_critical_path(view_, context_);
        if (!path) return std::move(path).error();
        AddedRow row{"critical path", {}};
        for (const PathStretch& stretch : *path) {
            AddedSlice added = slice(stretch.range, std::string(stretch.bound_by));
            if (stretch.event != kNoEvent) {
                added.name.append(": ").append(trace_.name_text(stretch.event));
                added.arguments.emplace_back("event", trace_.name_text(stretch.event));
                added.arguments.emplace_back("track",
                                             name_of_track(trace_.lanes[trace_.find_lane(stretch.event)].track));
            }
            added.arguments.emplace_back("bound by", stretch.bound_by);
            row.slices.push_back(std::move(added));
        }
        additions_.rows.push_back(std::move(row));
        return true;
    }

    Result<bool> add_exposed() {
        AddedRow row{"exposed communication", {}};
        const RankRange window = view_.window();
        for (const RankRange& range :
             view_.selection->partition().collect_exposed(KernelClass::Communication, KernelClass::Compute, window))
            row.slices.push_back(slice(range, row.name));
        additions_.rows.push_back(std::move(row));
        return true;
    }

    // Streams of several devices may share a name.
    std::string free_row_name(const std::string& wanted) {
        std::string name = wanted;
        int& copies = copies_[wanted];  // a search from the first would be quadratic in the devices
        while (!row_names_.insert(name).second) name = wanted + " #" + std::to_string(++copies + 1);
        return name;
    }

    Result<bool> add_waits() {
        const Result<Params> params = make_params(*find_analysis("idle-breakdown"), {});
        if (!params) return params.error();
        Result<std::vector<TrackGaps>> tracks = collect_track_gaps(view_, Duration{params->front()}, context_);
        if (!tracks) return std::move(tracks).error();
        for (const TrackGaps& work : *tracks) {
            AddedRow row{free_row_name("waits, " + name_of_track(work.track)), {}};
            for (const Gap& gap : work.gaps) {
                row.slices.push_back(slice(gap.visible, std::string(name_of(gap.cause))));
                if (gap.next != kNoEvent) row.slices.back().arguments.emplace_back("until", trace_.name_text(gap.next));
            }
            additions_.rows.push_back(std::move(row));
        }
        return true;
    }

    Result<bool> add_counters() {
        for (const auto& [id, unit] :
             {std::pair("queue-length", "launched"), std::pair("memory-bandwidth", "bytes/s")}) {
            const Analysis& analysis = *find_analysis(id);
            const Result<Params> params = make_params(analysis, {});
            if (!params) return params.error();
            Result<Partial> partial = analysis.rank(view_, *params, context_);
            if (!partial) return std::move(partial).error();
            for (Series& series : partial->series) {
                AddedCounter counter{
                    .name = std::move(series.name), .unit = unit, .time = {}, .value = std::move(series.value)};
                for (const RunTime time : series.time) counter.time.push_back(on_rank_clock(time));
                additions_.counters.push_back(std::move(counter));
            }
        }
        return true;
    }

    // Clamped: drifting clocks round, and a time outside the trace would extend it.
    RankTime on_rank_clock(RunTime time) const {
        return std::clamp(view_.rank().to_rank(time), trace_.window.begin, trace_.window.end);
    }

    const RankView& view_;
    const RankTrace& trace_;
    const JobContext& context_;
    std::set<std::string> row_names_;
    std::map<std::string, int> copies_;  // by the name that was wanted
    ChromeAdditions additions_;
};

}  // namespace

Result<ChromeAdditions> collect_chrome_additions(const RankView& view, const JobContext& context) {
    return AdditionsCollector(view, context).run();
}

}  // namespace core
