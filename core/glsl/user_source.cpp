#include "core/glsl/user_source.h"

#include "core/base/error.h"

#include <algorithm>
#include <set>
#include <vector>

namespace gpupost {

namespace {

constexpr size_t deepest_nesting = 64;  // of brackets: compilers go down by recursion

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Token {
  std::string_view text;
  int line = 0;
  bool is_word = false;
};
using Tokens = std::vector<Token>;

// A blank in the place of each comment, and its lines. A comment ends with its line, whatever its last character is.
std::string without_comments(std::string_view source, const std::string& file) {
  std::string text;
  int line = 1;
  for (size_t at = 0; at < source.size();) {
    const std::string_view rest = source.substr(at);
    const bool is_line = rest.starts_with("//");
    if (!is_line && !rest.starts_with("/*")) {
      line += rest[0] == '\n';
      text += source[at++];
      continue;
    }
    const size_t end = is_line ? rest.find('\n') : rest.find("*/", 2);
    if (end == rest.npos && !is_line) fail(Exit::input, "{}:{}: this comment does not end", file, line);
    const std::string_view comment = rest.substr(0, end == rest.npos || is_line ? end : end + 2);
    const auto line_count = size_t(std::ranges::count(comment, '\n'));
    text.append(line_count, '\n') += ' ';
    line += int(line_count);
    at += comment.size();
  }
  return text;
}

size_t number_length(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  size_t length = 1;
  for (; length < text.size(); ++length) {
    const char c = text[length], before = text[length - 1];
    const bool is_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E') && !is_hexadecimal;
    if (!is_letter(c) && !is_digit(c) && c != '.' && !is_sign) break;
  }
  return length;
}

size_t token_length(std::string_view text) {
  if (is_letter(text[0]))
    return size_t(std::ranges::find_if_not(text, [](char c) { return is_letter(c) || is_digit(c); }) - text.begin());
  if (is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && is_digit(text[1]))) return number_length(text);
  const bool is_with_equals =
      text.size() > 1 && text[1] == '=' && std::string_view("=<>!+-*/%&|^").find(text[0]) != text.npos;
  return is_with_equals ? 2 : 1;
}

Tokens tokens_of(std::string_view text, const std::string& file) {
  constexpr std::string_view blanks = " \t\r\n\v\f", marks = "()[]{}.,;:?+-*/%<>=!&|^~";
  Tokens tokens;
  int line = 1;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    line += c == '\n';
    if (blanks.find(c) != blanks.npos) {
      ++at;
      continue;
    }
    if (c == '#')
      fail(Exit::input, "{}:{}: directives are not allowed here, not even #include and #extension; remove it", file,
           line);
    if (!is_letter(c) && !is_digit(c) && marks.find(c) == marks.npos)
      fail(Exit::input, "{}:{}: has the byte {:#04x}, which GLSL does not allow", file, line,
           static_cast<unsigned char>(c));
    const size_t length = token_length(text.substr(at));
    tokens.push_back({text.substr(at, length), line, is_letter(c)});
    at += length;
  }
  return tokens;
}

// Words by which a function would know of other texels, or declare what its callers see.
void check_words(const Tokens& tokens, const std::string& file) {
  for (const auto& [text, line, is_word] : tokens) {
    if (text.starts_with("gl_") || text == "barrier" || text.find("emoryBarrier") != text.npos)
      fail(Exit::input, "{}:{}: {} reads or writes other texels; a point op may use only its own texel", file, line,
           text);
    if (text == "struct")
      fail(Exit::input, "{}:{}: struct is not allowed; expected only functions and constants", file, line);
  }
}

char closing(char opening) { return opening == '(' ? ')' : opening == '[' ? ']' : '}'; }

// Each bracket has its other end, at no great depth.
void check_brackets(const Tokens& tokens, const std::string& file) {
  std::vector<Token> open;
  for (const Token& token : tokens) {
    const char c = token.text[0];
    if (c == '(' || c == '[' || c == '{') open.push_back(token);
    if (open.size() > deepest_nesting)
      fail(Exit::input, "{}:{}: {} opens bracket level {}; the limit is {}", file, token.line, c, open.size(),
           deepest_nesting);
    if (c != ')' && c != ']' && c != '}') continue;
    if (open.empty() || closing(open.back().text[0]) != c)
      fail(Exit::input, "{}:{}: {} has no opening bracket", file, token.line, c);
    open.pop_back();
  }
  if (!open.empty()) fail(Exit::input, "{}:{}: {} is not closed", file, open.back().line, open.back().text);
}

// What the file declares, found by its brackets, which match.
class Declarations {
 public:
  Declarations(const Tokens& tokens, const std::string& file) : tokens_(tokens), file_(file) {
    for (size_t at = 0; at < tokens_.size();)
      at = is(at, ";") ? at + 1 : is(at, "const") ? behind_constant(at) : behind_function(at);
  }
  const std::set<std::string_view>& names() const { return names_; }

 private:
  bool is(size_t at, std::string_view text) const { return at < tokens_.size() && tokens_[at].text == text; }

  // Of the bracket at `at`.
  size_t behind_bracket(size_t at) const {
    int depth = 0;
    do {
      const char c = tokens_[at].text[0];
      depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
      ++at;
    } while (depth > 0);
    return at;
  }

  [[noreturn]] void fail_at(size_t at) const {
    fail(Exit::input, "{}:{}: {} begins neither a function nor a constant; only these are allowed", file_,
         tokens_[at].line, tokens_[at].text);
  }

  // The names of `const float a = 1, b[2] = float[2](1, 2);` stand before each =, and before the size where there is one.
  size_t behind_constant(const size_t first) {
    size_t at = first, name = first;  // the last word outside of brackets
    for (; at < tokens_.size() && !is(at, ";");
         at = is(at, "(") || is(at, "[") || is(at, "{") ? behind_bracket(at) : at + 1) {
      if (is(at, "=")) names_.insert(tokens_[name].text);
      if (tokens_[at].is_word) name = at;
    }
    if (at == tokens_.size()) fail_at(first);
    return at + 1;
  }

  size_t behind_function(const size_t first) {
    size_t at = first;
    while (at < tokens_.size() && tokens_[at].is_word) at = is(at + 1, "[") ? behind_bracket(at + 1) : at + 1;
    if (!is(at, "(") || at < first + 2 || !tokens_[at - 1].is_word) fail_at(first);
    if (is(at - 1, "main"))
      fail(Exit::input, "{}:{}: main is reserved; give the function the name of the op", file_, tokens_[at].line);
    names_.insert(tokens_[at - 1].text);
    const size_t behind = behind_bracket(at);
    if (is(behind, ";")) return behind + 1;
    if (!is(behind, "{")) fail_at(first);
    return behind_bracket(behind);
  }

  const Tokens& tokens_;
  const std::string& file_;
  std::set<std::string_view> names_;
};

// Is there `vec4 NAME(vec4 c, NAME_params p)`, the names of its parameters as they please?
bool has_function(const Tokens& tokens, std::string_view name, std::string_view params) {
  const std::string_view wanted[] = {"vec4", name, "(", "vec4", "", ",", params, "", ")"};
  const auto is_wanted = [](const Token& token, std::string_view text) {
    return text.empty() ? token.is_word : token.text == text;
  };
  return std::search(tokens.begin(), tokens.end(), std::begin(wanted), std::end(wanted), is_wanted) != tokens.end();
}

}  // namespace

std::string checked_glsl(std::string_view source, const std::string& file, std::string_view name) {
  const std::string text = without_comments(source, file), params = fmt::format("{}_params", name);
  const Tokens tokens = tokens_of(text, file);
  check_words(tokens, file);
  check_brackets(tokens, file);
  std::set<std::string_view> names = Declarations(tokens, file).names();
  names.insert(params);
  if (!has_function(tokens, name, params))
    fail(Exit::input, "{}: has no function vec4 {}(vec4 c, {} p), which its header names", file, name, params);
  std::string marked;
  size_t copied = 0;
  for (size_t index = 0; index < tokens.size(); ++index) {
    const bool is_member = index > 0 && tokens[index - 1].text == ".";
    if (is_member || !names.contains(tokens[index].text)) continue;
    const auto at = size_t(tokens[index].text.data() - text.data());
    marked.append(text, copied, at - copied).push_back(name_mark);
    copied = at;
  }
  return marked + text.substr(copied);
}

}  // namespace gpupost
