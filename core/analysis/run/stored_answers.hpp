#pragma once
// Answers about a whole run that were computed before, in a file next to its index files, so that a run that is opened
// again shows its first screen at once. Only answers to standard questions are stored: no filter, standard parameters.
//
// The file is good for one run, as one program computed it: its key joins the program's file, the files of the run
// (RunFiles), ranks, clocks, class rules, losses and what the user set (peaks, link speeds, limits, telemetry). Any
// other key, a damaged file, or one of another user, is as good as none. It can be lost at any time.

#include "core/analysis/engine/analysis.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace core {

class StoredAnswers {
public:
    // The run is the same at each call. Reads the file when it is asked first. Nothing: not stored, or not possible for
    // this run.
    std::optional<Answer> find(const Run&, const Analysis&);
    // Writes all that is stored anew: what another process stored meanwhile can be lost. Too large answers are not
    // stored; where no place can be written, nothing happens.
    void store(const Run&, const Analysis&, const Answer&);

private:
    void read(const Run&);

    std::mutex mutex_;  // of the rest
    std::optional<std::uint64_t> key_;
    bool is_read_ = false;
    std::map<std::string, std::string, std::less<>> answers_;  // by id of the analysis
};

// The store that has or can take the answer to this question; null: none can. Any thread.
std::shared_ptr<StoredAnswers> stored_answers_of(const Run&, const Analysis&, const Filter&, const Params&);

// Cheaper answers are not worth a place.
inline constexpr std::chrono::milliseconds kLeastToStore{5};

}  // namespace core
