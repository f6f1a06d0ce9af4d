#include "core/store/assemble/link_launches.hpp"

#include "core/store/event_positions.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <tuple>

namespace core {
namespace {

constexpr std::size_t kCorrelation = static_cast<std::size_t>(Arg::Correlation);

// Launch calls by correlation: open addressing. Correlations are consecutive, so neighbours stay together.
class CallTable {
public:
    struct Call {
        std::int64_t correlation;
        EventId event;
        bool reused = false;  // a later call has the same correlation and is neither around nor within this one
    };

    // `parent`: of CPU events, the enclosing one.
    CallTable(PageVector<Call> in_file_order, std::span<const EventId> parent, const JobContext& job)
        : calls_(std::move(in_file_order)), slots_(std::bit_ceil(calls_.size() * 2 + kTogether), kNoRow) {
        for (std::uint32_t i = 0; i < calls_.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job.checkpoint()) return;
            std::uint32_t& slot = slots_[slot_of(calls_[i].correlation)];
            if (slot == kNoRow)
                slot = i;
            else if (!is_within(calls_[i].event, calls_[slot].event, parent) &&
                     !is_within(calls_[slot].event, calls_[i].event, parent))
                calls_[slot].reused = true;
        }
    }

    // The first call in the file with this correlation, or null.
    const Call* find(std::int64_t correlation) const {
        const std::uint32_t i = slots_[slot_of(correlation)];
        return i == kNoRow ? nullptr : &calls_[i];
    }

private:
    static constexpr std::size_t kTogether = 256;
    static constexpr int kMostLevels = 4;  // calls of a runtime within one another

    // A runtime call and the driver call it makes carry one correlation.
    static bool is_within(EventId inner, EventId outer, std::span<const EventId> parent) {
        for (int level = 0; level < kMostLevels && inner != kNoEvent; ++level) {
            inner = parent[index_of(inner)];
            if (inner == outer) return true;
        }
        return false;
    }

    // The slot of this correlation, or the free slot it would take.
    std::size_t slot_of(std::int64_t correlation) const {
        const auto number = static_cast<std::uint64_t>(correlation);
        const std::uint64_t mixed = number / kTogether * 0x9e3779b97f4a7c15ull;
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = ((mixed ^ mixed >> 29) * kTogether + number % kTogether) & mask;
        while (slots_[slot] != kNoRow && calls_[slots_[slot]].correlation != correlation) slot = (slot + 1) & mask;
        return slot;
    }

    PageVector<Call> calls_;
    PageVector<std::uint32_t> slots_;  // into calls_
};

class Linking {
public:
    Linking(Staged& staged, const EventColumns& columns, std::span<const EventId> event_of_row,
            std::span<const EventId> gpu_events, std::span<const EventId> flow_event, const JobContext& job)
        : staged_(staged),
          columns_(columns),
          event_of_row_(event_of_row),
          gpu_events_(gpu_events),
          flow_event_(flow_event),
          job_(job),
          parent_(columns.parent) {}

    LaunchLinks run() {
        link_by_correlation();
        if (job_.checkpoint()) return {};
        link_by_flows();
        if (job_.checkpoint()) return {};
        collect_calls();
        return std::move(links_);
    }

private:
    bool is_gpu(EventId e) const { return columns_.has(e, kGpuEvent); }

    CallTable collect_launch_calls() const {
        std::vector<bool> launches;
        for (const CategoryEntry& category : staged_.categories) launches.push_back(is_launch_category(category.kind));
        const StagedArgument<std::int64_t>& correlations = staged_.integers[kCorrelation];
        PageVector<CallTable::Call> calls;
        for (std::size_t i = 0; i < correlations.rows.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) break;
            const EventId event = event_of_row_[correlations.rows[i]];
            if (event == kNoEvent || is_gpu(event) || !launches[columns_.category[index_of(event)]]) continue;
            calls.push_back({correlations.values[i], event});
        }
        return CallTable(std::move(calls), parent_, job_);
    }

    void link_by_correlation() {
        const CallTable calls = collect_launch_calls();
        const StagedArgument<std::int64_t>& correlations = staged_.integers[kCorrelation];
        has_correlation_.assign(parent_.size(), false);
        for (std::size_t i = 0; i < correlations.rows.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) break;
            const EventId event = event_of_row_[correlations.rows[i]];
            if (event == kNoEvent || !is_gpu(event)) continue;
            const CallTable::Call* call = calls.find(correlations.values[i]);
            // Profilers count from 1: 0 says that a writer had none.
            if (correlations.values[i] == 0 && (call == nullptr || call->reused)) continue;
            has_correlation_[index_of(event)] = true;
            if (call == nullptr) {
                report("kernel-without-launch", event, correlations.values[i]);
                continue;
            }
            parent_[index_of(event)] = call->event;
            if (call->reused) report("correlation-reused", event, correlations.values[i]);
        }
    }

    void report(std::string_view kind, EventId event, std::int64_t correlation) {
        if (!staged_.diagnostics.is_first(kind)) return staged_.diagnostics.add(kind, "");
        staged_.diagnostics.add(kind, "record " + std::to_string(columns_.order[index_of(event)]) + ": correlation " +
                                          std::to_string(correlation) + " of \"" +
                                          std::string(staged_.pool.text(columns_.name[index_of(event)])) + "\"");
    }

    // Flow points grouped by chain, in time order: bucketed by hash, O(n).
    struct ChainPoint {
        std::uint64_t chain;
        std::uint32_t flow;
    };

    NameId category_of_flow(const StagedFlow& flow) const { return staged_.flow_kinds[flow.kind].category; }

    std::vector<ChainPoint> group_chains() const {
        const std::span<const StagedFlow> flows = staged_.flows;
        const std::size_t buckets = std::bit_ceil(flows.size() / 4 + 1);
        std::vector<std::uint32_t> next(buckets + 1, 0);
        const auto chain_of = [&](const StagedFlow& flow) {
            const std::uint64_t mixed =
                (flow.id ^ static_cast<std::uint64_t>(category_of_flow(flow)) << 40) * 0x9e3779b97f4a7c15ull;
            return mixed ^ mixed >> 29;
        };
        for (const StagedFlow& flow : flows) ++next[(chain_of(flow) & (buckets - 1)) + 1];
        for (std::size_t b = 1; b <= buckets; ++b) next[b] += next[b - 1];
        std::vector<std::uint32_t> first(next.begin(), next.end());
        std::vector<ChainPoint> points(flows.size());
        for (std::uint32_t f = 0; f < flows.size(); ++f) {
            const std::uint64_t chain = chain_of(flows[f]);
            points[next[chain & (buckets - 1)]++] = {chain, f};
        }
        const auto place = [&](const ChainPoint& p) {
            const StagedFlow& flow = flows[p.flow];
            return std::tuple(p.chain, category_of_flow(flow), flow.id, flow.time_ns, flow.phase, flow.order);
        };
        for (std::size_t b = 0; b < buckets; ++b) {
            std::ranges::sort(points.begin() + first[b], points.begin() + first[b + 1], {}, place);
        }
        return points;
    }

    void link_by_flows() {
        const std::vector<ChainPoint> points = group_chains();
        std::vector<std::uint32_t> chain;
        for (std::size_t i = 0; i < points.size();) {
            const StagedFlow& head = staged_.flows[points[i].flow];
            chain.clear();
            for (; i < points.size(); ++i) {
                const StagedFlow& flow = staged_.flows[points[i].flow];
                if (category_of_flow(flow) != category_of_flow(head) || flow.id != head.id) break;
                chain.push_back(points[i].flow);
            }
            follow_chain(chain);
        }
        // Drops arrows that repeat a launch link.
        std::erase_if(links_.flows,
                      [&](const Flow& flow) { return is_gpu(flow.to) && parent_[index_of(flow.to)] == flow.from; });
        std::ranges::stable_sort(links_.flows, {}, &Flow::from);
    }

    // Start → step → … → end of one id. A start comes first whatever its timestamp.
    void follow_chain(std::span<std::uint32_t> chain) {
        const auto is_start = [&](std::uint32_t f) { return staged_.flows[f].phase == FlowPhase::Start; };
        if (std::ranges::count_if(chain, is_start) == 1) std::ranges::stable_partition(chain, is_start);
        EventId from = kNoEvent;
        for (const std::uint32_t f : chain) {
            const StagedFlow& flow = staged_.flows[f];
            const EventId event = flow_event_[f];
            if (event == kNoEvent || (flow.phase != FlowPhase::Start && from == kNoEvent)) {
                report_unmatched(flow);
                continue;
            }
            if (flow.phase != FlowPhase::Start) add_arrow(from, event, flow);
            if (flow.phase != FlowPhase::End) from = event;
        }
    }

    void report_unmatched(const StagedFlow& flow) {
        const bool first = staged_.diagnostics.is_first("flow-unmatched");
        staged_.diagnostics.add("flow-unmatched",
                                !first ? ""
                                       : "record " + std::to_string(flow.order) + ": flow \"" +
                                             std::string(staged_.pool.text(staged_.flow_kinds[flow.kind].name)) +
                                             "\" id " + std::to_string(flow.id));
    }

    void add_arrow(EventId from, EventId to, const StagedFlow& flow) {
        if (from == to) return;
        const bool launches = is_gpu(to) && !is_gpu(from) && !has_correlation_[index_of(to)];
        if (launches && is_better_launch(from, parent_[index_of(to)])) parent_[index_of(to)] = from;
        links_.flows.push_back({.from = from,
                                .to = to,
                                .name = staged_.flow_kinds[flow.kind].name,
                                .category = category(category_of_flow(flow))});
    }

    // Preference among several arrows to one GPU event: a runtime or driver call before other events, then the latest
    // (nearest to the device), then the last in the file. Depends only on the events, not on ids of arrows.
    bool is_better_launch(EventId from, EventId than) const {
        if (than == kNoEvent) return true;
        const auto place = [&](EventId e) {
            const Category kind = staged_.categories[columns_.category[index_of(e)]].kind;
            return std::tuple(is_launch_category(kind), columns_.start_ns(e), columns_.order[index_of(e)]);
        };
        return place(than) < place(from);
    }

    std::uint16_t category(NameId text) {
        if (text == last_category_) return last_category_at_;
        auto it = std::ranges::find(staged_.categories, text, &CategoryEntry::text);
        if (it == staged_.categories.end() && staged_.categories.size() < 65535) {
            it = staged_.categories.insert(it, {text, category_of(staged_.pool.text(text))});
        }
        if (it == staged_.categories.end()) --it;
        last_category_ = text;
        last_category_at_ = static_cast<std::uint16_t>(it - staged_.categories.begin());
        return last_category_at_;
    }

    void collect_calls() {
        EventPositions calls(parent_.size());
        for (const EventId gpu : gpu_events_) {
            if (parent_[index_of(gpu)] != kNoEvent) calls.add(parent_[index_of(gpu)]);
        }
        const std::size_t count = calls.close();
        links_.calls.resize(count);
        links_.first.assign(count + 1, 0);
        for (const EventId gpu : gpu_events_) {
            const EventId call = parent_[index_of(gpu)];
            if (call == kNoEvent) continue;
            links_.calls[calls.position(call)] = call;
            ++links_.first[calls.position(call) + 1];
        }
        if (job_.checkpoint()) return;
        std::partial_sum(links_.first.begin(), links_.first.end(), links_.first.begin());
        links_.gpu.resize(links_.first.back());
        std::vector<std::uint32_t> next = links_.first;
        for (const EventId gpu : gpu_events_) {
            const EventId call = parent_[index_of(gpu)];
            if (call != kNoEvent) links_.gpu[next[calls.position(call)]++] = gpu;
        }
    }

    Staged& staged_;
    const EventColumns& columns_;
    std::span<const EventId> event_of_row_;
    std::span<const EventId> gpu_events_;
    std::span<const EventId> flow_event_;
    const JobContext& job_;
    std::span<EventId> parent_;
    std::vector<bool> has_correlation_;
    NameId last_category_ = kNoName;
    std::uint16_t last_category_at_ = 0;
    LaunchLinks links_;
};

}  // namespace

LaunchLinks build_launch_links(Staged& staged, const EventColumns& columns, std::span<const EventId> event_of_row,
                               std::span<const EventId> gpu_events, std::span<const EventId> flow_event,
                               const JobContext& job) {
    return Linking(staged, columns, event_of_row, gpu_events, flow_event, job).run();
}

}  // namespace core
