#include "core/ingest/pickle/read_json_tree.hpp"

#include <nlohmann/json.hpp>

#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kJsonBuffer = std::size_t{256} << 10;

// The bytes of a source one by one.
class ByteStream {
public:
    explicit ByteStream(ByteSource& source) : source_(source), buffer_(kJsonBuffer) { refill(); }
    bool at_end() const { return begin_ == end_; }
    char front() const { return buffer_[begin_]; }
    void advance() {
        if (++begin_ == end_) refill();
    }
    std::uint64_t position() const { return before_ + begin_; }
    const std::optional<Error>& failure() const { return failure_; }

private:
    void refill() {
        before_ += end_;
        begin_ = end_ = 0;
        const Result<std::size_t> got = read_fully(source_, buffer_);
        if (got)
            end_ = *got;
        else
            failure_ = got.error();
    }

    ByteSource& source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t before_ = 0;
    std::optional<Error> failure_;
};

class ByteIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    ByteIterator() = default;
    explicit ByteIterator(ByteStream& stream) : stream_(&stream) {}
    char operator*() const { return stream_->front(); }
    ByteIterator& operator++() {
        stream_->advance();
        return *this;
    }
    ByteIterator operator++(int) {
        ByteIterator old = *this;
        stream_->advance();
        return old;
    }
    bool operator==(const ByteIterator& other) const { return at_end() == other.at_end(); }

private:
    bool at_end() const { return stream_ == nullptr || stream_->at_end(); }
    ByteStream* stream_ = nullptr;
};

// Builds the values; stops at the first limit.
class TreeBuilder {
public:
    TreeBuilder(const PickleLimits& limits, const JobContext& context) : limits_(limits), context_(context) {}

    // Callbacks of nlohmann/json's parser.
    bool null() { return add(tree_.add_none()); }
    bool boolean(bool value) { return add(tree_.add_boolean(value)); }
    bool number_integer(std::int64_t value) { return add(tree_.add_integer(value)); }
    bool number_unsigned(std::uint64_t value) {
        const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return add(fits ? tree_.add_integer(static_cast<std::int64_t>(value)) : tree_.add_wide());
    }
    bool number_float(double value, const std::string&) { return add(tree_.add_number(value)); }
    bool string(const std::string& value) { return spend_bytes(value.size()) && add(tree_.add_text(value)); }
    bool binary(const std::vector<std::uint8_t>&) { return false; }
    bool start_object(std::size_t) { return open(ValueKind::Dictionary); }
    bool start_array(std::size_t) { return open(ValueKind::List); }
    bool key(const std::string& name) {
        if (!spend_bytes(name.size()) || !count()) return false;
        tree_.append(open_.back(), tree_.add_text(name));
        return true;
    }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& exception) {
        const bool at_end = std::string_view(exception.what()).find("end of input") != std::string_view::npos;
        return stop(at_end ? "the JSON ends in the middle" : "not JSON");
    }

    const std::string& problem() const { return problem_; }
    bool cancelled() const { return cancelled_; }
    ValueTree take() { return std::move(tree_); }

private:
    bool stop(std::string problem) {
        problem_ = std::move(problem);
        return false;
    }
    bool count() {
        if (++values_ > limits_.most_values) return stop("more values than are read");
        constexpr std::uint64_t kBetweenChecks = 1 << 16;
        if (values_ % kBetweenChecks == 0 && context_.checkpoint()) cancelled_ = true;
        return !cancelled_;
    }
    bool spend_bytes(std::size_t size) {
        text_bytes_ += size;
        return text_bytes_ <= limits_.most_text_bytes || stop("texts of absurd length");
    }
    bool add(ValueId id) {
        if (!count()) return false;
        if (open_.empty())
            tree_.set_root(id);
        else
            tree_.append(open_.back(), id);
        return true;
    }
    bool open(ValueKind kind) {
        if (open_.size() >= limits_.most_marks) return stop("brackets nested too deeply");
        const ValueId id = tree_.add_container(kind);
        if (!add(id)) return false;
        open_.push_back(id);
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    const PickleLimits& limits_;
    const JobContext& context_;
    ValueTree tree_;
    std::vector<ValueId> open_;
    std::uint64_t values_ = 0;
    std::uint64_t text_bytes_ = 0;
    std::string problem_;
    bool cancelled_ = false;
};

}  // namespace

Result<ValueTree> read_json_tree(ByteSource& source, const PickleLimits& limits, const JobContext& context) {
    ByteStream stream(source);
    TreeBuilder builder(limits, context);
    const bool whole = nlohmann::json::sax_parse(ByteIterator(stream), ByteIterator(), &builder,
                                                 nlohmann::json::input_format_t::json, false);
    if (stream.failure()) return *stream.failure();
    if (builder.cancelled()) return cancelled_error();
    if (!whole) return bad_input("byte " + std::to_string(stream.position()) + ": " + builder.problem());
    return builder.take();
}

}  // namespace core
