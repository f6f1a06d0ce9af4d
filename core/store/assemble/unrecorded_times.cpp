#include "core/base/format.hpp"
#include "core/store/staged_events.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

namespace core {
namespace {

using Ns = std::int64_t;

// Clusters of starts: as wide as 19.5 hours, so that a job that runs over a day is one.
constexpr int kClusterBits = 46;
// Times more than a month away are not an earlier part of the job.
constexpr double kFarAwayNs = 30 * 86'400e9;
// The longest that an event takes without any other that begins during its last part.
constexpr double kLongestAloneNs = 86'400e9;
// Least distance of a time of 0 from the others, in multiples of what they span, and absolutely.
constexpr double kFarFromRest = 10;
constexpr double kLeastFarNs = 100e6;
// A smaller distance is enough for several events at exactly 0 without length, or on one stream.
constexpr std::uint32_t kSeveral = 3;
constexpr double kLeastApartNs = 100e3;

double distance(Ns from, Ns to) { return static_cast<double>(to) - static_cast<double>(from); }

struct Extremes {
    Ns first = std::numeric_limits<Ns>::max();
    Ns last = std::numeric_limits<Ns>::min();
    void add(Ns value) {
        first = std::min(first, value);
        last = std::max(last, value);
    }
    bool any() const { return first <= last; }
    double length() const { return any() ? distance(first, last) : 0; }
};

class TimeCheck {
public:
    TimeCheck(Staged& staged, Ns zero) : staged_(staged), zero_(zero) {}

    void run() && {
        if (!looks_wrong()) return;
        find_cluster();
        if (!cluster_.any()) return check_all_at_zero();
        count_zeros();
        const bool zeros_are_far = are_zeros_far();
        for (std::uint32_t row = 0; row < staged_.events.size(); ++row) {
            if (!is_event(row)) continue;
            if (starts_at_zero(row) ? zeros_are_far || is_one_of_several(row) : is_far(row))
                drop(row);
            else if (ends_alone(row))
                end_alone(row);
        }
        drop_counters(zeros_are_far);
        forget_pairs();
    }

private:
    Ns start(std::uint32_t row) const { return staged_.times.start_ns[row]; }
    Ns end(std::uint32_t row) const { return staged_.times.end_ns(row); }
    bool is_event(std::uint32_t row) const { return becomes_event(staged_.events[row].phase); }
    bool starts_at_zero(std::uint32_t row) const { return start(row) == zero_; }
    bool is_empty(std::uint32_t row) const {
        return staged_.events[row].phase == Phase::Complete && staged_.times.duration_ns[row] == 0;
    }

    // One pass that nearly all traces end with.
    bool looks_wrong() const {
        Extremes all;
        bool any_zero = false;
        for (std::uint32_t row = 0; row < staged_.events.size(); ++row) {
            if (!is_event(row)) continue;
            all.add(start(row));
            all.add(end(row));
            any_zero = any_zero || starts_at_zero(row);
        }
        return any_zero || all.length() > kLongestAloneNs;
    }

    // Finds where most events start, leaving out zeros, which may be the most.
    void find_cluster() {
        struct Cluster {
            std::uint64_t events = 0;
            Extremes starts;
        };
        std::map<Ns, Cluster> clusters;
        Cluster* last = nullptr;  // nearly always that of the next
        Ns last_key = 0;
        for (std::uint32_t row = 0; row < staged_.events.size(); ++row) {
            if (!is_event(row) || starts_at_zero(row)) continue;
            const Ns key = start(row) >> kClusterBits;
            if (!last || key != last_key) last = &clusters[key];
            last_key = key;
            ++last->events;
            last->starts.add(start(row));
        }
        if (clusters.empty()) return;
        const auto most = std::ranges::max_element(clusters, {}, [](const auto& entry) { return entry.second.events; });
        cluster_ = most->second.starts;
        // A job that logs for months is one, as its clusters are near each other.
        for (auto next = std::next(most); next != clusters.end(); ++next) {
            if (distance(cluster_.last, next->second.starts.first) > kFarAwayNs) break;
            cluster_.add(next->second.starts.last);
        }
        for (auto next = most; next != clusters.begin();) {
            if (distance((--next)->second.starts.last, cluster_.first) > kFarAwayNs) break;
            cluster_.add(next->second.starts.first);
        }
        last_end_ = cluster_.last;
        for (std::uint32_t row = 0; row < staged_.events.size(); ++row)
            if (is_event(row) && !starts_at_zero(row) && !is_far(row) && !ends_alone(row))
                last_end_ = std::max(last_end_, end(row));
    }

    bool is_far(std::uint32_t row) const {
        return distance(start(row), cluster_.first) > kFarAwayNs || distance(cluster_.last, start(row)) > kFarAwayNs;
    }
    bool ends_alone(std::uint32_t row) const {
        return distance(cluster_.last, end(row)) > std::max(kLongestAloneNs, kFarFromRest * cluster_.length());
    }
    double distance_of_zeros() const { return distance(zero_, cluster_.first); }

    // Only GPU events of a stream cannot start together; calls on a thread enclose one another.
    void count_zeros() {
        zeros_of_thread_.assign(staged_.threads.size(), 0);
        for (std::uint32_t row = 0; row < staged_.events.size(); ++row) {
            if (!is_event(row) || !starts_at_zero(row)) continue;
            ++zeros_;
            latest_end_of_zeros_ = std::max(latest_end_of_zeros_, end(row));
            empty_zeros_ += is_empty(row) ? 1 : 0;
            if ((staged_.events[row].flags & kGpuEvent) != 0) ++zeros_of_thread_[staged_.thread_of_event[row]];
        }
    }

    bool are_zeros_far() const {
        if (zeros_ == 0 || distance_of_zeros() <= 0) return false;
        if (distance_of_zeros() > kFarAwayNs) return true;
        const double span = std::max(distance(cluster_.first, last_end_), 0.0);
        return latest_end_of_zeros_ < cluster_.first &&
               distance_of_zeros() > std::max(kLeastFarNs, kFarFromRest * span);
    }

    bool is_one_of_several(std::uint32_t row) const {
        if (distance_of_zeros() < kLeastApartNs) return false;
        return (is_empty(row) && empty_zeros_ >= kSeveral) ||
               ((staged_.events[row].flags & kGpuEvent) != 0 &&
                zeros_of_thread_[staged_.thread_of_event[row]] >= kSeveral);
    }

    // No event has a time: what they have in common is no moment.
    void check_all_at_zero() {
        count_zeros();
        if (empty_zeros_ < kSeveral || empty_zeros_ < zeros_) return;
        for (std::uint32_t row = 0; row < staged_.events.size(); ++row)
            if (is_event(row)) drop(row);
        forget_pairs();
    }

    std::string describe(std::uint32_t row) const {
        const StagedEvent& event = staged_.events[row];
        std::string text =
            "record " + std::to_string(event.order) + ": \"" + std::string(staged_.pool.text(event.name)) + "\"";
        if (starts_at_zero(row)) return text + " at time 0";
        return text + (is_far(row) ? " more than a month away from the others"
                                   : " lasts more than a day longer than the others");
    }

    void drop(std::uint32_t row) {
        StagedEvent& event = staged_.events[row];
        const bool first = staged_.diagnostics.is_first("time-not-recorded");
        staged_.diagnostics.add("time-not-recorded", first ? describe(row) : "");
        RecordCounts& records = staged_.records;
        const bool pair = (event.flags & kFromPair) != 0 && (event.flags & kUnclosed) == 0;
        if (event.phase == Phase::Complete)
            --records.complete;
        else if (event.phase == Phase::Instant)
            --records.instants;
        else
            records.paired -= pair ? 2 : 1;
        records.dropped += pair ? 2 : 1;
        any_pair_ = any_pair_ || pair;
        event.phase = event.phase == Phase::AsyncBegin ? Phase::AsyncEnd : Phase::End;
    }

    void end_alone(std::uint32_t row) {
        if ((staged_.events[row].flags & kUnclosed) == 0) return drop(row);
        staged_.times.duration_ns[row] = std::max<Ns>(0, last_end_ - start(row));
    }

    void drop_counters(bool zeros_are_far) {
        std::erase_if(staged_.counters, [&](const CounterRow& counter) {
            const bool unusable = counter.time_ns == zero_ ? zeros_are_far || distance_of_zeros() > kFarAwayNs
                                                           : distance(counter.time_ns, cluster_.first) > kFarAwayNs ||
                                                                 distance(cluster_.last, counter.time_ns) > kFarAwayNs;
            if (unusable)
                staged_.diagnostics.add("time-not-recorded",
                                        "a value of counter \"" + std::string(staged_.pool.text(counter.name)) + "\"");
            return unusable;
        });
    }

    void forget_pairs() {
        if (!any_pair_) return;
        std::erase_if(staged_.pairs, [&](const PairedEnd& pair) { return !is_event(pair.begin_row); });
    }

    Staged& staged_;
    Ns zero_;
    Extremes cluster_;  // of starts
    Ns last_end_ = 0;
    std::uint64_t zeros_ = 0;
    std::uint64_t empty_zeros_ = 0;
    Ns latest_end_of_zeros_ = std::numeric_limits<Ns>::min();
    std::vector<std::uint32_t> zeros_of_thread_;  // GPU events
    bool any_pair_ = false;
};

}  // namespace

void drop_unrecorded_times(Staged& staged, std::int64_t zero_ns) { TimeCheck(staged, zero_ns).run(); }

}  // namespace core
