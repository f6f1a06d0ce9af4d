#pragma once
// The corpus of real traces, next to the checkout or in LOCKSTEP_CORPUS. Without it, tests that
// need it report that they skip.

#include "tests/long_tests.hpp"
#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace core::testing {

namespace fs = std::filesystem;

// The shared folder `name` next to the checkout, or the one named by the environment's `variable`.
inline fs::path shared_folder(const char* variable, const char* name) {
    if (const char* const given = std::getenv(variable)) return given;
    return core::testing::source_folder().parent_path() / "shared" / name;
}

inline fs::path corpus_folder() { return shared_folder("LOCKSTEP_CORPUS", "traces"); }

inline bool corpus_is_here() {
    const bool here = fs::is_directory(corpus_folder());
    if (!here) MESSAGE("skipped: no traces in " << corpus_folder());
    return here;
}

// Sanitizers make everything ten to thirty times slower, so only small traces are used.
inline bool is_whole_corpus() { return !core::testing::is_sanitized(); }
inline std::uintmax_t largest_of_corpus() { return is_whole_corpus() ? std::uintmax_t{1} << 40 : 200'000; }  // bytes

// Every file of the corpus that is (or claims to be) a trace, sorted; see largest_of_corpus.
inline std::vector<fs::path> corpus_files() {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(corpus_folder())) {
        const bool about = entry.path().parent_path() == corpus_folder();
        if (entry.is_regular_file() && !about && entry.file_size() <= largest_of_corpus())
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

// Every folder of the corpus that holds a run, sorted; see largest_of_corpus.
inline std::vector<fs::path> corpus_runs() {
    std::vector<fs::path> folders;
    for (const fs::directory_entry& project : fs::directory_iterator(corpus_folder())) {
        if (!project.is_directory()) continue;
        for (const fs::directory_entry& folder : fs::directory_iterator(project.path())) {
            if (!folder.is_directory()) continue;
            std::uintmax_t size = 0;
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder.path())) {
                if (entry.is_regular_file()) size += entry.file_size();
            }
            if (size <= largest_of_corpus()) folders.push_back(folder.path());
        }
    }
    std::ranges::sort(folders);
    return folders;
}

}  // namespace core::testing
