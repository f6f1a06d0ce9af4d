#include "core/query/filter_completion.hpp"

#include "core/base/ascii.hpp"
#include "core/index/class_rules.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>

namespace core {
namespace {

struct FieldHelp {
    std::string_view name;  // including the colon
    std::string_view about;
};
constexpr FieldHelp kFieldHelp[] = {
    {"rank:", "ranks, such as 0-3,8"},
    {"step:", "steps, such as 2-4, or complete"},
    {"stream:", "GPU streams"},
    {"class:", "compute, communication, memory"},
    {"name:", "a part of the name, or /regular expression/"},
    {"time:", "a range, such as 1.5ms..2ms"},
    {"dur:", "durations, such as >10us"},
    {"group:", "a process group"},
    {"capture:", "captures of one rank, such as b"},
    {"collective:", "matched collectives, such as all_reduce or all_reduce#12"},
    {"wait:", "waiting for a later rank, such as >1ms"},
    {"last:", "collectives that these ranks reach last"},
    {"matched:", "certain, probable, doubtful, alone"},
};
constexpr FieldHelp kDurations[] = {{"dur:>10us", "longer"}, {"dur:<2ms", "shorter"}, {"dur:1us..2ms", "between"}};
constexpr FieldHelp kWaits[] = {{"wait:>1ms", "longer"}, {"wait:>100us", "longer"}, {"wait:0ns", "none"}};
constexpr FieldHelp kMatches[] = {{"matched:certain", "by number, without doubt"},
                                  {"matched:probable", "by order or pair, without doubt"},
                                  {"matched:doubtful", "something contradicts"},
                                  {"matched:alone", "no partner"}};
constexpr FieldHelp kTimes[] = {{"time:1ms..2ms", "between"}, {"time:1ms..", "from"}, {"time:..2ms", "until"}};

// The word at the cursor; spaces inside quotes and expressions don't end it.
std::pair<std::size_t, std::size_t> find_word(std::string_view text, std::size_t cursor) {
    std::size_t begin = 0;
    char inside = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool starts_value = i == begin || text[i - 1] == ':' || text[i - 1] == '-';
        if (inside != 0) {
            if (c == '\\')
                ++i;
            else if (c == inside)
                inside = 0;
        } else if (starts_value && (c == '"' || c == '/')) {
            inside = c;
        } else if (c == ' ') {
            if (cursor <= i) return {begin, i};
            begin = i + 1;
        }
    }
    return {begin, text.size()};
}

class Search {
public:
    Search(std::string_view word, const FilterVocabulary& words, std::size_t most)
        : minus_(word.starts_with('-') ? "-" : ""), word_(word.substr(minus_.size())), words_(words), most_(most) {}

    std::vector<Completion> run() {
        const std::size_t colon = word_.find(':');
        const auto* field = std::ranges::find(kFieldHelp, word_.substr(0, colon + 1), &FieldHelp::name);
        if (colon == std::string_view::npos)
            add_fields();
        else if (field != std::end(kFieldHelp))
            add_values(field->name, word_.substr(colon + 1));
        return std::move(found_);
    }

private:
    void add(std::string_view text, std::string_view about = {}, bool whole = true) {
        if (found_.size() < most_ && text != word_)
            found_.push_back({.word = minus_ + std::string(text), .about = about, .whole = whole});
    }
    void add_fields() {
        for (const FieldHelp& field : kFieldHelp) {
            if (field.name.starts_with(word_)) add(field.name, field.about, false);
        }
        if (!word_.empty()) add_texts("name:", word_, words_.kernels);
    }
    void add_values(std::string_view field, std::string_view value) {
        if (field == "rank:") add_numbers(field, value, words_.ranks);
        if (field == "stream:") add_numbers(field, value, words_.streams);
        if (field == "step:") {
            if (std::string_view("complete").starts_with(value)) add("step:complete", "all but the cut ones");
            add_numbers(field, value, words_.steps);
        }
        if (field == "class:") add_classes(value);
        if (field == "name:") add_texts(field, value, words_.kernels);
        if (field == "group:") add_texts(field, value, words_.groups);
        if (field == "capture:") add_texts(field, value, words_.captures);
        if (field == "last:") add_numbers(field, value, words_.ranks);
        if (field == "collective:") add_texts(field, value, words_.operations);
        if (field == "matched:") add_fitting(kMatches);
        if (field == "wait:" && value.empty()) add_examples(kWaits);
        if (field == "dur:" && value.empty()) add_examples(kDurations);
        if (field == "time:" && value.empty()) add_examples(kTimes);
    }
    template <std::size_t kSize>
    void add_examples(const FieldHelp (&examples)[kSize]) {
        for (const FieldHelp& example : examples) add(example.name, example.about);
    }
    template <std::size_t kSize>
    void add_fitting(const FieldHelp (&examples)[kSize]) {
        for (const FieldHelp& example : examples)
            if (example.name.starts_with(word_)) add(example.name, example.about);
    }
    // Completes the number being typed, keeping the text before it.
    void add_numbers(std::string_view field, std::string_view value, const std::vector<std::int64_t>& numbers) {
        const std::size_t last = value.find_last_of(",-");
        const std::size_t kept = last == std::string_view::npos ? 0 : last + 1;
        for (const std::int64_t number : numbers) {
            const std::string text = std::to_string(number);
            if (text.starts_with(value.substr(kept)))
                add(std::string(field).append(value.substr(0, kept)).append(text));
            if (found_.size() == most_) return;
        }
    }
    void add_classes(std::string_view value) {
        const std::size_t comma = value.rfind(',');
        const std::string_view kept = value.substr(0, comma == std::string_view::npos ? 0 : comma + 1);
        for (const KernelClass c : {KernelClass::Compute, KernelClass::Communication, KernelClass::Memory}) {
            const bool given = ("," + std::string(kept)).find("," + std::string(name_of(c)) + ",") != std::string::npos;
            if (!given && name_of(c).starts_with(value.substr(kept.size())))
                add("class:" + std::string(kept).append(name_of(c)));
        }
    }
    void add_texts(std::string_view field, std::string_view value, const std::vector<std::string>& texts) {
        if (value.starts_with('/')) return;  // regular expression
        if (value.starts_with('"')) value.remove_prefix(1);
        if (value.ends_with('"')) value.remove_suffix(1);
        for (const std::string& text : texts) {
            if (found_.size() == most_) return;
            if (contains_any_case(text, value)) add(std::string(field) + quoted_filter_word(text));
        }
    }

    std::string minus_;
    std::string_view word_;
    const FilterVocabulary& words_;
    std::size_t most_;
    std::vector<Completion> found_;
};

}  // namespace

Completions complete_filter(std::string_view text, std::size_t cursor, const FilterVocabulary& words,
                            std::size_t most) {
    if (text.size() > kMostFilterBytes) return {};
    const auto [begin, end] = find_word(text, std::min(cursor, text.size()));
    return {.begin = begin, .end = end, .found = Search(text.substr(begin, end - begin), words, most).run()};
}

}  // namespace core
