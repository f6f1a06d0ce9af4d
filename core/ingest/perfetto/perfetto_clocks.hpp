#pragma once
// The clocks of a Perfetto trace, and their times on one of them, the primary: that of the first snapshot, or boot time
// where events come before any. Between two snapshots a clock runs as it did from the earlier one; before the first, as
// from the first.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

struct PerfettoClockId {
    std::uint64_t sequence = 0;  // 0: a clock of the whole trace
    std::uint64_t number = 0;
    auto operator<=>(const PerfettoClockId&) const = default;
};

class PerfettoClocks {
public:
    static constexpr std::uint64_t kBoot = 6;  // the clock of packets that name none
    static PerfettoClockId id_of(std::uint64_t number, std::uint64_t sequence);

    // The clocks whose times can be moved to the primary one from now on.
    std::vector<PerfettoClockId> add_snapshot(std::string_view message, std::uint64_t sequence);
    // Nanoseconds of the clock itself, or null if they do not fit or nobody described this clock of a sequence. A clock
    // that counts from packet to packet goes on, so each packet is read once.
    std::optional<std::int64_t> read(PerfettoClockId id, std::uint64_t stamp);
    // Such a time on the primary clock, or null while no snapshot relates the two.
    std::optional<std::int64_t> to_primary(PerfettoClockId id, std::int64_t time_ns);
    std::uint64_t primary() const { return primary_.value_or(kBoot); }

private:
    struct Clock {
        std::uint64_t multiplier = 1;
        bool is_incremental = false;
        std::uint64_t now = 0;  // of an incremental one, in its unit
        std::map<std::int64_t, std::int64_t> points;  // own time → primary time, ns
    };
    struct Reading {
        PerfettoClockId id;
        std::int64_t time_ns = 0;
    };
    using Snapshot = std::vector<Reading>;

    std::optional<Reading> describe_clock(std::string_view message, std::uint64_t sequence);
    std::optional<std::int64_t> primary_time_of(std::span<const Reading> snapshot) const;
    std::optional<std::int64_t> convert(PerfettoClockId id, std::int64_t time_ns) const;
    // False if the primary time of none of its clocks is known. Appends the clocks that had no point before.
    bool relate(std::span<const Reading> snapshot, std::vector<PerfettoClockId>& fresh);
    void relate_unrelated(std::vector<PerfettoClockId>& fresh);

    std::optional<std::uint64_t> primary_;
    std::map<PerfettoClockId, Clock> clocks_;
    // Snapshots without a clock whose primary time is known, under each of their clocks.
    std::map<PerfettoClockId, std::vector<std::shared_ptr<Snapshot>>> unrelated_;
    std::size_t unrelated_readings_ = 0;
};

}  // namespace core
