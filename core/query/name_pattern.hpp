#pragma once
// A regular expression that cannot hang or run out of stack, whatever the pattern and the text: the usual ECMAScript
// forms without back references and look-around, run as a set of states in O(pattern * text).
//
// Bytes, not code points: `.` takes one byte of a UTF-8 character. Finds a match anywhere unless anchored.

#include "core/base/result.hpp"

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace core {

class NamePattern {
public:
    // Errors say what is wrong and where: "at 3: ) without (".
    static Result<NamePattern> compile(std::string_view pattern);
    bool found_in(std::string_view text) const;

private:
    friend class PatternCompiler;
    friend class PatternRun;
    enum class Op : std::uint8_t { Bytes, Split, Jump, AtBegin, AtEnd, AtWordEdge, NotAtWordEdge, Match };
    struct Instruction {
        Op op;
        std::uint32_t to = 0;     // Split, Jump: where to; Bytes: which set
        std::uint32_t other = 0;  // Split: where else
    };
    NamePattern() = default;

    std::vector<Instruction> program_;
    std::vector<std::bitset<256>> sets_;
};

}  // namespace core
