// How the binary that users run was compiled and linked, read from its own headers, symbols and code.

#include "tests/app/cli.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <elf.h>

namespace {

class ElfFile {
public:
    explicit ElfFile(std::string bytes) : bytes_(std::move(bytes)), header_(at<Elf64_Ehdr>(0)) {
        REQUIRE(std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0);
        REQUIRE(header_.e_ident[EI_CLASS] == ELFCLASS64);
        for (std::size_t i = 0; i < header_.e_phnum; ++i)
            segments_.push_back(at<Elf64_Phdr>(header_.e_phoff + i * header_.e_phentsize));
        read_dynamic();
    }

    const Elf64_Ehdr& header() const { return header_; }
    const std::vector<Elf64_Phdr>& segments() const { return segments_; }
    std::optional<Elf64_Phdr> segment(Elf64_Word type) const {
        for (const Elf64_Phdr& segment : segments_)
            if (segment.p_type == type) return segment;
        return std::nullopt;
    }
    Elf64_Xword dynamic(Elf64_Sxword tag) const {
        for (const Elf64_Dyn& entry : dynamic_)
            if (entry.d_tag == tag) return entry.d_un.d_val;
        return 0;
    }
    // Names of symbols and libraries in the dynamic string table.
    bool names(std::string_view name) const {
        const std::string whole = std::string(1, '\0') + std::string(name) + std::string(1, '\0');
        return strings_.find(whole) != std::string::npos;
    }
    std::size_t count_names_with(std::string_view ending) const {
        std::size_t count = 0;
        const std::string end = std::string(ending) + std::string(1, '\0');
        for (std::size_t i = strings_.find(end); i != std::string::npos; i = strings_.find(end, i + 1)) ++count;
        return count;
    }

    // Features that the whole program has, as its objects said: GNU_PROPERTY_X86_FEATURE_1_IBT, _SHSTK.
    std::uint32_t protected_flow() const {
        constexpr std::uint32_t kFlow = 0xc0000002;  // GNU_PROPERTY_X86_FEATURE_1_AND
        constexpr std::uint64_t kNoteHeader = 16, kAlignment = 8;
        const std::optional<Elf64_Phdr> place = segment(PT_GNU_PROPERTY);
        if (!place) return 0;
        for (std::uint64_t i = place->p_offset + kNoteHeader; i + kAlignment <= place->p_offset + place->p_filesz;) {
            const auto type = at<std::uint32_t>(i), size = at<std::uint32_t>(i + 4);
            if (type == kFlow) return at<std::uint32_t>(i + 8);
            i += kAlignment + (size + kAlignment - 1) / kAlignment * kAlignment;
        }
        return 0;
    }

    // Searches the code.
    std::size_t count_instructions(std::string_view bytes) const {
        std::size_t count = 0;
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
            const std::string_view code = std::string_view(bytes_).substr(segment.p_offset, segment.p_filesz);
            for (std::size_t i = code.find(bytes); i != std::string_view::npos; i = code.find(bytes, i + bytes.size()))
                ++count;
        }
        return count;
    }

private:
    template <class T>
    T at(std::uint64_t offset) const {
        T value{};
        REQUIRE(offset + sizeof value <= bytes_.size());
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    std::uint64_t offset_of(Elf64_Addr address) const {
        for (const Elf64_Phdr& segment : segments_)
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
                return segment.p_offset + (address - segment.p_vaddr);
        FAIL("an address outside of the file");
        return 0;
    }
    void read_dynamic() {
        const std::optional<Elf64_Phdr> place = segment(PT_DYNAMIC);
        REQUIRE(place);
        for (std::uint64_t i = 0; i < place->p_filesz / sizeof(Elf64_Dyn); ++i)
            dynamic_.push_back(at<Elf64_Dyn>(place->p_offset + i * sizeof(Elf64_Dyn)));
        strings_ = bytes_.substr(offset_of(dynamic(DT_STRTAB)), dynamic(DT_STRSZ));
    }

    std::string bytes_;
    Elf64_Ehdr header_;
    std::vector<Elf64_Phdr> segments_;
    std::vector<Elf64_Dyn> dynamic_;
    std::string strings_;
};

// Sanitizers bring their own protection, and the two are mutually exclusive.
bool is_sanitized(const ElfFile& binary) {
    const bool is = binary.names("__asan_init") || binary.names("__tsan_init");
    if (is) MESSAGE("skipped: built with a sanitizer");
    return is;
}

}  // namespace

TEST_CASE("the binary has no fixed address, no memory to write and execute, and nothing to relocate after its start") {
    const ElfFile binary(app::testing::read_file(core::testing::lockstep_binary()));
    if (is_sanitized(binary)) return;
    CHECK(binary.header().e_type == ET_DYN);
    CHECK((binary.dynamic(DT_FLAGS_1) & DF_1_PIE) != 0);
    CHECK(((binary.dynamic(DT_FLAGS) & DF_BIND_NOW) != 0 || (binary.dynamic(DT_FLAGS_1) & DF_1_NOW) != 0));
    CHECK(binary.segment(PT_GNU_RELRO));
    REQUIRE(binary.segment(PT_GNU_STACK));
    CHECK((binary.segment(PT_GNU_STACK)->p_flags & PF_X) == 0);
    for (const Elf64_Phdr& segment : binary.segments())
        if (segment.p_type == PT_LOAD) CHECK((segment.p_flags & (PF_W | PF_X)) != (PF_W | PF_X));
    CHECK(binary.dynamic(DT_TEXTREL) == 0);
}

TEST_CASE("returns of the whole binary are protected") {
    const ElfFile binary(app::testing::read_file(core::testing::lockstep_binary()));
    if (is_sanitized(binary) || binary.header().e_machine != EM_X86_64) return;
    constexpr std::uint32_t kShadowStack = 2;
    CHECK((binary.protected_flow() & kShadowStack) != 0);
}

TEST_CASE("the binary checks its stack and, where it is optimised, the bounds of what the C library writes") {
    const ElfFile binary(app::testing::read_file(core::testing::lockstep_binary()));
    if (is_sanitized(binary)) return;
    // Linked libraries contain a few of each; only our own code counts.
#ifdef __OPTIMIZE__
    CHECK(binary.names("__snprintf_chk"));
#endif
    if (binary.header().e_machine != EM_X86_64) return;
    constexpr std::string_view kEndBranch = "\xf3\x0f\x1e\xfa";
    constexpr std::string_view kProbeOfGcc("\x48\x83\x0c\x24\x00", 5);                 // orq $0, (%rsp)
    constexpr std::string_view kProbeOfClang("\x48\xc7\x04\x24\x00\x00\x00\x00", 8);  // movq $0, (%rsp)
    constexpr std::string_view kCanaryIntoRax("\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9);
    CHECK(binary.count_instructions(kEndBranch) > 1000);
    CHECK(binary.count_instructions(kProbeOfGcc) + binary.count_instructions(kProbeOfClang) > 10);
    CHECK(binary.count_instructions(kCanaryIntoRax) > 300);
}
