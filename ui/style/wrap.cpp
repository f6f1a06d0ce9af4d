#include "ui/style/wrap.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr std::size_t kLongestUnit = 7;  // "TFLOP/s"; µ has two bytes

bool ends_number(char c) { return c >= '0' && c <= '9'; }

// True if the space at `at` is between a number and its unit.
bool binds(std::string_view text, std::size_t at) {
    if (at == 0 || at + 1 >= text.size() || !ends_number(text[at - 1])) return false;
    const std::size_t end = std::min(text.find_first_of(" ,;.:)\n", at + 1), text.size());
    const std::string_view word = text.substr(at + 1, end - at - 1);
    constexpr std::string_view kUnits[] = {"%",  "ns",  "\xC2\xB5s", "ms",    "s",     "min",     "h",
                                           "B",  "KiB", "MiB",       "GiB",   "TiB",   "GB/s",    "MB/s",
                                           "GB", "MB",  "FLOP",      "GFLOP", "TFLOP", "TFLOP/s", "GFLOP/s"};
    return word.size() <= kLongestUnit + 1 && std::ranges::find(kUnits, word) != std::end(kUnits);
}

// Length of the longest beginning that fits; at least one character.
std::size_t find_cut(const TextStyle& style, std::string_view word, float width) {
    std::size_t low = 1, high = word.size();
    while (low < high) {
        const std::size_t middle = (low + high + 1) / 2;
        if (text_width(style, word.substr(0, middle)) <= width)
            low = middle;
        else
            high = middle - 1;
    }
    const std::size_t cut = core::cut_utf8(word, low).size();
    if (cut > 0) return cut;
    low = 1;  // one character, however wide
    while (low < word.size() && (static_cast<unsigned char>(word[low]) & 0xC0u) == 0x80u) ++low;
    return low;
}

// Appends the lines of one paragraph.
void wrap_paragraph(const TextStyle& style, std::string_view text, float width, std::vector<std::string_view>& lines) {
    std::size_t begin = 0;  // of the line
    std::size_t end = 0;    // of its text
    float used = 0;
    const float space = text_width(style, " ");
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t next = text.find(' ', at);
        while (next != std::string_view::npos && binds(text, next)) next = text.find(' ', next + 1);
        const std::size_t stop = std::min(next, text.size());
        const float word = text_width(style, text.substr(at, stop - at));
        const float gap = end > begin ? space * static_cast<float>(at - end) : 0;
        if (end > begin && used + gap + word > width) {
            lines.push_back(text.substr(begin, end - begin));
            begin = end = at;
            used = 0;
            continue;
        }
        if (word > width) {
            const std::size_t cut = find_cut(style, text.substr(at, stop - at), width);
            if (cut < stop - at) {
                lines.push_back(text.substr(at, cut));
                begin = end = at = at + cut;
                used = 0;
                continue;
            }
        }
        used += gap + word;
        end = stop;
        at = stop == text.size() ? stop : stop + 1;
        if (begin == end) begin = end = at;  // spaces at the start of a line
    }
    lines.push_back(text.substr(begin, end - begin));
}

}  // namespace

std::vector<std::string_view> wrap_words(const TextStyle& style, std::string_view text, float width) {
    std::vector<std::string_view> lines;
    width = std::max(width, 1.0f);
    while (true) {
        const std::size_t end = text.find('\n');
        wrap_paragraph(style, text.substr(0, end), width, lines);
        if (end == std::string_view::npos) return lines;
        text.remove_prefix(end + 1);
    }
}

void wrapped_text(std::string_view what, ImU32 color) {
    const TextStyle style{ImGui::GetFont(), ImGui::GetFontSize()};
    const ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
    ImGui::BeginGroup();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {spacing.x, 0});
    for (const std::string_view line : wrap_words(style, what, ImGui::GetContentRegionAvail().x)) text(line, color);
    ImGui::PopStyleVar();
    ImGui::EndGroup();
}

}  // namespace ui
