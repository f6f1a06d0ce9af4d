#pragma once
// The sheet that the parts of an examination write on. Each looks at one matter of all ranks.

#include "core/doctor/rank_vitals.hpp"
#include "core/doctor/rules.hpp"

namespace core::doctor {

// "1 event", "1,234 events"
std::string count_of(std::uint64_t count, std::string_view one, std::string_view many = {});

class Sheet {
public:
    Sheet(const Run& of_run, std::span<const RankVitalsPtr> of_ranks) : run(of_run), ranks(of_ranks) {}

    DoctorFinding& tell(std::string_view id, std::uint64_t count, std::string text);  // valid until the next
    DoctorExample example_of(EventRef) const;
    // Compared with others, as separate captures are not.
    bool compares(std::size_t slot) const { return run.rank(slot).key.capture == 0; }
    const RankTrace& trace(std::size_t slot) const { return run.rank(slot).trace(); }
    RankKey key(std::size_t slot) const { return run.rank(slot).key; }
    std::vector<DoctorFinding> take() &&;  // in the order they are told

    const Run& run;
    std::span<const RankVitalsPtr> ranks;  // of each slot
    DoctorVitals vitals;

private:
    std::vector<DoctorFinding> findings_;
};

std::string describe_clocks(const DoctorVitals&);  // "; clocks agree within 30 µs (residual …)"; empty of one rank

void look_at_ranks(Sheet&);  // there, missing, empty, without a GPU
void look_at_steps(Sheet&);  // common to all
void look_at_windows(Sheet&);  // what they have in common; events far off
void look_at_clocks(Sheet&);  // between ranks
void look_at_collectives(Sheet&);  // on which ranks do not agree
void look_at_events(Sheet&);  // what was counted of each rank
void look_at_reading(Sheet&);  // what was dropped, repaired and guessed

}  // namespace core::doctor
