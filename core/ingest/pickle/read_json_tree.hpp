#pragma once
// Reads JSON into the same values as a pickle, streaming. Depth, values and bytes are bounded as for pickles; the JSON
// dumps of programs that also write pickles need no second reader behind it.

#include "core/ingest/pickle/read_pickle.hpp"

namespace core {

// Errors: "byte 17: …".
Result<ValueTree> read_json_tree(ByteSource& source, const PickleLimits& limits, const JobContext& context);

}  // namespace core
