#pragma once
// The partials of one analysis, computed by all processes of a team that have the same run open: ranks are handed out,
// each process keeps what it computed, and all of it is gathered at process 0 along a tree. Merging is process 0's.
// Both functions make a Handout: between two of them lies a broadcast.

#include "core/analysis/run/run_analysis.hpp"
#include "core/cluster/team.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// A question of process 0, as the others get it. Processes know analyses by id and filters by text.
struct PartialsQuestion {
    std::uint64_t run = 0;  // the asking program's number of an open run
    std::string analysis{};
    Params params{};
    std::string filter{};
    bool operator==(const PartialsQuestion&) const = default;
};
// The analysis is in the table. Absent where the filter has no text: then nobody else can answer it.
std::optional<PartialsQuestion> make_question(std::uint64_t run, const PartialsTask&);
std::string encode_question(const PartialsQuestion&);
Result<PartialsQuestion> decode_question(std::string_view);

// Collective. In process 0 the partials by place in `task.slots`, each or its error as if computed there; elsewhere
// none. Fails only when stopped, or when what came from another process is not whole.
Result<std::vector<Result<Partial>>> exchange_partials(Team&, const PartialsTask&, const JobContext&);

// The partials of several analyses of the same ranks: a rank is one process's for all of them, so that what they have
// in common is made once. They are kept as bytes until they are asked for.
class ExchangedPartials final : public PartialsSource {
public:
    // Collective. Every task with the same slots; fails as exchange_partials does. Elsewhere than in process 0 it is
    // empty.
    static Result<ExchangedPartials> compute_all(Team&, std::span<const PartialsTask>, const JobContext&);
    // The partials of the task with this analysis; run, slots and parameters are taken to be those of compute_all.
    Result<std::vector<Result<Partial>>> compute(const PartialsTask&, const JobContext&) override;

private:
    std::map<std::string, std::string, std::less<>> written_;  // by id of the analysis
};

}  // namespace core
