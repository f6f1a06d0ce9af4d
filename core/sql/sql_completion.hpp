#pragma once
// Completions for the word at the cursor of a SQL query: tables where a table belongs, columns of the tables that the
// query names, functions of analyses, and a few words of SQL. Reads the text only, which need not be whole.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct SqlCompletion {
    std::string word;   // replaces the word at the cursor
    std::string about;  // what it is: "table", "ns: duration as recorded"
    bool operator==(const SqlCompletion&) const = default;
};

struct SqlCompletions {
    std::size_t begin = 0;  // the word at the cursor: bytes of the text
    std::size_t end = 0;
    std::vector<SqlCompletion> found;
};

// Words that begin as the one at the cursor does, whatever the case; none within a text or a comment, and none that the
// word already is. Without a word only where a table belongs, or after "table.". O(text).
SqlCompletions complete_sql(std::string_view text, std::size_t cursor, std::size_t most = 10);

}  // namespace core
