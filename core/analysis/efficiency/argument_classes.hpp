#pragma once
// Calls of listed operators by equal arguments, each distinct text read once. Internal to this folder.

#include "core/analysis/efficiency/operator_arguments.hpp"
#include "core/analysis/efficiency/operator_table.hpp"
#include "core/base/jobs.hpp"
#include "core/store/rank_trace.hpp"

#include <vector>

namespace core {

struct ArgumentClass {
    NameId name;
    NameId sizes;  // kNoName if not written
    NameId types;
    const OperatorRow* row;
    OperatorArguments arguments;
};

struct ListedCall {
    EventId event;
    std::uint32_t argument_class;
};

struct ListedCalls {
    std::vector<ListedCall> calls;  // by event
    std::vector<ArgumentClass> classes;
};

// Reads the values and strides that no column holds out of the events' texts. Incomplete if the job is cancelled.
ListedCalls collect_listed_calls(const RankTrace&, const JobContext&);

}  // namespace core
