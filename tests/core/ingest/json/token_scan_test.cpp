#include "core/ingest/json/token_scan.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;

namespace {

// Required layout: a NUL byte, then a margin of misleading bytes.
std::string ended(std::string_view text, char behind) {
    return std::string(text).append(1, '\0').append(kScanMargin, behind);
}

std::ptrdiff_t text_end(std::string_view text) {
    const std::string whole = ended(text, '"');
    const char* const end = plain_text_end(whole.data());
    return end == nullptr ? -1 : end - whole.data();
}

std::ptrdiff_t container_end(std::string_view text) {
    const std::string whole = ended(text, ']');
    const char* const end = plain_container_end(whole.data());
    return end == nullptr ? -1 : end - whole.data();
}

}  // namespace

TEST_CASE("digits are read up to eighteen, and counted beyond") {
    const std::string all = "123456789012345678901234567890";
    for (std::size_t size = 0; size <= all.size(); ++size) {
        const Digits digits = scan_digits(ended(all.substr(0, size), '5').data());
        CAPTURE(size);
        if (size <= kMostDigits) CHECK(digits.count == size);
        if (size <= kMostDigits && size > 0) CHECK(digits.value == std::stoull(all.substr(0, size)));
        if (size > kMostDigits) CHECK(digits.count > kMostDigits);
    }
    for (int c = 0; c < 256; ++c) {
        const std::string text = {'4', '2', static_cast<char>(c), '7'};
        const bool is_digit = c >= '0' && c <= '9';
        CHECK(scan_digits(ended(text, '5').data()).count == (is_digit ? 4 : 2));
    }
    CHECK(scan_digits(ended("00000000012", '5').data()).value == 12);
}

TEST_CASE("a plain text ends at its quote; anything special in it is refused") {
    for (std::size_t size = 0; size < 70; ++size) {
        const std::string text(size, 'a');
        CHECK(text_end(text + "\" and \"more") == static_cast<std::ptrdiff_t>(size));
        CHECK(text_end(text) == -1);
        for (const char special : {'\\', '\n', '\x1F', '\x80', '\xFF'}) CHECK(text_end(text + special + "\"") == -1);
        for (const char plain : {'\x7F', ' ', '[', '}'}) {
            CHECK(text_end(text + plain + "\"") == static_cast<std::ptrdiff_t>(size) + 1);
        }
    }
}

TEST_CASE("a container ends where its brackets balance outside of texts") {
    CHECK(container_end("[]") == 2);
    CHECK(container_end("[[1, 2], {\"a\": \"]}\"}], 5]") == 21);
    CHECK(container_end("{\"a\":\n\t[1],\r \"b\": 2}") == 20);
    CHECK(container_end("[" + std::string(100, ' ') + "]]") == 102);
    CHECK(container_end("[1, 2") == -1);
    CHECK(container_end("[\"a\\\"\"]") == -1);
    CHECK(container_end("[\"a\nb\"]") == -1);
    CHECK(container_end("[\x01]") == -1);
    CHECK(container_end("[\"\xC3\xA4\"]") == -1);
}

TEST_CASE("text is compared up to its last byte and not beyond") {
    for (std::size_t size = 0; size < 50; ++size) {
        const std::string known(size, 'k');
        const std::string padded = known + std::string(kScanBytes, '!');
        CHECK(begins_with(ended(known, '?').data(), padded.data(), size));
        for (std::size_t at = 0; at < size; ++at) {
            std::string other = known;
            other[at] = 'x';
            CHECK_FALSE(begins_with(ended(other, '?').data(), padded.data(), size));
        }
        if (size > 0) CHECK_FALSE(begins_with(ended(known.substr(1), 'k').data(), padded.data(), size));
    }
}
