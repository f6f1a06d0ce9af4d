#include "core/store/link_launches.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <tuple>

namespace core {
namespace {

constexpr std::size_t kCorrelation = static_cast<std::size_t>(Arg::Correlation);

class Linking {
public:
    Linking(Staged& staged, std::span<const EventId> event_of_row, std::span<const std::uint32_t> row_of,
            std::span<const EventId> gpu_events, std::span<const EventId> flow_event, std::span<EventId> parent)
        : staged_(staged),
          event_of_row_(event_of_row),
          row_of_(row_of),
          gpu_events_(gpu_events),
          flow_event_(flow_event),
          parent_(parent) {}

    LaunchLinks run() {
        link_by_correlation();
        link_by_flows();
        collect_calls();
        return std::move(links_);
    }

private:
    const StagedEvent& staged(EventId e) const { return staged_.events[row_of_[index_of(e)]]; }
    bool is_gpu(EventId e) const { return (staged(e).flags & kGpuEvent) != 0; }

    void link_by_correlation() {
        struct Call {
            std::int64_t correlation;
            std::uint32_t row;
        };
        std::vector<Call> calls;
        has_correlation_.assign(parent_.size(), false);
        std::vector<ArgInteger> of_gpu;
        for (const ArgInteger& arg : staged_.integers[kCorrelation]) {
            const EventId event = event_of_row_[arg.row];
            if (event == kNoEvent) continue;
            if (is_gpu(event)) {
                of_gpu.push_back(arg);
                has_correlation_[index_of(event)] = true;
            } else if (is_launch_category(staged_.categories[staged(event).category].kind)) {
                calls.push_back({arg.value, arg.row});
            }
        }
        std::ranges::sort(calls, {}, [](const Call& c) { return std::pair(c.correlation, c.row); });
        for (const ArgInteger& arg : of_gpu) {
            const auto it = std::ranges::lower_bound(calls, arg.value, {}, &Call::correlation);
            const bool found = it != calls.end() && it->correlation == arg.value;
            if (!found) {
                report("kernel-without-launch", arg);
                continue;
            }
            parent_[index_of(event_of_row_[arg.row])] = event_of_row_[it->row];
            if (it + 1 != calls.end() && it[1].correlation == arg.value) report("correlation-reused", arg);
        }
    }

    void report(std::string_view kind, const ArgInteger& arg) {
        if (!staged_.diagnostics.is_first(kind)) return staged_.diagnostics.add(kind, "");
        const StagedEvent& event = staged_.events[arg.row];
        staged_.diagnostics.add(kind, "record " + std::to_string(event.order) + ": correlation " +
                                          std::to_string(arg.value) + " of \"" +
                                          std::string(staged_.pool.text(event.name)) + "\"");
    }

    // Flow points of one chain side by side, in time order: by buckets of a hash, so O(n).
    struct ChainPoint {
        std::uint64_t chain;
        std::uint32_t flow;
    };

    std::vector<ChainPoint> group_chains() const {
        const std::vector<FlowRow>& flows = staged_.flows;
        const std::size_t buckets = std::bit_ceil(flows.size() / 4 + 1);
        std::vector<std::uint32_t> next(buckets + 1, 0);
        const auto chain_of = [](const FlowRow& flow) {
            const std::uint64_t mixed =
                (flow.id ^ static_cast<std::uint64_t>(flow.category) << 40) * 0x9e3779b97f4a7c15ull;
            return mixed ^ mixed >> 29;
        };
        for (const FlowRow& flow : flows) ++next[(chain_of(flow) & (buckets - 1)) + 1];
        for (std::size_t b = 1; b <= buckets; ++b) next[b] += next[b - 1];
        std::vector<std::uint32_t> first(next.begin(), next.end());
        std::vector<ChainPoint> points(flows.size());
        for (std::uint32_t f = 0; f < flows.size(); ++f) {
            const std::uint64_t chain = chain_of(flows[f]);
            points[next[chain & (buckets - 1)]++] = {chain, f};
        }
        const auto place = [&](const ChainPoint& p) {
            const FlowRow& flow = flows[p.flow];
            return std::tuple(p.chain, flow.category, flow.id, flow.time_ns, flow.phase, flow.order);
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
            const FlowRow& head = staged_.flows[points[i].flow];
            chain.clear();
            for (; i < points.size(); ++i) {
                const FlowRow& flow = staged_.flows[points[i].flow];
                if (flow.category != head.category || flow.id != head.id) break;
                chain.push_back(points[i].flow);
            }
            follow_chain(chain);
        }
        std::ranges::stable_sort(links_.flows, {}, &Flow::from);
    }

    // Start → step → … → end, all of one id. A lone start leads whatever its clock says.
    void follow_chain(std::span<std::uint32_t> chain) {
        const auto is_start = [&](std::uint32_t f) { return staged_.flows[f].phase == FlowPhase::Start; };
        if (std::ranges::count_if(chain, is_start) == 1) std::ranges::stable_partition(chain, is_start);
        EventId from = kNoEvent;
        for (const std::uint32_t f : chain) {
            const FlowRow& flow = staged_.flows[f];
            const EventId event = flow_event_[f];
            if (event == kNoEvent || (flow.phase != FlowPhase::Start && from == kNoEvent)) {
                report_unmatched(flow);
                continue;
            }
            if (flow.phase != FlowPhase::Start) add_arrow(from, event, flow);
            if (flow.phase != FlowPhase::End) from = event;
        }
    }

    void report_unmatched(const FlowRow& flow) {
        const bool first = staged_.diagnostics.is_first("flow-unmatched");
        staged_.diagnostics.add("flow-unmatched", !first ? ""
                                                         : "record " + std::to_string(flow.order) + ": flow \"" +
                                                               std::string(staged_.pool.text(flow.name)) + "\" id " +
                                                               std::to_string(flow.id));
    }

    void add_arrow(EventId from, EventId to, const FlowRow& flow) {
        if (from == to) return;
        const bool launches = is_gpu(to) && !is_gpu(from);
        if (launches && parent_[index_of(to)] == kNoEvent && !has_correlation_[index_of(to)])
            parent_[index_of(to)] = from;
        if (parent_[index_of(to)] == from && is_gpu(to)) return;  // the launch link says it already
        links_.flows.push_back({from, to, flow.name, category(flow.category)});
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
        std::vector<std::pair<EventId, std::uint32_t>> pairs;  // call, position in gpu_events (so by start)
        for (std::uint32_t g = 0; g < gpu_events_.size(); ++g) {
            const EventId call = parent_[index_of(gpu_events_[g])];
            if (call != kNoEvent) pairs.emplace_back(call, g);
        }
        std::ranges::sort(pairs);
        for (const auto& [call, g] : pairs) {
            if (links_.calls.empty() || links_.calls.back() != call) {
                links_.calls.push_back(call);
                links_.first.push_back(static_cast<std::uint32_t>(links_.gpu.size()));
            }
            links_.gpu.push_back(gpu_events_[g]);
        }
        links_.first.push_back(static_cast<std::uint32_t>(links_.gpu.size()));
    }

    Staged& staged_;
    std::span<const EventId> event_of_row_;
    std::span<const std::uint32_t> row_of_;
    std::span<const EventId> gpu_events_;
    std::span<const EventId> flow_event_;
    std::span<EventId> parent_;
    std::vector<bool> has_correlation_;
    NameId last_category_ = kNoName;
    std::uint16_t last_category_at_ = 0;
    LaunchLinks links_;
};

}  // namespace

LaunchLinks build_launch_links(Staged& staged, std::span<const EventId> event_of_row,
                               std::span<const std::uint32_t> row_of, std::span<const EventId> gpu_events,
                               std::span<const EventId> flow_event, std::span<EventId> parent) {
    return Linking(staged, event_of_row, row_of, gpu_events, flow_event, parent).run();
}

}  // namespace core
