#include "core/ingest/perfetto/perfetto_clocks.hpp"

#include "core/ingest/perfetto/wire.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace core {
namespace {

constexpr std::uint64_t kFirstOwnClock = 64, kBehindOwnClocks = 128;  // clocks of one sequence
constexpr std::size_t kMostClocks = 1 << 20;
constexpr std::size_t kMostPoints = 1 << 20;  // of one clock
constexpr std::size_t kMostUnrelated = 1 << 20;  // readings in snapshots that wait for a relation

// Times and differences of two of them stay within 64 bits.
constexpr std::int64_t kMostNs = std::numeric_limits<std::int64_t>::max() / 2;

std::optional<std::int64_t> as_ns(std::uint64_t stamp, std::uint64_t multiplier) {
    return stamp > static_cast<std::uint64_t>(kMostNs) / multiplier
               ? std::nullopt
               : std::optional(static_cast<std::int64_t>(stamp * multiplier));
}

}  // namespace

PerfettoClockId PerfettoClocks::id_of(std::uint64_t number, std::uint64_t sequence) {
    return {number >= kFirstOwnClock && number < kBehindOwnClocks ? sequence : 0, number};
}

std::optional<PerfettoClocks::Reading> PerfettoClocks::describe_clock(std::string_view message,
                                                                      std::uint64_t sequence) {
    std::uint64_t number = 0, stamp = 0, multiplier = 1;
    bool is_incremental = false;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        if (field.number == 1) number = field.value;
        if (field.number == 2) stamp = field.value;
        if (field.number == 3) is_incremental = field.value != 0;
        if (field.number == 4) multiplier = std::max<std::uint64_t>(1, field.value);
    }
    const PerfettoClockId id = id_of(number, sequence);
    if (clocks_.size() >= kMostClocks && !clocks_.contains(id)) return std::nullopt;
    Clock& clock = clocks_[id];
    clock.multiplier = multiplier;
    clock.is_incremental = is_incremental;
    clock.now = stamp;
    const std::optional<std::int64_t> time_ns = as_ns(stamp, multiplier);
    return time_ns ? std::optional(Reading{id, *time_ns}) : std::nullopt;
}

std::vector<PerfettoClockId> PerfettoClocks::add_snapshot(std::string_view message, std::uint64_t sequence) {
    auto snapshot = std::make_shared<Snapshot>();
    std::uint64_t primary = kBoot;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        if (field.number == 2 && !field.is_bytes && field.value != 0) primary = field.value;
        if (field.number != 1 || !field.is_bytes) continue;
        if (const std::optional<Reading> reading = describe_clock(field.bytes, sequence)) snapshot->push_back(*reading);
    }
    if (!primary_) primary_ = primary;
    std::vector<PerfettoClockId> fresh;
    if (relate(*snapshot, fresh)) {
        relate_unrelated(fresh);
    } else if (snapshot->size() > 1 && unrelated_readings_ + snapshot->size() <= kMostUnrelated) {
        unrelated_readings_ += snapshot->size();
        for (const Reading& reading : *snapshot) unrelated_[reading.id].push_back(snapshot);
    }
    return fresh;
}

// Time of the primary clock itself, or of a clock that an earlier snapshot relates to it.
std::optional<std::int64_t> PerfettoClocks::primary_time_of(std::span<const Reading> snapshot) const {
    const auto own = std::ranges::find(snapshot, PerfettoClockId{0, primary()}, &Reading::id);
    if (own != snapshot.end()) return own->time_ns;
    for (const Reading& reading : snapshot)
        if (const std::optional<std::int64_t> time_ns = convert(reading.id, reading.time_ns)) return time_ns;
    return std::nullopt;
}

bool PerfettoClocks::relate(std::span<const Reading> snapshot, std::vector<PerfettoClockId>& fresh) {
    const std::optional<std::int64_t> primary_ns = primary_time_of(snapshot);
    if (!primary_ns) return false;
    for (const Reading& reading : snapshot) {
        if (reading.id == PerfettoClockId{0, primary()}) continue;
        auto& points = clocks_[reading.id].points;
        if (points.empty()) fresh.push_back(reading.id);
        if (points.size() < kMostPoints) points.insert_or_assign(reading.time_ns, *primary_ns);
    }
    return true;
}

void PerfettoClocks::relate_unrelated(std::vector<PerfettoClockId>& fresh) {
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        const auto found = unrelated_.find(fresh[i]);
        if (found == unrelated_.end()) continue;
        const std::vector<std::shared_ptr<Snapshot>> snapshots = std::move(found->second);
        unrelated_.erase(found);
        for (const std::shared_ptr<Snapshot>& snapshot : snapshots) {
            relate(*snapshot, fresh);
            snapshot->clear();  // not again under its other clocks
        }
    }
}

std::optional<std::int64_t> PerfettoClocks::read(PerfettoClockId id, std::uint64_t stamp) {
    const auto found = clocks_.find(id);
    if (found == clocks_.end())
        return id.number < kFirstOwnClock || id.number >= kBehindOwnClocks ? as_ns(stamp, 1) : std::nullopt;
    Clock& clock = found->second;
    if (clock.is_incremental) stamp = clock.now += stamp;
    return as_ns(stamp, clock.multiplier);
}

std::optional<std::int64_t> PerfettoClocks::to_primary(PerfettoClockId id, std::int64_t time_ns) {
    if (!primary_ && id == PerfettoClockId{0, kBoot}) primary_ = kBoot;
    return convert(id, time_ns);
}

std::optional<std::int64_t> PerfettoClocks::convert(PerfettoClockId id, std::int64_t time_ns) const {
    if (id == PerfettoClockId{0, primary()}) return time_ns;
    const auto found = clocks_.find(id);
    if (found == clocks_.end() || found->second.points.empty()) return std::nullopt;
    const auto& points = found->second.points;
    auto point = points.upper_bound(time_ns);
    if (point != points.begin()) --point;
    return std::clamp(point->second + (time_ns - point->first), -kMostNs, kMostNs);
}

}  // namespace core
