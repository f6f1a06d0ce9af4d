#include "core/export/chrome/chrome_json.hpp"

#include "core/base/ascii.hpp"
#include "core/export/json.hpp"
#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/json_value.hpp"

#include <algorithm>
#include <charconv>

namespace core {
namespace {

constexpr int kDeepestMended = 256;

bool is_plain_json(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

std::size_t count_digits(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

bool takes_digits(std::string_view& text) {
    const std::size_t digits = count_digits(text);
    text.remove_prefix(digits);
    return digits > 0;
}

// True for a number by JSON's grammar that a double can represent.
bool is_json_number(std::string_view token) {
    std::string_view rest = token;
    if (rest.starts_with('-')) rest.remove_prefix(1);
    if (rest.starts_with('0') && count_digits(rest) > 1) return false;
    if (!takes_digits(rest)) return false;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        if (!takes_digits(rest)) return false;
    }
    if (rest.starts_with('e') || rest.starts_with('E')) {
        rest.remove_prefix(1);
        if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
        if (!takes_digits(rest)) return false;
    }
    double value = 0;
    return rest.empty() && std::from_chars(token.data(), token.data() + token.size(), value).ec == std::errc{};
}

class JsonMender {
public:
    JsonMender(std::string& out, std::string_view json) : out_(out), json_(json) {}

    bool copy_value(int depth) {
        skip_spaces();
        if (at_ == json_.size() || depth > kDeepestMended) return false;
        switch (json_[at_]) {
            case '{':
            case '[':
                return copy_container(depth);
            case '"':
                return copy_text();
            default:
                return copy_scalar();
        }
    }
    std::size_t taken() const { return at_; }

private:
    void skip_spaces(char also = ' ') {
        while (at_ < json_.size() && (is_json_space(json_[at_]) || json_[at_] == also)) ++at_;
    }

    bool copy_container(int depth) {
        const bool is_object = json_[at_] == '{';
        const char close = is_object ? '}' : ']';
        out_ += json_[at_++];
        for (bool first = true;; first = false) {
            skip_spaces(',');
            if (at_ == json_.size()) return false;
            if (json_[at_] == close) break;
            if (!first) out_ += ',';
            if (is_object && !copy_key()) return false;
            if (!copy_value(depth + 1)) return false;
        }
        out_ += close;
        ++at_;
        return true;
    }

    bool copy_key() {
        if (json_[at_] != '"' || !copy_text()) return false;
        skip_spaces();
        if (at_ == json_.size() || json_[at_] != ':') return false;
        ++at_;
        out_ += ':';
        return true;
    }

    bool copy_text() {
        const std::string_view rest = json_.substr(at_);
        const std::size_t size = find_string_end(rest);
        if (size == kNotFound) return false;
        const std::string_view raw = rest.substr(1, size - 2);
        if (is_plain_json(raw))
            out_.append(rest.substr(0, size));
        else
            append_json_text(out_, json_text(rest.data(), rest.data() + rest.size(), scratch_));
        at_ += size;
        return true;
    }

    bool copy_scalar() {
        const std::string_view rest = json_.substr(at_);
        const std::size_t size = std::min(rest.find_first_of(",:{}[]\" \n\r\t"), rest.size());
        if (size == 0) return false;
        const std::string_view token = rest.substr(0, size);
        if (token == "true" || token == "false" || token == "null" || is_json_number(token))
            out_ += token;
        else
            append_json_text(out_, token);
        at_ += size;
        return true;
    }

    std::string& out_;
    std::string_view json_;
    std::size_t at_ = 0;
    std::string scratch_;
};

}  // namespace

void append_microseconds(std::string& out, std::int64_t ns) {
    const auto magnitude = ns < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    const std::uint64_t decimals = magnitude % 1000;
    if (ns < 0) out += '-';
    out += std::to_string(magnitude / 1000);
    out += '.';
    for (const std::uint64_t scale : {100u, 10u, 1u}) out += static_cast<char>('0' + decimals / scale % 10);
}

void append_json_text(std::string& out, std::string_view text) {
    if (is_plain_json(text))
        out.append("\"").append(text).append("\"");
    else
        out += json_text(text);
}

void append_json_id(std::string& out, std::string_view id) {
    std::string_view digits = id;
    if (digits.starts_with('-')) digits.remove_prefix(1);
    constexpr std::size_t kMostIdDigits = 15;  // exact in a reader's double
    const bool shortest = !digits.starts_with('0') || id == "0";
    if (!digits.empty() && digits.size() <= kMostIdDigits && shortest && count_digits(digits) == digits.size())
        out += id;
    else
        append_json_text(out, id);
}

std::size_t append_mended_json(std::string& out, std::string_view json) {
    const std::size_t before = out.size();
    JsonMender mender(out, json);
    if (mender.copy_value(0)) return mender.taken();
    out.resize(before);
    return 0;
}

void for_each_member(std::string_view object, const std::function<void(std::string_view, std::string_view)>& visit) {
    const char* const limit = object.data() + object.size();
    const char* at = object.data() + 1;
    while (at < limit && *at == '"') {
        const std::string_view key = json_token(at, limit);
        const std::string_view value = json_token(key.data() + key.size() + 1, limit);
        visit(key.substr(1, key.size() - 2), value);
        at = value.data() + value.size() + 1;
    }
}

}  // namespace core
