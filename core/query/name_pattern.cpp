#include "core/query/name_pattern.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace core {
namespace {

using ByteSet = std::bitset<256>;

constexpr std::size_t kMostInstructions = 4096;
constexpr std::size_t kMostCharacters = 8192;
constexpr int kMostNesting = 64;
constexpr std::uint32_t kMostRepeats = 1000;
constexpr std::uint32_t kEndless = std::numeric_limits<std::uint32_t>::max();

std::size_t byte_of(char c) { return static_cast<unsigned char>(c); }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

ByteSet range_of_bytes(std::size_t first, std::size_t last) {
    ByteSet set;
    for (std::size_t b = first; b <= last; ++b) set.set(b);
    return set;
}

// The set of \d \w \s \D \W \S.
std::optional<ByteSet> named_set(char letter) {
    ByteSet set;
    switch (letter) {
        case 'd':
        case 'D':
            set = range_of_bytes('0', '9');
            break;
        case 'w':
        case 'W':
            for (std::size_t b = 0; b < 256; ++b) set[b] = is_word(static_cast<char>(b));
            break;
        case 's':
        case 'S':
            for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) set.set(byte_of(c));
            break;
        default:
            return std::nullopt;
    }
    return letter < 'a' ? ~set : set;
}

std::optional<char> control_escape(char letter) {
    switch (letter) {
        case 't':
            return '\t';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 'f':
            return '\f';
        case 'v':
            return '\v';
        default:
            return std::nullopt;
    }
}

std::optional<int> hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

struct Node;
using NodePtr = std::unique_ptr<Node>;
struct Node {
    enum class Kind { Bytes, AtBegin, AtEnd, AtWordEdge, NotAtWordEdge, Sequence, Choice, Repeat };
    Kind kind = Kind::Sequence;
    ByteSet bytes{};
    std::vector<NodePtr> parts{};
    std::uint32_t least = 0;
    std::uint32_t most = 0;
};

NodePtr make_node(Node::Kind kind) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    return node;
}

// Pattern text to tree. After a failure, message() is set and what is returned must not be used.
class PatternParser {
public:
    explicit PatternParser(std::string_view pattern) : text_(pattern) {}

    NodePtr parse() {
        NodePtr tree = parse_choice(0);
        if (at_ < text_.size()) fail(") without (");
        return tree;
    }
    const std::string& message() const { return message_; }

private:
    bool more() const { return message_.empty() && at_ < text_.size(); }
    char peek() const { return text_[at_]; }
    bool take(char c) {
        if (!more() || peek() != c) return false;
        ++at_;
        return true;
    }
    void fail(std::string_view problem) {
        if (message_.empty()) message_ = "at " + std::to_string(at_ + 1) + ": " + std::string(problem);
    }

    NodePtr parse_choice(int depth) {
        NodePtr choice = make_node(Node::Kind::Choice);
        if (depth > kMostNesting) {
            fail("groups are nested too deeply");
            return choice;
        }
        do choice->parts.push_back(parse_sequence(depth));
        while (take('|'));
        return choice;
    }
    NodePtr parse_sequence(int depth) {
        NodePtr sequence = make_node(Node::Kind::Sequence);
        while (more() && peek() != '|' && peek() != ')') sequence->parts.push_back(parse_repeat(parse_atom(depth)));
        return sequence;
    }

    NodePtr parse_repeat(NodePtr what) {
        std::uint32_t least = 0;
        std::uint32_t most = kEndless;
        if (!take_quantifier(least, most)) return what;
        take('?');  // "lazy" makes no difference to whether there is a match
        NodePtr repeat = make_node(Node::Kind::Repeat);
        repeat->least = least;
        repeat->most = most;
        repeat->parts.push_back(std::move(what));
        if (take_quantifier(least, most)) fail("nothing to repeat");
        return repeat;
    }
    bool take_quantifier(std::uint32_t& least, std::uint32_t& most) {
        if (take('*')) return true;
        if (take('+'))
            least = 1;
        else if (take('?'))
            most = 1;
        else
            return more() && take_counts(least, most);
        return true;
    }
    // {2} {2,} {2,5}; any other brace is an ordinary character.
    bool take_counts(std::uint32_t& least, std::uint32_t& most) {
        if (peek() != '{') return false;
        std::size_t i = at_ + 1;
        const std::optional<std::uint32_t> first = number_at(i);
        if (!first) return false;
        std::optional<std::uint32_t> second = first;
        if (i < text_.size() && text_[i] == ',') {
            second = number_at(++i);
            if (!second) second = kEndless;
        }
        if (i >= text_.size() || text_[i] != '}') return false;
        if (*second < *first) fail("the numbers of a repetition are reversed");
        if (*first > kMostRepeats || (*second > kMostRepeats && *second != kEndless)) fail("too many repetitions");
        at_ = i + 1;
        least = *first;
        most = *second;
        return true;
    }
    std::optional<std::uint32_t> number_at(std::size_t& i) const {
        if (i >= text_.size() || !is_digit(text_[i])) return std::nullopt;
        std::uint32_t number = 0;
        for (; i < text_.size() && is_digit(text_[i]); ++i) {
            number = std::min(number * 10 + static_cast<std::uint32_t>(text_[i] - '0'), kMostRepeats + 1);
        }
        return number;
    }

    NodePtr parse_atom(int depth) {
        const char c = peek();
        if (c == '*' || c == '+' || c == '?') fail("nothing to repeat");
        ++at_;
        switch (c) {
            case '^':
                return make_node(Node::Kind::AtBegin);
            case '$':
                return make_node(Node::Kind::AtEnd);
            case '.':
                return bytes_node(~ByteSet().set(byte_of('\n')));
            case '[':
                return bytes_node(parse_set());
            case '(':
                return parse_group(depth);
            case '\\':
                return parse_escape();
            default:
                return bytes_node(ByteSet().set(byte_of(c)));
        }
    }
    static NodePtr bytes_node(const ByteSet& bytes) {
        NodePtr node = make_node(Node::Kind::Bytes);
        node->bytes = bytes;
        return node;
    }
    NodePtr parse_group(int depth) {
        if (take('?') && !take(':')) fail("look-around and named groups are not supported");
        NodePtr inside = parse_choice(depth + 1);
        if (!take(')')) fail("( without )");
        return inside;
    }
    NodePtr parse_escape() {
        if (take('b')) return make_node(Node::Kind::AtWordEdge);
        if (take('B')) return make_node(Node::Kind::NotAtWordEdge);
        return bytes_node(parse_escaped_bytes());
    }
    // What follows a backslash, inside or outside brackets.
    ByteSet parse_escaped_bytes() {
        if (!more()) {
            fail("nothing after the backslash");
            return {};
        }
        const char c = text_[at_++];
        if (const auto set = named_set(c)) return *set;
        if (const auto control = control_escape(c)) return ByteSet().set(byte_of(*control));
        if (c == 'x') return parse_hex();
        if (c == '0') return ByteSet().set(0);
        if (is_digit(c))
            fail("back references are not supported");
        else if (is_word(c) && c != '_')
            fail("unknown escape");
        return ByteSet().set(byte_of(c));
    }
    ByteSet parse_hex() {
        const auto high = at_ + 1 < text_.size() ? hex_value(text_[at_]) : std::nullopt;
        const auto low = high ? hex_value(text_[at_ + 1]) : std::nullopt;
        if (!low) {
            fail("\\x needs two hexadecimal digits");
            return {};
        }
        at_ += 2;
        return ByteSet().set(static_cast<std::size_t>(*high) * 16 + static_cast<std::size_t>(*low));
    }

    ByteSet parse_set() {
        const bool negated = take('^');
        ByteSet set;
        while (more() && peek() != ']') {
            const ByteSet first = parse_set_item();
            const bool is_range = at_ + 1 < text_.size() && peek() == '-' && text_[at_ + 1] != ']';
            if (!is_range || first.count() != 1) {
                set |= first;
                continue;
            }
            ++at_;
            const ByteSet last = parse_set_item();
            if (last.count() != 1 || lowest(last) < lowest(first))
                fail("a range in [ ] is reversed");
            else
                set |= range_of_bytes(lowest(first), lowest(last));
        }
        if (!take(']')) fail("[ without ]");
        return negated ? ~set : set;
    }
    ByteSet parse_set_item() {
        const char c = text_[at_++];
        if (c != '\\') return ByteSet().set(byte_of(c));
        return take('b') ? ByteSet().set(8) : parse_escaped_bytes();
    }
    static std::size_t lowest(const ByteSet& bytes) {
        std::size_t b = 0;
        while (b < 256 && !bytes[b]) ++b;
        return b;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string message_;
};

}  // namespace

// Tree to program.
class PatternCompiler {
public:
    bool compile(const Node& tree) {
        emit(tree);
        add(Op::Match);
        return !too_large_;
    }
    NamePattern take() && { return std::move(pattern_); }

private:
    using Op = NamePattern::Op;

    std::uint32_t here() const { return static_cast<std::uint32_t>(pattern_.program_.size()); }
    std::uint32_t add(Op op, std::uint32_t to = 0, std::uint32_t other = 0) {
        too_large_ = too_large_ || pattern_.program_.size() >= kMostInstructions;
        if (!too_large_) pattern_.program_.push_back({op, to, other});
        return too_large_ ? 0 : here() - 1;
    }
    NamePattern::Instruction& at(std::uint32_t i) { return pattern_.program_[i]; }

    void emit(const Node& node) {
        too_large_ = too_large_ || ++visited_ > 16 * kMostInstructions;  // repeated nothing takes no instructions
        if (too_large_) return;
        switch (node.kind) {
            case Node::Kind::Bytes:
                pattern_.sets_.push_back(node.bytes);
                add(Op::Bytes, static_cast<std::uint32_t>(pattern_.sets_.size() - 1));
                break;
            case Node::Kind::AtBegin:
                add(Op::AtBegin);
                break;
            case Node::Kind::AtEnd:
                add(Op::AtEnd);
                break;
            case Node::Kind::AtWordEdge:
                add(Op::AtWordEdge);
                break;
            case Node::Kind::NotAtWordEdge:
                add(Op::NotAtWordEdge);
                break;
            case Node::Kind::Sequence:
                for (const NodePtr& part : node.parts) emit(*part);
                break;
            case Node::Kind::Choice:
                emit_choice(node);
                break;
            case Node::Kind::Repeat:
                emit_repeat(node);
                break;
        }
    }
    void emit_choice(const Node& node) {
        std::vector<std::uint32_t> ends;
        for (std::size_t i = 0; i + 1 < node.parts.size(); ++i) {
            const std::uint32_t split = add(Op::Split, here() + 1);
            emit(*node.parts[i]);
            ends.push_back(add(Op::Jump));
            if (too_large_) return;
            at(split).other = here();
        }
        emit(*node.parts.back());
        if (too_large_) return;
        for (const std::uint32_t end : ends) at(end).to = here();
    }
    void emit_repeat(const Node& node) {
        for (std::uint32_t i = 0; i < node.least && !too_large_; ++i) emit(*node.parts[0]);
        if (node.most == kEndless) {
            const std::uint32_t split = add(Op::Split, here() + 1);
            emit(*node.parts[0]);
            add(Op::Jump, split);
            if (!too_large_) at(split).other = here();
            return;
        }
        std::vector<std::uint32_t> splits;
        for (std::uint32_t i = node.least; i < node.most && !too_large_; ++i) {
            splits.push_back(add(Op::Split, here() + 1));
            emit(*node.parts[0]);
        }
        if (too_large_) return;
        for (const std::uint32_t split : splits) at(split).other = here();
    }

    NamePattern pattern_;
    std::size_t visited_ = 0;
    bool too_large_ = false;
};

// One search: the set of states that are alive after each byte.
class PatternRun {
public:
    PatternRun(const NamePattern& pattern, std::string_view text)
        : pattern_(pattern), text_(text), seen_(pattern.program_.size(), kEndless) {}

    bool found() {
        for (std::size_t i = 0;; ++i) {
            if (enter(0, i)) return true;
            if (i == text_.size()) return false;
            current_.swap(next_);
            next_.clear();
            for (const std::uint32_t state : current_) {
                const NamePattern::Instruction& instruction = pattern_.program_[state];
                if (pattern_.sets_[instruction.to][byte_of(text_[i])] && enter(state + 1, i + 1)) return true;
            }
        }
    }

private:
    using Op = NamePattern::Op;

    // Follows everything that takes no byte; adds what takes one to next_. True when a match is complete.
    bool enter(std::uint32_t state, std::size_t position) {
        stack_.push_back(state);
        while (!stack_.empty()) {
            const std::uint32_t s = stack_.back();
            stack_.pop_back();
            if (seen_[s] == position) continue;
            seen_[s] = static_cast<std::uint32_t>(position);
            const NamePattern::Instruction& instruction = pattern_.program_[s];
            switch (instruction.op) {
                case Op::Match:
                    return true;
                case Op::Bytes:
                    next_.push_back(s);
                    break;
                case Op::Jump:
                    stack_.push_back(instruction.to);
                    break;
                case Op::Split:
                    stack_.push_back(instruction.other);
                    stack_.push_back(instruction.to);
                    break;
                default:
                    if (holds(instruction.op, position)) stack_.push_back(s + 1);
            }
        }
        return false;
    }
    bool holds(Op op, std::size_t position) const {
        if (op == Op::AtBegin) return position == 0;
        if (op == Op::AtEnd) return position == text_.size();
        const bool before = position > 0 && is_word(text_[position - 1]);
        const bool after = position < text_.size() && is_word(text_[position]);
        return (before != after) == (op == Op::AtWordEdge);
    }

    const NamePattern& pattern_;
    std::string_view text_;
    std::vector<std::uint32_t> seen_;  // the position at which a state was entered last
    std::vector<std::uint32_t> current_;
    std::vector<std::uint32_t> next_;
    std::vector<std::uint32_t> stack_;
};

Result<NamePattern> NamePattern::compile(std::string_view pattern) {
    if (pattern.size() > kMostCharacters) return Error{ErrorCode::BadInput, "the pattern is too long"};
    PatternParser parser(pattern);
    const NodePtr tree = parser.parse();
    if (!parser.message().empty()) return Error{ErrorCode::BadInput, parser.message()};
    PatternCompiler compiler;
    if (!compiler.compile(*tree)) return Error{ErrorCode::BadInput, "the pattern is too large"};
    return std::move(compiler).take();
}

bool NamePattern::found_in(std::string_view text) const { return PatternRun(*this, text).found(); }

}  // namespace core
