#pragma once
// A matched run as bytes: equal bytes mean equal matches.

#include "core/cluster/byte_codec.hpp"
#include "core/collectives/matched_run.hpp"

namespace core::testing {

class MatchedBytes {
public:
    static std::string of(const MatchedRun& run) {
        MatchedBytes bytes;
        bytes.add_groups(run);
        bytes.add_clocks(run);
        bytes.add_ranks(run);
        bytes.add_collectives(run);
        return std::move(bytes.out_).take();
    }

private:
    template <class... Numbers>
    void add(Numbers... numbers) {
        (out_.number(static_cast<std::int64_t>(numbers)), ...);
    }
    void add(MemberRef ref) { add(ref.slot, ref.index); }
    template <class T>
    void add_all(const std::vector<T>& values) {
        out_.unsigned_number(values.size());
        for (const T& value : values) add(value);
    }

    void add_groups(const MatchedRun& run) {
        out_.unsigned_number(run.groups.size());
        for (const RunGroup& group : run.groups) {
            for (const std::string* text :
                 {&group.name, &group.description, &group.cut_members, &group.label, &group.familiar})
                out_.text(*text);
            add(group.size, group.axis);
            add_all(group.members);
        }
    }
    void add_clocks(const MatchedRun& run) {
        out_.unsigned_number(run.cohorts.size());
        for (const Cohort& cohort : run.cohorts) {
            add(cohort.world_size);
            add_all(cohort.slots);
        }
        for (const CohortClocks& clocks : run.clocks) {
            add(clocks.error, clocks.recorded_error, clocks.measured, clocks.matters);
            out_.text(clocks.refused);
            add(clocks.fit.residual, clocks.fit.residual_p90, clocks.fit.width, clocks.fit.any,
                clocks.fit.ranks.size());
            for (const MeasuredClock& clock : clocks.fit.ranks) {
                add(clock.offset, clock.middle, clock.noise, clock.collectives, clock.part);
                out_.real(clock.drift);
            }
        }
    }
    void add_ranks(const MatchedRun& run) {
        for (std::size_t slot = 0; slot < run.ranks.size(); ++slot) {
            const RankMembers& rank = run.ranks[slot];
            add(run.places[slot].cohort, run.places[slot].place);
            add(rank.rank, rank.shift, rank.work_begin, rank.work_end, rank.world_size, rank.events.size());
            add_all(rank.groups);
            add_all(rank.steps);
        }
    }
    void add_collectives(const MatchedRun& run) {
        add_all(run.members);
        add_all(run.missing_slots);
        out_.unsigned_number(run.collectives.size());
        for (const Collective& c : run.collectives)
            add(c.first, c.count, c.first_missing, c.missing, c.group, c.cohort, c.sequence, c.absent, c.number,
                c.operation, c.by, c.confidence, c.doubts);
        for (const MemberRef ref : run.members) add(run.collective_of(ref));
    }

    ByteWriter out_;
};

}  // namespace core::testing
