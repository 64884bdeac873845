# SPDX-License-Identifier: Apache-2.0
"""mutate - the small changes that can be made to a C file.

Works on tokens: comments, strings, preprocessor lines, CHECKs and audits are left alone, and no change moves a
line.  A change is one operator, one constant or one statement."""

import collections
import re

TOKEN = re.compile(
    r'(?P<space>\s+|/\*.*?\*/|//[^\n]*)'
    r'|(?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)'
    r'|(?P<text>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
    r'|(?P<number>\d[0-9a-zA-Z.]*)'
    r'|(?P<word>[A-Za-z_]\w*)'
    r'|(?P<operator><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^!~<>=?:;,.(){}\[\]])',
    re.S | re.M)

# What an operator becomes, and the word for it on the command line.
BINARY = {
    '<': ('<=', '>='), '<=': ('<', '>'), '>': ('>=', '<='), '>=': ('>', '<'), '==': ('!=',), '!=': ('==',),
    '+': ('-',), '-': ('+',), '*': ('/',), '/': ('*',), '%': ('/',), '<<': ('>>',), '>>': ('<<',),
    '&': ('|',), '|': ('&',), '^': ('|',), '&&': ('||',), '||': ('&&',),
    '+=': ('-=', '='), '-=': ('+=', '='), '*=': ('/=',), '/=': ('*=',), '|=': ('&=', '='), '&=': ('|=', '='),
    '^=': ('|=',), '<<=': ('>>=',), '>>=': ('<<=',), '++': ('--',), '--': ('++',)}
NAMES = {
    '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge', '==': 'eq', '!=': 'ne', '+': 'plus', '-': 'minus', '*': 'times',
    '/': 'over', '%': 'mod', '<<': 'left', '>>': 'right', '&': 'bitand', '|': 'bitor', '&&': 'and', '||': 'or',
    '+=': 'add', '-=': 'subtract', '=': 'set', '*=': 'multiply', '/=': 'divide', '|=': 'raise', '&=': 'clear',
    '<<=': 'shift-left', '>>=': 'shift-right', '++': 'up', '--': 'down', 'true': 'true', 'false': 'false'}
WORDS = {'true': ('false',), 'false': ('true',),
         'time_earlier': ('time_later',), 'time_later': ('time_earlier',)}
# These state facts for the hostile build or the reader; a change of one proves nothing.
LEFT_ALONE = {'CHECK', 'static_assert', '_Static_assert', '__builtin_prefetch', 'sizeof', '__attribute__'}
KEYWORDS = {'return', 'case', 'else', 'do', 'sizeof', 'goto', 'if', 'while', 'for', 'switch'}
NOT_A_STATEMENT = {'case', 'default', 'else', 'do', 'if', 'while', 'for', 'switch', 'goto', 'struct', 'const',
                   'static', 'enum', 'union', 'unsigned', 'int', 'char', 'bool', 'void', 'return', 'typedef'}

Token = collections.namedtuple('Token', 'kind text start end line')
# line and column are where it begins, from 1; kind is the word that the command line knows it by.
Mutation = collections.namedtuple('Mutation', 'line column kind start end new')


def tokens_of(text):
    line, at, found = 1, 0, []
    while at < len(text):
        match = TOKEN.match(text, at)
        end = match.end() if match else at + 1
        if match and match.lastgroup not in ('space', 'directive'):
            found.append(Token(match.lastgroup, match.group(), at, end, line))
        line += text.count('\n', at, end)
        at = end
    return found


def partners_of(tokens):
    """The index of the bracket that closes each bracket, and the reverse."""
    partner, open_ones = {}, []
    for i, token in enumerate(tokens):
        if token.kind == 'operator' and token.text in '([{':
            open_ones.append(i)
        elif token.kind == 'operator' and token.text in ')]}' and open_ones:
            partner[i] = open_ones.pop()
            partner[partner[i]] = i
    return partner


class File:
    """A source and all changes that can be made to it."""

    def __init__(self, text):
        self.text = text
        self.starts = [0] + [i + 1 for i, c in enumerate(text) if c == '\n']
        self.tokens = tokens_of(text)
        self.partner = partners_of(self.tokens)
        self.quiet = self.quiet_tokens()
        self.note_depths()
        self.mutations = []
        for i, token in enumerate(self.tokens):
            if i not in self.quiet:
                self.mutate_token(i, token)

    def quiet_tokens(self):
        quiet = set()
        for i, token in enumerate(self.tokens[:-1]):
            if token.text in LEFT_ALONE and self.tokens[i + 1].text == '(':
                quiet.update(range(i, self.partner.get(i + 1, i + 1) + 1))
            if token.kind == 'word' and token.text.endswith('audit') and self.tokens[i + 1].text == '(':
                body = self.partner.get(i + 1, i) + 1
                if body < len(self.tokens) and self.tokens[body].text == '{':
                    quiet.update(range(i, self.partner.get(body, body)))
        return quiet

    def add(self, i, kind, start, end, new):
        token = self.tokens[i]
        new += '\n' * self.text.count('\n', start, end)
        column = token.start - self.starts[token.line - 1] + 1
        self.mutations.append(Mutation(token.line, column, kind, start, end, new))

    def swap(self, i, others):
        for other in others:
            self.add(i, NAMES.get(other, other), self.tokens[i].start, self.tokens[i].end, other)

    def is_binary(self, i):
        before = self.tokens[i - 1] if i > 0 else None
        if before is None or before.text in KEYWORDS:
            return False
        if before.text == ')':  # a cast, or the end of a sum
            inside = self.tokens[self.partner.get(i - 1, i - 1) + 1:i - 1]
            return not (inside and all(t.kind == 'word' or t.text == '*' for t in inside) and
                        (inside[0].text in ('struct', 'const', 'unsigned', 'int', 'char', 'void') or
                         inside[0].text.endswith('_t') or inside[-1].text == '*' or inside[0].text == 'time_ps'))
        return before.kind in ('word', 'number') or before.text == ']'

    def mutate_token(self, i, token):
        if token.kind == 'number':
            self.mutate_number(i, token)
        elif token.kind == 'word':
            self.swap(i, WORDS.get(token.text, ()))
            self.mutate_word(i, token)
        elif token.kind == 'operator':
            if token.text == '!':
                self.add(i, 'drop', token.start, token.end, ' ')
            elif token.text == '?':
                self.swap_arms(i)
            elif token.text in BINARY and (token.text not in '+-*&' or self.is_binary(i)) and not self.declares(i):
                others = BINARY[token.text]
                self.swap(i, others[1:] if token.text in ('<', '<=', '>', '>=') and self.chooses(i) else others)

    def swap_arms(self, i):
        """`a ? b : c` becomes `a ? c : b`."""
        _, colon = self.words_from(i + 1, 1, {'?', ':', ';', '{', '}'})
        if colon >= len(self.tokens) or self.tokens[colon].text != ':':
            return  # the arms have choices of their own, which are changed alone
        _, after = self.words_from(colon + 1, 1, {'?', ':', ',', ';', ')', ']', '}'})
        if after >= len(self.tokens) or self.tokens[after].text == '?' or colon - i < 2 or after - colon < 2:
            return
        arms = [' '.join(self.text[self.tokens[first].start:self.tokens[last].end].split('\n'))
                for first, last in ((i + 1, colon - 1), (colon + 1, after - 1))]
        self.add(i, 'swap-arms', self.tokens[i + 1].start, self.tokens[after - 1].end, f'{arms[1]} : {arms[0]}')

    def words_from(self, i, step, ends):
        """The texts from a token on, up to one of the ends outside of brackets, and where that is."""
        found = []
        while 0 <= i < len(self.tokens) and self.tokens[i].text not in ends:
            token = self.tokens[i]
            inner = token.kind == 'operator' and token.text in ('([{' if step > 0 else ')]}')
            last = self.partner.get(i, i) if inner else i
            found += [t.text for t in (self.tokens[i:last + 1] if step > 0 else reversed(self.tokens[last:i + 1]))]
            i = last + step
        return found[::step], i

    def chooses(self, i):
        """`a < b ? a : b`: of two equal ones either is the least, so `<=` is the same."""
        edges = {'=', '(', ')', '[', ']', '{', '}', ',', ';', '?', ':', '&&', '||', 'return'}
        left, _ = self.words_from(i - 1, -1, edges)
        right, mark = self.words_from(i + 1, 1, edges)
        if mark >= len(self.tokens) or self.tokens[mark].text != '?':
            return False
        first, colon = self.words_from(mark + 1, 1, edges)
        second, _ = self.words_from(colon + 1, 1, edges)
        return self.tokens[colon].text == ':' and [first, second] in ([left, right], [right, left])

    def is_dimension(self, i):
        """The 2 of `struct cursor cursors[2]`, and the 4 of `char a[2], b[4]`: nobody looks at one more."""
        before = [t.text for t in self.tokens[max(i - 3, 0):i]]
        if len(before) != 3 or before[2] != '[' or self.tokens[i + 1].text != ']' or self.tokens[i - 2].kind != 'word':
            return False
        if self.tokens[i - 3].kind == 'word':
            return before[0] not in KEYWORDS
        first = i
        while before[0] == ',' and first > 0 and self.tokens[first - 1].text not in (';', '{', '}'):
            first -= 1
        return before[0] == ',' and self.tokens[first].text not in KEYWORDS and \
            self.tokens[first].kind == self.tokens[first + 1].kind == 'word'

    def declares(self, i):
        """`struct x *y` and `time_ps *y` are no products."""
        if self.tokens[i].text != '*':
            return False
        before, earlier = self.tokens[i - 1].text, self.tokens[i - 2].text
        return earlier in ('struct', 'const', 'enum') or before.endswith('_t') or before in NOT_A_STATEMENT or \
            before in ('time_ps', 'FILE', 'sqlite3', 'sqlite3_stmt', 'json_t')

    def mutate_number(self, i, token):
        match = re.fullmatch(r'(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)', token.text)
        if not match:
            return
        value = int(match.group(1), 16 if match.group(1)[:2] in ('0x', '0X') else 10)
        if not self.is_dimension(i):
            self.add(i, 'plus1', token.start, token.end, str(value + 1) + match.group(2))
        if value > 0:
            self.add(i, 'minus1', token.start, token.end, str(value - 1) + match.group(2))

    def mutate_word(self, i, token):
        after = self.tokens[i + 1] if i + 1 < len(self.tokens) else token
        if token.text in ('if', 'while') and after.text == '(':
            end = self.tokens[self.partner[i + 1]]
            if '\n' not in self.text[after.start:end.end]:
                inside = self.text[after.end:end.start]
                self.add(i, 'negate', after.start, end.end, '(!(' + inside + '))')
        if token.text == 'return' and after.text != ';':
            end = self.statement_end(i)
            if [t.text for t in self.tokens[i + 1:end]] not in (['0'], ['false'], ['NULL']):
                self.add(i, 'return0', after.start, self.tokens[end].start, '0')
        if self.begins_statement(i) and token.text not in NOT_A_STATEMENT:
            end = self.statement_end(i)
            if end is not None and self.is_effect(i, end):
                self.add(i, 'delete', token.start, self.tokens[end].start, '')

    def begins_statement(self, i):
        before = self.tokens[i - 1] if i > 0 else None
        if before is None or self.begins_nothing(i):
            return False
        if before.text == ')':
            head = self.tokens[self.partner.get(i - 1, 0) - 1].text
            return head in ('if', 'for', 'while')
        return before.text in (';', '{', '}', 'else', ':') and not (before.text == ':' and self.in_ternary(i))

    def note_depths(self):
        """How deep in braces each token is, and whether a parenthesis is open: what is in none is no statement."""
        self.depths, self.open_parentheses, depth, open_ones = [], [], 0, 0
        for token in self.tokens:
            self.depths.append(depth)
            self.open_parentheses.append(open_ones)
            if token.kind == 'operator':
                depth += (token.text == '{') - (token.text == '}')
                open_ones += (token.text == '(') - (token.text == ')')

    def begins_nothing(self, i):
        return self.depths[i] == 0 or self.open_parentheses[i] > 0

    def in_ternary(self, i):
        at = i - 1
        while at > 0 and self.tokens[at].text not in (';', '{', '}', '?', 'case', 'default'):
            at -= 1
        return self.tokens[at].text == '?'

    def statement_end(self, i):
        while i < len(self.tokens):
            text = self.tokens[i].text
            if text == ';':
                return i
            if text in ('(', '[', '{'):
                if i not in self.partner:
                    return None
                i = self.partner[i]
            elif text in (')', ']', '}'):
                return None
            i += 1
        return None

    def is_effect(self, i, end):
        """An assignment, a call, a step: no declaration."""
        texts = [t.text for t in self.tokens[i:end]]
        if texts[0] in ('break', 'continue'):
            return True
        if len(texts) < 2 or self.tokens[i + 1].kind == 'word' or texts[1] == ':':
            return False
        if texts[1] == '*' and '=' in texts:
            return False  # a pointer is declared
        return texts[1] in ('(', '.', '->', '[', '=', '++', '--') or texts[1] in BINARY

    def apply(self, mutation):
        return self.text[:mutation.start] + mutation.new + self.text[mutation.end:]

    def line_text(self, line, text=None):
        return (text or self.text).split('\n')[line - 1].strip()

    def described(self, mutation):
        """The line as it is, and as it would be."""
        return self.line_text(mutation.line), self.line_text(mutation.line, self.apply(mutation))
