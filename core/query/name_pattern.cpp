#include "core/query/name_pattern.hpp"

#include "core/base/utf8.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string>

namespace core {
namespace {

constexpr std::size_t kLongestPattern = 8192;           // bytes
constexpr std::int64_t kPatternMemory = std::int64_t{8}
                                        << 20;  // bytes: two thirds for the program, the rest for its states

struct PatternProblem {
    re2::RE2::ErrorCode code;
    std::string_view text;
};

constexpr std::array kProblems = std::to_array<PatternProblem>({
    {re2::RE2::ErrorBadEscape, "unknown escape (RE2 has no back references)"},
    {re2::RE2::ErrorBadCharClass, "unknown class of characters"},
    {re2::RE2::ErrorBadCharRange, "reversed range or unknown class of characters"},
    {re2::RE2::ErrorMissingBracket, "missing ]"},
    {re2::RE2::ErrorMissingParen, "missing )"},
    {re2::RE2::ErrorUnexpectedParen, "unexpected )"},
    {re2::RE2::ErrorTrailingBackslash, "nothing after the last backslash"},
    {re2::RE2::ErrorRepeatArgument, "nothing to repeat"},
    {re2::RE2::ErrorRepeatSize, "repetition count that is reversed or above 1000"},
    {re2::RE2::ErrorRepeatOp, "repetition of a repetition"},
    {re2::RE2::ErrorBadPerlOp, "unknown group (RE2 has no look-around)"},
    {re2::RE2::ErrorBadUTF8, "bytes that are not UTF-8"},
    {re2::RE2::ErrorBadNamedCapture, "bad name of a group"},
    {re2::RE2::ErrorPatternTooLarge, "the pattern is too large; shorten it or repeat less"},
});

re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

// RE2 quotes the piece that it could not parse, which may be the whole pattern.
std::string describe_problem(const re2::RE2& program) {
    const auto* const problem = std::ranges::find(kProblems, program.error_code(), &PatternProblem::code);
    std::string message = problem == kProblems.end() ? program.error() : std::string(problem->text);
    constexpr std::size_t kLongestPiece = 40;
    const std::string& piece = program.error_arg();
    return piece.empty() ? message : message + " in \"" + shorten_utf8(piece, kLongestPiece) + "\"";
}

}  // namespace

Result<NamePattern> NamePattern::compile(std::string_view pattern) {
    if (pattern.size() > kLongestPattern) {
        return Error{ErrorCode::BadInput, "the pattern has more than " + std::to_string(kLongestPattern) + " bytes"};
    }
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(kPatternMemory);
    auto program = std::make_shared<const re2::RE2>(piece_of(pattern), options);
    if (!program->ok()) return Error{ErrorCode::BadInput, describe_problem(*program)};
    return NamePattern(std::move(program));
}

bool NamePattern::found_in(std::string_view text) const { return re2::RE2::PartialMatch(piece_of(text), *program_); }

}  // namespace core
