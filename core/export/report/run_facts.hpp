#pragma once
// The contents of `lockstep info`, gathered once and printed as text or JSON.

#include "core/doctor/doctor.hpp"
#include "core/doctor/losses.hpp"
#include "core/export/json.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace core {

struct RankFacts {
    RankKey key;
    std::string source;             // source of the rank number
    std::string file;               // path as opened
    std::string host;
    std::size_t events = 0;
    std::size_t gpu_events = 0;
    std::size_t streams = 0;
    std::size_t threads = 0;
    std::vector<std::int64_t> steps;  // distinct numbers, sorted
    std::string step_marks;         // name of the ranges taken as steps, # for numbers; empty: ProfilerStep#N
    Duration start{};         // first event, from the run's origin
    Duration span{};          // first event to last end
    Duration gpu_span{};      // first GPU event to last end
    RecordCounts records;
    std::vector<Device> devices;  // as stated by the file
};

struct RunFacts {
    std::string name;
    std::vector<RankFacts> ranks;
    std::optional<int> world_size;  // largest value stated by a file
    std::vector<NumberRange> missing;  // ranks of the world without a file
    std::vector<std::string> duplicates;    // ranks claimed by several files that are not windows of one job: "3·b"
    std::string captures;  // in words, and what to do with them; empty: one of every rank
    std::string graphs;  // replays of graphs and how their operators are known; empty: none
    std::string memory;  // the peak and the place that allocated most of it; empty: no rank recorded memory
    std::vector<std::string> telemetry;  // each log of GPUs: how it was joined, or why it is ignored
    std::string summary;  // contents of a run summary; empty: not a summary
    Duration span{};
    std::size_t events = 0;
    std::map<std::string, std::uint64_t> categories;                    // events by the file's category text
    std::map<std::string, std::set<std::string>> environment;           // key → values stated by any rank
    std::set<std::string> step_marks;  // names of the ranges taken as steps instead of ProfilerStep#N
    Diagnostics diagnostics;
    DoctorReport doctor;
    std::shared_ptr<const Losses> losses;  // never null
};

RunFacts collect_facts(const Run&, DoctorReport doctor);  // examined for that run
// Label and text of run-wide facts; of its environment alone.
using FactRows = std::vector<std::vector<std::string>>;
FactRows summary_rows(const RunFacts&);
FactRows environment_rows(const RunFacts&);
std::string format_facts(const RunFacts&, std::size_t most_columns);  // readable text
// Facts of that run, in the schema lockstep.info/1.
std::string facts_to_json(const RunFacts&, const Run&, const JsonOrigin& = {});

}  // namespace core
