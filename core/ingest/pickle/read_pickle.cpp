#include "core/ingest/pickle/read_pickle.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kPickleBuffer = std::size_t{256} << 10;
constexpr std::uint64_t kMemoSlack = 4096;  // numbers a writer may leave out, besides every second one
constexpr int kNewestProtocol = 5;
constexpr std::uint64_t kValuesBetweenChecks = 1 << 16;

struct OpcodeName {
    unsigned char code;
    std::string_view name;
};
// These import, build or call objects, or refer to data outside of the file.
constexpr OpcodeName kRefusedOpcodes[] = {
    {'c', "GLOBAL"},     {0x93, "STACK_GLOBAL"}, {'i', "INST"},  {'o', "OBJ"},          {0x81, "NEWOBJ"},
    {0x92, "NEWOBJ_EX"}, {'R', "REDUCE"},        {'b', "BUILD"}, {'P', "PERSID"},       {'Q', "BINPERSID"},
    {0x82, "EXT1"},      {0x83, "EXT2"},         {0x84, "EXT4"}, {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"},
};

// Thrown inside this file only.
struct PickleFault {
    Error error;
};

class PickleReader {
public:
    PickleReader(ByteSource& source, const PickleLimits& limits, const JobContext& context)
        : source_(source), limits_(limits), context_(context), buffer_(kPickleBuffer) {}

    ValueTree read() {
        unsigned char code = byte();
        if (code == 0x80) {
            if (const int version = byte(); version < 2 || version > kNewestProtocol)
                fail("pickle protocol " + std::to_string(version) + ": known are 0 to 5");
            opcode_at_ = position();
            code = byte();
        } else if (code != '(' && code != '}' && code != ']') {
            fail("not a pickle of a dictionary or a list");  // of protocols 0 and 1, which have no number
        }
        while (code != '.') {
            run(code);
            opcode_at_ = position();
            code = byte();
        }
        if (stack_.empty()) fail("the pickle ends without a value");
        tree_.set_root(stack_.back());
        return std::move(tree_);
    }

private:
    [[noreturn]] void fail(std::string what) const {
        throw PickleFault{bad_input("byte " + std::to_string(opcode_at_) + ": " + std::move(what))};
    }
    std::uint64_t position() const { return before_ + begin_; }

    // --- bytes
    bool refill() {
        before_ += end_;
        begin_ = 0;
        const Result<std::size_t> got = read_fully(source_, buffer_);
        if (!got) throw PickleFault{got.error()};
        end_ = *got;
        return end_ > 0;
    }
    unsigned char byte() {
        if (begin_ == end_ && !refill()) fail("the file ends before the pickle does; it was cut off: copy it again");
        return static_cast<unsigned char>(buffer_[begin_++]);
    }
    std::uint64_t little_endian(int bytes) {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(byte()) << (8 * i);
        return value;
    }
    // A length in the file reserves nothing: the text grows by what is there.
    const std::string& bytes(std::uint64_t size) {
        text_bytes_ += size;
        if (size > limits_.most_text_bytes || text_bytes_ > limits_.most_text_bytes) fail("a text of absurd length");
        scratch_.clear();
        while (size > 0) {
            if (begin_ == end_ && !refill()) fail("a text is longer than the rest of the file");
            const std::size_t part = static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - begin_));
            scratch_.append(buffer_.data() + begin_, part);
            begin_ += part;
            size -= part;
        }
        return scratch_;
    }

    // Up to the end of the line, for protocols that write text.
    const std::string& line() {
        scratch_.clear();
        for (unsigned char c = byte(); c != '\n'; c = byte()) {
            if (++text_bytes_ > limits_.most_text_bytes) fail("a text of absurd length");
            scratch_ += static_cast<char>(c);
        }
        return scratch_;
    }
    template <class Number>
    std::optional<Number> number_of(std::string_view text) const {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
    }

    // --- stack
    void push(ValueId id) {
        if (++pushed_ > limits_.most_values) fail("more values than are read (" + std::to_string(pushed_ - 1) + ")");
        if (pushed_ % kValuesBetweenChecks == 0 && context_.checkpoint()) throw PickleFault{cancelled_error()};
        stack_.push_back(id);
    }
    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
    ValueId pop() {
        if (stack_.size() <= floor()) fail("the stack is empty");
        const ValueId id = stack_.back();
        stack_.pop_back();
        return id;
    }
    ValueId top() const {
        if (stack_.size() <= floor()) fail("the stack is empty");
        return stack_.back();
    }
    void mark() {
        if (marks_.size() >= limits_.most_marks) fail("containers nested too deeply");
        marks_.push_back(stack_.size());
    }
    // The values above the last mark, which goes with them.
    std::vector<ValueId> pop_to_mark() {
        if (marks_.empty()) fail("no mark is open");
        const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<ValueId> values(from, stack_.end());
        stack_.erase(from, stack_.end());
        marks_.pop_back();
        return values;
    }
    void push_container(ValueKind kind, std::span<const ValueId> items) {
        const ValueId id = tree_.add_container(kind);
        append_to(id, items);
        push(id);
    }
    void append_to(ValueId container, std::span<const ValueId> items) {
        if (tree_.kind(container) == ValueKind::Dictionary && items.size() % 2 != 0) fail("a key without a value");
        tree_.append(container, items);
    }
    void add_items(std::span<const ValueId> items, ValueKind kind) {
        const ValueId container = top();
        if (tree_.kind(container) != kind) fail("items for a value that is not a container");
        append_to(container, items);
    }
    void push_tuple(std::size_t size) {
        std::vector<ValueId> items(size);
        for (std::size_t i = size; i-- > 0;) items[i] = pop();
        push_container(ValueKind::Tuple, items);
    }

    // --- memo
    void put(std::uint64_t index) {
        if (index > 2 * ++puts_ + kMemoSlack) fail("memo number " + std::to_string(index) + " out of order");
        if (index >= limits_.most_values) fail("more values than are read");
        const auto at = static_cast<std::size_t>(index);
        if (at >= memo_.size()) memo_.resize(at + 1, kNoValue);
        memo_[at] = top();
    }
    void get(std::uint64_t index) {
        if (index >= memo_.size() || memo_[static_cast<std::size_t>(index)] == kNoValue)
            fail("memo number " + std::to_string(index) + " was never stored");
        push(memo_[static_cast<std::size_t>(index)]);
    }

    void push_long(std::uint64_t size) {
        const std::string& digits = bytes(size);
        constexpr std::size_t kMost = 8;
        if (digits.size() > kMost) return push(tree_.add_wide());
        std::uint64_t value =
            !digits.empty() && (static_cast<unsigned char>(digits.back()) & 0x80u) != 0 ? ~std::uint64_t{0} : 0;
        for (std::size_t i = digits.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
        push(tree_.add_integer(static_cast<std::int64_t>(value)));
    }
    void push_float() {
        std::uint64_t bits = 0;
        for (int i = 0; i < 8; ++i) bits = bits << 8 | byte();
        push(tree_.add_number(std::bit_cast<double>(bits)));
    }
    // INT and LONG: "12", "12L"; "01" and "00" of INT are booleans.
    void push_decimal(bool is_long) {
        std::string_view text = line();
        if (!is_long && (text == "01" || text == "00")) return push(tree_.add_boolean(text == "01"));
        if (is_long && text.ends_with('L')) text.remove_suffix(1);
        if (const std::optional<std::int64_t> value = number_of<std::int64_t>(text))
            return push(tree_.add_integer(*value));
        const bool is_wide =
            text.size() > 18 && text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string_view::npos;
        if (!is_wide) fail("a number that cannot be read");
        push(tree_.add_wide());
    }
    void push_decimal_float() {
        const std::string_view text = line();
        if (text == "nan" || text == "inf" || text == "-inf") return push(tree_.add_none());
        const std::optional<double> value = number_of<double>(text);
        if (!value) fail("a number that cannot be read");
        push(tree_.add_number(*value));
    }
    // STRING: as Python writes it in source; UNICODE: \uXXXX and Latin-1.
    void push_quoted() {
        std::string_view text = line();
        if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') || text.back() != text.front())
            fail("a text without its quotes");
        text = text.substr(1, text.size() - 2);
        std::string plain;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '\\' || i + 1 == text.size()) {
                plain += text[i];
                continue;
            }
            const char escaped = text[++i];
            if (escaped == 'x' && i + 2 < text.size()) {
                plain += static_cast<char>(hex_at(text.substr(i + 1, 2)));
                i += 2;
            } else {
                plain += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
            }
        }
        push(tree_.add_text(plain, ValueKind::Text));
    }
    void push_raw_unicode() {
        const std::string_view text = line();
        std::string plain;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto c = static_cast<unsigned char>(text[i]);
            const std::size_t digits = text.substr(i).starts_with("\\u")   ? 4
                                       : text.substr(i).starts_with("\\U") ? 8
                                                                           : 0;
            if (digits > 0 && i + 2 + digits <= text.size()) {
                const std::uint32_t code = hex_at(text.substr(i + 2, digits));
                const bool is_valid = code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF);
                append_utf8(plain, is_valid ? static_cast<char32_t>(code) : U'\uFFFD');
                i += 1 + digits;
            } else {
                append_utf8(plain, c);
            }
        }
        push(tree_.add_text(plain, ValueKind::Text));
    }
    std::uint32_t hex_at(std::string_view digits) const {
        std::uint32_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (error != std::errc{} || end != digits.data() + digits.size()) fail("an escape that cannot be read");
        return value;
    }
    std::uint64_t memo_number() {
        const std::optional<std::uint64_t> index = number_of<std::uint64_t>(line());
        if (!index) fail("a memo number that cannot be read");
        return *index;
    }
    void push_text(int length_bytes, ValueKind kind) {
        const std::string& text = bytes(little_endian(length_bytes));
        push(tree_.add_text(text, kind));
    }

    // Each of these runs the opcodes of its subject and leaves the others to the next.
    void run(unsigned char code) {
        switch (code) {
            case 0x80:
                static_cast<void>(byte());
                return;  // PROTO
            case 0x95:
                static_cast<void>(little_endian(8));
                return;  // FRAME
            case '(':
                return mark();
            case '0':
                return drop();
            case '1':
                static_cast<void>(pop_to_mark());
                return;
            case '2':
                return push(top());
            default:
                return run_scalar(code);
        }
    }
    void run_scalar(unsigned char code) {
        switch (code) {
            case 'N':
                return push(tree_.add_none());
            case 0x88:
                return push(tree_.add_boolean(true));
            case 0x89:
                return push(tree_.add_boolean(false));
            case 'K':
                return push(tree_.add_integer(byte()));
            case 'M':
                return push(tree_.add_integer(static_cast<std::int64_t>(little_endian(2))));
            case 'J':
                return push(tree_.add_integer(static_cast<std::int32_t>(little_endian(4))));
            case 0x8a:
                return push_long(byte());
            case 0x8b:
                return push_long(little_endian(4));
            case 'G':
                return push_float();
            case 'I':
                return push_decimal(false);
            case 'L':
                return push_decimal(true);
            case 'F':
                return push_decimal_float();
            default:
                return run_text(code);
        }
    }
    void run_text(unsigned char code) {
        switch (code) {
            case 0x8c:
            case 'U':
                return push_text(1, ValueKind::Text);
            case 'X':
            case 'T':
                return push_text(4, ValueKind::Text);
            case 0x8d:
                return push_text(8, ValueKind::Text);
            case 'C':
                return push_text(1, ValueKind::Bytes);
            case 'B':
                return push_text(4, ValueKind::Bytes);
            case 0x8e:
            case 0x96:
                return push_text(8, ValueKind::Bytes);
            case 'S':
                return push_quoted();
            case 'V':
                return push_raw_unicode();
            default:
                return run_memo(code);
        }
    }
    void run_memo(unsigned char code) {
        switch (code) {
            case 'q':
                return put(byte());
            case 'p':
                return put(memo_number());
            case 'g':
                return get(memo_number());
            case 'r':
                return put(little_endian(4));
            case 0x94:
                return put(memo_.size());
            case 'h':
                return get(byte());
            case 'j':
                return get(little_endian(4));
            default:
                return run_container(code);
        }
    }
    void run_container(unsigned char code) {
        switch (code) {
            case ']':
            case 0x8f:
                return push_container(ValueKind::List, {});
            case '}':
                return push_container(ValueKind::Dictionary, {});
            case ')':
                return push_container(ValueKind::Tuple, {});
            case 'l':
            case 0x91:
                return push_container(ValueKind::List, pop_to_mark());
            case 'd':
                return push_container(ValueKind::Dictionary, pop_to_mark());
            case 't':
                return push_container(ValueKind::Tuple, pop_to_mark());
            case 0x85:
                return push_tuple(1);
            case 0x86:
                return push_tuple(2);
            case 0x87:
                return push_tuple(3);
            case 'a': {
                const ValueId item = pop();
                return add_items(std::span(&item, 1), ValueKind::List);
            }
            case 's': {
                const ValueId value = pop();
                const std::array<ValueId, 2> pair{pop(), value};
                return add_items(pair, ValueKind::Dictionary);
            }
            case 'e':
            case 0x90:
                return add_items(pop_to_mark(), ValueKind::List);
            case 'u':
                return add_items(pop_to_mark(), ValueKind::Dictionary);
            default:
                refuse(code);
        }
    }
    void drop() {
        if (!marks_.empty() && stack_.size() == marks_.back())
            marks_.pop_back();
        else
            static_cast<void>(pop());
    }
    [[noreturn]] void refuse(unsigned char code) const {
        const auto* const known = std::ranges::find(kRefusedOpcodes, code, &OpcodeName::code);
        if (known != std::end(kRefusedOpcodes))
            fail("opcode " + std::string(known->name) +
                 " could run code when the pickle is loaded, so it is refused: only plain data is read");
        std::array<char, 8> hex{};
        std::snprintf(hex.data(), hex.size(), "0x%02x", static_cast<unsigned>(code));
        fail("opcode " + std::string(hex.data()) + " is unknown: the file is damaged, or no pickle");
    }

    static constexpr ValueId kNoValue{0xFFFFFFFFu};

    ByteSource& source_;
    const PickleLimits& limits_;
    const JobContext& context_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t before_ = 0;
    std::uint64_t opcode_at_ = 0;
    std::uint64_t pushed_ = 0;
    std::uint64_t puts_ = 0;
    std::uint64_t text_bytes_ = 0;
    std::string scratch_;
    ValueTree tree_;
    std::vector<ValueId> stack_;
    std::vector<std::size_t> marks_;
    std::vector<ValueId> memo_;
};

}  // namespace

bool begins_pickle(std::string_view head) {
    if (head.size() < 3) return false;
    if (head[0] == '\x80') return head[1] >= 2 && head[1] <= kNewestProtocol;
    // Protocol 1: an empty container that is memorised. Protocol 0: "(dp0\n".
    if (head[0] == '}' || head[0] == ']') return (head[1] == 'q' || head[1] == '(') && head[2] != '\n';
    if (head[0] != '(' || (head[1] != 'd' && head[1] != 'l')) return false;
    const std::size_t end = head.find_first_not_of("0123456789", 3);
    return head[2] == 'p' && end != std::string_view::npos && end > 3 && head[end] == '\n';
}

Result<ValueTree> read_pickle(ByteSource& source, const PickleLimits& limits, const JobContext& context) {
    try {
        return PickleReader(source, limits, context).read();
    } catch (PickleFault& fault) {
        return std::move(fault.error);
    }
}

}  // namespace core
