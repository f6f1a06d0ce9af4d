#include "core/analysis/engine/flop_expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace core {
namespace {

constexpr int kMostDepth = 64;
constexpr std::size_t kMostLetters = 4096;

class ExpressionParser {
public:
    explicit ExpressionParser(std::string_view text) : text_(text) {}

    Result<double> run() {
        const std::optional<double> value = text_.size() > kMostLetters ? std::nullopt : sum(0);
        skip_blanks();
        if (!error_.empty()) return bad_input(error_);
        if (!value || at_ != text_.size() || !std::isfinite(*value) || *value < 0)
            return bad_input(
                "not an expression of numbers and + - * / ( ) with a result of 0 or more, such as "
                "6*7e9*4194304, nor transformer(layers=32,hidden=4096,heads=32,ffn=14336,vocab=128256,"
                "seq=8192,batch=512)");
        return *value;
    }

private:
    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool take(char c) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    std::string_view parse_word() {
        skip_blanks();
        const std::size_t first = at_;
        while (at_ < text_.size() && ((text_[at_] >= 'a' && text_[at_] <= 'z') || text_[at_] == '_')) ++at_;
        return text_.substr(first, at_ - first);
    }

    std::optional<double> sum(int depth) {
        std::optional<double> value = product(depth);
        while (value) {
            const bool plus = take('+');
            if (!plus && !take('-')) break;
            const std::optional<double> more = product(depth);
            if (!more) return std::nullopt;
            *value += plus ? *more : -*more;
        }
        return value;
    }

    std::optional<double> product(int depth) {
        std::optional<double> value = factor(depth);
        while (value) {
            const bool times = take('*');
            if (!times && !take('/')) break;
            const std::optional<double> more = factor(depth);
            if (!more) return std::nullopt;
            *value = times ? *value * *more : *value / *more;
        }
        return value;
    }

    std::optional<double> factor(int depth) {
        if (depth > kMostDepth) return std::nullopt;
        if (take('(')) {
            const std::optional<double> value = sum(depth + 1);
            return value && take(')') ? value : std::nullopt;
        }
        skip_blanks();
        if (text_.substr(at_).starts_with("transformer")) return transformer(depth);
        double value = 0;
        const char* const first = text_.data() + at_;
        const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
        if (error != std::errc{} || end == first) return std::nullopt;
        at_ += static_cast<std::size_t>(end - first);
        return value;
    }

    std::optional<double> transformer(int depth) {
        enum At : std::size_t { kLayers, kHidden, kHeads, kKvHeads, kFfn, kGated, kVocab, kSeq, kBatch, kCausal, kAll };
        constexpr std::array<std::string_view, kAll> kNames = {"layers", "hidden", "heads", "kv_heads", "ffn",
                                                               "gated",  "vocab",  "seq",   "batch",    "causal"};
        std::array<std::optional<double>, kAll> given;
        parse_word();
        if (!take('(')) return std::nullopt;
        do {
            const std::string_view name = parse_word();
            const auto known = std::ranges::find(kNames, name);
            if (known == kNames.end()) {
                error_ = "transformer has no size '" + std::string(name) +
                         "': layers, hidden, heads, kv_heads, ffn, gated, vocab, seq, batch, causal";
                return std::nullopt;
            }
            if (!take('=')) return std::nullopt;
            const std::optional<double> value = sum(depth + 1);
            if (!value) return std::nullopt;
            given[static_cast<std::size_t>(known - kNames.begin())] = value;
        } while (take(','));
        if (!take(')')) return std::nullopt;
        for (const At needed : {kLayers, kHidden, kHeads, kFfn, kVocab, kSeq, kBatch}) {
            if (given[needed]) continue;
            error_ = "transformer needs " + std::string(kNames[needed]);
            return std::nullopt;
        }
        const double h = *given[kHidden], s = *given[kSeq], heads = *given[kHeads];
        const double kv = given[kKvHeads].value_or(heads);
        const double attended = given[kCausal].value_or(0) != 0 ? 0.5 : 1;
        const double layer = 4 * h * h * (1 + kv / heads) + 2 * (2 + given[kGated].value_or(0)) * h * *given[kFfn] +
                             4 * s * h * attended;
        return 3 * *given[kBatch] * s * (*given[kLayers] * layer + 2 * h * *given[kVocab]);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string error_;
};

}  // namespace

Result<double> parse_flop_expression(std::string_view text) { return ExpressionParser(text).run(); }

}  // namespace core
