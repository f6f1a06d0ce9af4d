#include "core/store/arguments.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace core;

TEST_CASE("every known argument is found by its key, other keys are not") {
    for (const KnownArg& known : known_args()) {
        const KnownArg* found = find_known_arg(known.key);
        REQUIRE(found != nullptr);
        CHECK(found->key == known.key);
        CHECK(type_of(known.arg) == known.type);
        CHECK(find_known_arg(std::string(known.key) + "x") == nullptr);
        CHECK(find_known_arg(known.key.substr(1)) == nullptr);
    }
    CHECK(find_known_arg("") == nullptr);
    CHECK(find_known_arg("External id") == nullptr);
}

TEST_CASE("every argument has a row") {
    std::set<Arg> rows;
    for (const KnownArg& known : known_args()) rows.insert(known.arg);
    CHECK(rows.size() == kArgCount);
}

namespace {

struct Entry {
    std::uint32_t order;
    std::uint64_t offset;
    std::string arguments;
    std::string extra;
};

std::vector<Entry> random_entries(std::mt19937& random, std::size_t count, std::uint32_t order, std::uint64_t offset) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < count; ++i) {
        order += 1 + static_cast<std::uint32_t>(random() % 3);
        offset += 1 + random() % 500;
        std::string arguments(random() % 200, static_cast<char>('a' + random() % 26));
        if (random() % 500 == 0) arguments = std::string(200000, 'z');
        entries.push_back({order, offset, std::move(arguments), random() % 4 == 0 ? "{\"s\": \"t\"}" : ""});
    }
    return entries;
}

void add_all(TextStoreBuilder& store, const std::vector<Entry>& entries) {
    for (const Entry& e : entries) store.add(e.order, e.offset, e.arguments, e.extra);
}

void check_all(const TextStoreBuilder& store, const std::vector<Entry>& entries, std::uint32_t shift) {
    for (std::size_t i = 0; i < entries.size(); i += 7) {
        const Result<EventText> text = find_event_text(store.blocks(), store.packed(), entries[i].order + shift);
        REQUIRE(text.has_value());
        CHECK(text->arguments == entries[i].arguments);
        CHECK(text->extra == entries[i].extra);
        CHECK(text->source_offset == entries[i].offset);
    }
}

}  // namespace

TEST_CASE("packed texts moved piece by piece are unchanged") {
    std::mt19937 random(5);
    const std::vector<Entry> entries = random_entries(random, 3000, 0, 0);
    TextStoreBuilder store;
    add_all(store, entries);
    store.close();
    const std::vector<std::uint8_t> packed(store.packed().begin(), store.packed().end());
    std::vector<std::uint8_t> moved(packed.size());
    constexpr std::size_t kPiece = 10'000;
    REQUIRE(packed.size() > 2 * kPiece);
    for (std::size_t first = 0; first < moved.size(); first += kPiece)
        store.move_packed(first, std::span(moved).subspan(first, std::min(kPiece, moved.size() - first)));
    CHECK(moved == packed);
}

TEST_CASE("every event's text is found, also after stores were joined") {
    std::mt19937 random(3);
    const std::vector<Entry> first = random_entries(random, 3000, 0, 0);
    const std::vector<Entry> second = random_entries(random, 3000, 5, 1u << 30);
    TextStoreBuilder store, other;
    add_all(store, first);
    add_all(other, second);
    const std::uint32_t shift = first.back().order + 10;
    store.append(std::move(other), shift);
    TextStoreBuilder empty;
    store.append(std::move(empty), 0);
    store.close();
    check_all(store, first, 0);
    check_all(store, second, shift);
}

TEST_CASE("texts of a known form are restored, across blocks and joined stores") {
    constexpr auto kText = TextForm::Value::Text;
    const TextForm forms[] = {{0, {"{\"a\": ", ", \"b\": \"", "\"}"}, {kText, kText}, ""},
                              {7, {"{\"only\": 1}"}, {}, "{\"s\": \"t\"}"}};
    const auto fill = [&](TextStoreBuilder& store) {
        for (std::uint32_t i = 0; i < 30000; ++i) {
            const std::string number = std::to_string(i);
            const std::string text(i % 40, 'x');
            const std::string_view values[] = {number, text};
            if (i % 3 == 0) store.add(i, i, forms[0], values, {{0, 0}});
            if (i % 3 == 1) store.add(i, i, forms[1], {}, {});
            if (i % 3 == 2) store.add(i, i, number, text);
        }
    };
    TextStoreBuilder store, other;
    fill(store);
    fill(other);
    other.clear();
    fill(other);
    store.append(std::move(other), 30000);
    CHECK(store.blocks().size() > 4);
    for (std::uint32_t order = 0; order < 60000; order += 7) {
        const Result<EventText> found = find_event_text(store.blocks(), store.packed(), order);
        REQUIRE(found.has_value());
        const std::uint32_t i = order % 30000;
        const std::string number = std::to_string(i);
        const std::string text(i % 40, 'x');
        if (i % 3 == 0) CHECK(found->arguments == "{\"a\": " + number + ", \"b\": \"" + text + "\"}");
        if (i % 3 == 1) CHECK(found->arguments == "{\"only\": 1}");
        if (i % 3 == 2) CHECK(found->arguments == number);
        CHECK(found->extra == (i % 3 == 0 ? "" : i % 3 == 1 ? "{\"s\": \"t\"}" : text));
        CHECK(found->source_offset == i);
    }
}

TEST_CASE("integers and repeated texts of a form are restored") {
    using enum TextForm::Value;
    const TextForm form{2, {"[", ", ", ", \"", "\"]"}, {Integer, Integer, Text}, ""};
    const std::string_view written[] = {
        "0", "-0", "007", "-7", "-07", "42", "00", "999999999999999999", "-999999999999999999", "1"};
    const std::string_view texts[] = {"", "gelu", "gelu", "relu", ""};
    const auto number_at = [&](std::size_t i) { return written[i * i % std::size(written)]; };
    const auto text_at = [&](std::size_t i) { return texts[i / 3 % std::size(texts)]; };
    constexpr std::uint32_t kEntries = 20'000;
    TextStoreBuilder store;
    for (std::uint32_t i = 0; i < kEntries; ++i) {
        const std::string rising = std::to_string(1'000'000 + i);
        const std::string_view values[] = {rising, number_at(i), text_at(i)};
        const std::int64_t numbers[] = {1'000'000 + i, std::stoll(std::string(number_at(i))), 0};
        store.add(i, i, form, values, numbers);
    }
    store.close();
    CHECK(store.blocks().size() > 2);
    RecentTexts recent(store.blocks(), store.packed());
    for (std::uint32_t i = 0; i < kEntries; ++i) {
        const std::string text = "[" + std::to_string(1'000'000 + i) + ", " + std::string(number_at(i)) + ", \"" +
                                 std::string(text_at(i)) + "\"]";
        CHECK(recent.find(i)->arguments == text);
        if (i % 97 == 0) CHECK(find_event_text(store.blocks(), store.packed(), i)->arguments == text);
    }
}

TEST_CASE("a block whose repetitions exceed the limit is not unpacked completely") {
    const TextForm form{0, {"\"", "\""}, {TextForm::Value::Text}, ""};
    const std::string text(16 << 10, 'x');
    const std::string_view values[] = {text};
    TextStoreBuilder store;
    for (std::uint32_t i = 0; i < 10'000; ++i) store.add(i, i, form, values, {{0}});
    store.close();
    REQUIRE(store.blocks().size() == 1);
    RecentTexts recent(store.blocks(), store.packed());
    CHECK(recent.find(100)->arguments == "\"" + text + "\"");
    CHECK(recent.find(9'999).error().code == ErrorCode::Internal);
    CHECK(find_event_text(store.blocks(), store.packed(), 9'999)->arguments == "\"" + text + "\"");
}

TEST_CASE("an event without text is not found") {
    TextStoreBuilder store;
    store.add(5, 100, "{}", "");
    store.add(9, 200, "", "");
    store.close();
    CHECK(find_event_text(store.blocks(), store.packed(), 4).error().code == ErrorCode::NotFound);
    CHECK(find_event_text(store.blocks(), store.packed(), 6).error().code == ErrorCode::NotFound);
    CHECK(find_event_text(store.blocks(), store.packed(), 10).error().code == ErrorCode::NotFound);
    CHECK(find_event_text(store.blocks(), store.packed(), 9)->source_offset == 200);
    CHECK(find_event_text({}, {}, 0).error().code == ErrorCode::NotFound);
}

TEST_CASE("damaged blocks are errors") {
    TextStoreBuilder store;
    const TextForm form{3, {"{\"a\": ", ", \"b\": ", "}"}, {TextForm::Value::Text, TextForm::Value::Integer}, ""};
    for (std::uint32_t i = 0; i < 100; ++i) {
        const std::string number = std::to_string(i);
        const std::string_view values[] = {number, number};
        if (i % 2 == 0)
            store.add(i, i * 10, form, values, {{0, i}});
        else
            store.add(i, i * 10, "{\"a\": " + number + "}", "");
    }
    store.close();
    std::vector<std::uint8_t> packed(store.packed().begin(), store.packed().end());
    for (std::size_t at = 0; at < packed.size(); ++at) {
        std::vector<std::uint8_t> damaged = packed;
        damaged[at] ^= 0xA5;
        const Result<EventText> text = find_event_text(store.blocks(), damaged, 50);
        if (!text) CHECK_FALSE(text.error().message.empty());
    }
    CHECK_FALSE(find_event_text(store.blocks(), std::span(packed).first(packed.size() / 2), 50).has_value());
}
