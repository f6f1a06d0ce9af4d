#pragma once
// What `lockstep info` says about a run, gathered once and printed as text or JSON.

#include "core/doctor/doctor.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace core {

struct RankFacts {
    RankKey key;
    std::string source;             // where the rank's number is from
    std::string file;               // as it was opened
    std::string host;
    std::size_t events = 0;
    std::size_t gpu_events = 0;
    std::size_t streams = 0;
    std::size_t threads = 0;
    std::vector<std::int64_t> steps;  // distinct numbers, rising
    Duration start{};         // of its first event, from the run's origin
    Duration span{};          // first event to last end
    Duration gpu_span{};      // first GPU event to last end
    RecordCounts records;
    std::vector<Device> devices;  // as the file says
};

struct RunFacts {
    std::string name;
    std::vector<RankFacts> ranks;
    std::optional<int> world_size;  // the largest that a file states
    std::vector<NumberRange> missing;  // ranks of the world that no file claims
    std::vector<std::string> duplicates;    // ranks that several files claim: "3·b"
    Duration span{};
    std::size_t events = 0;
    std::map<std::string, std::uint64_t> categories;                    // events by the file's category text
    std::map<std::string, std::set<std::string>> environment;           // key → every value that some rank states
    Diagnostics diagnostics;
    DoctorReport doctor;
};

RunFacts collect_facts(const Run&, DoctorReport doctor);  // of that run
// Label and text of what is true of the run as a whole; of its environment alone.
using FactRows = std::vector<std::vector<std::string>>;
FactRows summary_rows(const RunFacts&);
FactRows environment_rows(const RunFacts&);
std::string format_facts(const RunFacts&, std::size_t most_columns);  // for people
std::string facts_to_json(const RunFacts&, const Run&);  // facts of that run

}  // namespace core
