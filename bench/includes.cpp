/* includes.cpp - the yardstick of the compile rows: a small C++ file with three usual headers. */
#include <algorithm>
#include <string>
#include <vector>

int main() {
  std::vector<std::string> words{"beta", "alpha"};
  std::sort(words.begin(), words.end());
  return words.front() == "alpha" ? 0 : 1;
}
