#include "ui/model/charts/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ui {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

// Sorted by id.
constexpr std::array kWords{
    Entry{"DtoD", "device to device"},
    Entry{"DtoH", "device to host"},
    Entry{"HtoD", "host to device"},
    Entry{"HtoH", "host to host"},
    Entry{"PtoP", "peer to peer"},
    Entry{"algbw", "algorithm bandwidth"},
    Entry{"busbw", "bus bandwidth"},
    Entry{"by", "group by"},
    Entry{"chosen", "events of the filter"},
    Entry{"delay_max", "longest delay"},
    Entry{"delay_mean", "mean delay"},
    Entry{"delay_median", "median delay"},
    Entry{"flop", "FLOP"},
    Entry{"flop_rate", "FLOP rate"},
    Entry{"hfu", "HFU"},
    Entry{"host_other", "other host work"},
    Entry{"last_share", "share as last"},
    Entry{"least", "minimum"},
    Entry{"longest", "longest sequence"},
    Entry{"max_rank_mean", "mean of slowest rank"},
    Entry{"mfu", "MFU"},
    Entry{"min_rank_mean", "mean of fastest rank"},
    Entry{"model_flop", "model FLOP"},
    Entry{"of", "sequences of"},
    Entry{"own_wait", "own waiting"},
    Entry{"r2", "R\xC2\xB2"},
    Entry{"replayed", "length after what-if"},
    Entry{"stddev", "standard deviation"},
    Entry{"sync_delay", "synchronisation delay"},
    Entry{"unseen_flop", "FLOP of unseen operators"},
    Entry{"wait_caused", "caused directly"},
    Entry{"wait_rooted", "as root cause"},
};

// Empty for an unknown id.
std::string_view find_words(std::string_view id) {
    const auto found = std::ranges::lower_bound(kWords, id, {}, &Entry::first);
    return found != kWords.end() && found->first == id ? found->second : std::string_view();
}

// Capitalises every occurrence of the word.
void raise_word(std::string& text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at > 0 && text[at - 1] != ' ') || (end < text.size() && text[end] != ' ')) continue;
        for (std::size_t i = at; i < end; ++i) text[i] = static_cast<char>(text[i] - 'a' + 'A');
    }
}

}  // namespace

std::string words_of(std::string_view id) {
    if (const std::string_view known = find_words(id); !known.empty()) return std::string(known);
    std::string words(id);
    std::ranges::replace(words, '_', ' ');
    for (const std::string_view acronym : {"api", "cpu", "gpu"}) raise_word(words, acronym);
    return words;
}

std::string title_of(std::string_view id) {
    std::string title = words_of(id);
    if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
    return title;
}

std::string words_of_cell(const core::Column& column, std::string_view cell) {
    if (!core::holds_ids(column)) return std::string(cell);
    if (column.name != "kind") return words_of(cell);
    const std::string_view known = find_words(cell);  // else the trace's own name of the copy
    return std::string(known.empty() ? cell : known);
}

}  // namespace ui
