#include "core/sample/sample_truth.hpp"

#include <algorithm>

namespace core::sample {
namespace {

struct Edge {
    std::int64_t at_ns;
    std::size_t class_index;
    int change;
};

constexpr std::size_t kClassCount = 3;

std::size_t stat_slot(const Event& event) {
    const auto kernels = static_cast<std::size_t>(KernelId::Count);
    if (event.kind == EventKind::Kernel) return event.spec;
    return event.kind == EventKind::Memcpy ? kernels + event.spec : kStatSlots - 1;
}

bool is_device_work(const Event& event) { return event.kind != EventKind::Sync; }

}  // namespace

TimeParts sweep_classes(const std::vector<ClassInterval>& intervals, std::int64_t begin_ns, std::int64_t end_ns) {
    std::vector<Edge> edges;
    edges.reserve(intervals.size() * 2 + 1);
    for (const ClassInterval& interval : intervals) {
        const std::int64_t from = std::max(interval.begin_ns, begin_ns);
        const std::int64_t to = std::min(interval.end_ns, end_ns);
        if (from >= to) continue;
        edges.push_back({from, static_cast<std::size_t>(interval.kernel_class), 1});
        edges.push_back({to, static_cast<std::size_t>(interval.kernel_class), -1});
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at_ns < b.at_ns; });
    TimeParts parts;
    std::array<int, kClassCount> active{};
    std::int64_t at = begin_ns;
    const auto attribute_until = [&](std::int64_t until) {
        std::size_t subset = 0;
        for (std::size_t c = 0; c < kClassCount; ++c) subset |= active[c] > 0 ? std::size_t{1} << c : 0;
        parts.subset_ns[subset] += until - at;
        at = until;
    };
    for (const Edge& edge : edges) {
        attribute_until(edge.at_ns);
        active[edge.class_index] += edge.change;
    }
    attribute_until(std::max(at, end_ns));
    return parts;
}

void DurationStats::add(std::int64_t ns) { add(DurationStats{.count = 1, .total_ns = ns, .min_ns = ns, .max_ns = ns}); }

void DurationStats::add(const DurationStats& other) {
    if (other.count == 0) return;
    min_ns = count == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
    max_ns = count == 0 ? other.max_ns : std::max(max_ns, other.max_ns);
    count += other.count;
    total_ns += other.total_ns;
}

RankTruth::RankTruth(const Catalog& catalog, RankClock clock, RecordFaults faults, bool detail)
    : catalog_(catalog), clock_(clock), faults_(faults), detail_(detail) {}

void RankTruth::add_interval(const Event& event) {
    const KernelClass kernel_class =
        event.kind == EventKind::Kernel ? catalog_.kernels[event.spec].kernel_class : KernelClass::Memory;
    const std::int64_t begin = clock_.show(event.start_ns);
    if (last_ns_ == 0) first_ns_ = accounted_until_ = begin;
    last_ns_ = std::max(last_ns_, begin + event.duration_ns);
    pending_.push_back({begin, begin + event.duration_ns, kernel_class});
    stats_[stat_slot(event)].add(event.duration_ns);
}

bool RankTruth::is_lost(const Event& event, const RankRecorder& recorder) const {
    return event.collective >= 0 && faults_.loses(recorder.collectives()[static_cast<std::size_t>(event.collective)]);
}

TimeParts RankTruth::account(std::int64_t begin_ns, std::int64_t end_ns) {
    const TimeParts parts = sweep_classes(pending_, begin_ns, end_ns);
    // Idle counts only within the window, from first to last work.
    for (std::size_t subset = 1; subset < parts.subset_ns.size(); ++subset)
        total_.subset_ns[subset] += parts.subset_ns[subset];
    std::erase_if(pending_, [end_ns](const ClassInterval& interval) { return interval.end_ns <= end_ns; });
    accounted_until_ = end_ns;
    return parts;
}

void RankTruth::add_step(int step, const RankRecorder& recorder) {
    for (const DeviceTask& task : recorder.tasks())
        if (is_device_work(task.event) && !is_lost(task.event, recorder)) add_interval(task.event);
    const Event& mark = recorder.events().front();  // ProfilerStep
    StepTruth row;
    row.step = step;
    row.start_ns = clock_.show(mark.start_ns);
    row.duration_ns = mark.duration_ns;
    if (accounted_until_ < row.start_ns) account(accounted_until_, row.start_ns);
    step_intervals_ = pending_;
    row.parts = account(row.start_ns, row.start_ns + row.duration_ns);
    note_gaps(recorder, row);
    last_step_ = row;
    if (detail_) steps_.push_back(row);
}

void RankTruth::finish() {
    if (last_ns_ > accounted_until_) account(accounted_until_, last_ns_);
    std::int64_t busy = 0;
    for (std::size_t subset = 1; subset < total_.subset_ns.size(); ++subset) busy += total_.subset_ns[subset];
    total_.subset_ns[0] = last_ns_ - first_ns_ - busy;
}

void RankTruth::note_gaps(const RankRecorder& recorder, StepTruth& row) {
    std::int64_t read_back_end = 0;
    std::int64_t previous_end = last_transfer_end_ns_;
    for (const DeviceTask& task : recorder.tasks()) {
        const Event& event = task.event;
        if (event.kind == EventKind::Memcpy && previous_end != 0 &&
            event.spec == static_cast<std::uint16_t>(CopyId::HostToDevice) && row.loading_gap_ns == 0)
            row.loading_gap_ns = event.start_ns - previous_end;
        if (event.kind == EventKind::Memcpy && event.spec == static_cast<std::uint16_t>(CopyId::DeviceToHost))
            read_back_end = event.end_ns();
        if (event.kind == EventKind::Memset) {
            if (row.metrics_gap_ns == 0) row.metrics_gap_ns = event.start_ns - read_back_end;
            last_transfer_end_ns_ = event.end_ns();
        }
    }
}

std::vector<CounterSample> RankTruth::utilization(std::size_t samples) const {
    std::vector<CounterSample> result;
    const std::int64_t width = std::max<std::int64_t>(last_step_.duration_ns / static_cast<std::int64_t>(samples), 1);
    std::vector<ClassInterval> sorted = step_intervals_;
    std::sort(sorted.begin(), sorted.end(),
              [](const ClassInterval& a, const ClassInterval& b) { return a.begin_ns < b.begin_ns; });
    std::vector<std::int64_t> busy(samples, 0);
    std::int64_t covered = last_step_.start_ns;
    const std::int64_t end = last_step_.start_ns + width * static_cast<std::int64_t>(samples);
    for (const ClassInterval& interval : sorted) {
        std::int64_t from = std::max(interval.begin_ns, covered);
        const std::int64_t to = std::min(interval.end_ns, end);
        covered = std::max(covered, to);
        while (from < to) {
            const std::int64_t bin = (from - last_step_.start_ns) / width;
            const std::int64_t until = std::min(to, last_step_.start_ns + (bin + 1) * width);
            busy[static_cast<std::size_t>(bin)] += until - from;
            from = until;
        }
    }
    for (std::size_t i = 0; i < samples; ++i)
        result.push_back(
            {last_step_.start_ns + width * static_cast<std::int64_t>(i) - clock_.offset_ns, busy[i] * 1000 / width});
    return result;
}

}  // namespace core::sample
