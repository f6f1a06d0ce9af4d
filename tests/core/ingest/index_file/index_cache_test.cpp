// The cache folder of index files: how much it holds, and its limit.

#include "core/ingest/index_file/index_places.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

// The environment's cache folder is this one while it lives.
struct CacheFolder {
    core::testing::TempFolder parent;
    std::string before = std::getenv("XDG_CACHE_HOME") ? std::getenv("XDG_CACHE_HOME") : "";
    CacheFolder() {
        ::setenv("XDG_CACHE_HOME", parent.path().c_str(), 1);
        fs::create_directories(core::index_cache_folder());
    }
    ~CacheFolder() {
        if (before.empty())
            ::unsetenv("XDG_CACHE_HOME");
        else
            ::setenv("XDG_CACHE_HOME", before.c_str(), 1);
    }
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;

    static fs::path add(const std::string& name, std::size_t bytes, int hours_old) {
        const fs::path file = core::index_beside(core::index_cache_folder() / name);
        std::ofstream(file) << std::string(bytes, 'x');
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours_old));
        return file;
    }
};

}  // namespace

TEST_CASE("the cache folder counts its index files and nothing else") {
    const CacheFolder cache;
    CHECK(core::measure_index_cache().files == 0);
    CacheFolder::add("a", 100, 1);
    CacheFolder::add("b", 50, 2);
    std::ofstream(core::index_cache_folder() / "note.txt") << "mine";
    CHECK(core::measure_index_cache().files == 2);
    CHECK(core::measure_index_cache().bytes == 150);
}

TEST_CASE("over its limit the cache folder drops the oldest files, never those in use") {
    const CacheFolder cache;
    const fs::path oldest = CacheFolder::add("oldest", 100, 9);
    const fs::path middle = CacheFolder::add("middle", 100, 5);
    const fs::path newest = CacheFolder::add("newest", 100, 1);
    std::ofstream(core::index_cache_folder() / "note.txt") << std::string(500, 'n');
    core::trim_index_cache(300);
    CHECK(fs::exists(oldest));
    core::trim_index_cache(200, oldest);
    CHECK(fs::exists(oldest));
    CHECK_FALSE(fs::exists(middle));
    CHECK(fs::exists(newest));
    core::trim_index_cache(0);
    CHECK(core::measure_index_cache().files == 0);
    CHECK(fs::exists(core::index_cache_folder() / "note.txt"));
}
