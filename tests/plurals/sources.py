#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""sources - finds counts in format strings that are followed by a word in the plural.

usage: tests/plurals/sources.py DIRECTORY_OR_FILE...    One line for each finding; exit code 1 if there is one.

"%u operations failed" prints "1 operations failed" some day.  The noun, and a verb that follows it, must come from
plural() of model/base/plural.h.  A count that is a constant in capitals ("at most %d hosts", HOSTS_MAX) is never 1.
"""
import os
import re
import sys

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\s+|.', re.S)
CONVERSION = re.compile(r"%[-+ #0']*(\*|\d+)?(?:\.(\*|\d+))?(?:hh|h|ll|l|z|t|j)?([diouxXcsfgeGEp%])")
# Functions that write a count as text.
COUNT_TEXT = re.compile(r'\b(words_count|words_whole|count_text)\(')
CONSTANT = re.compile(r'^[\s()A-Z0-9_+*/-]*$')
WORD = re.compile(r"^ ?([A-Za-z][A-Za-z/'-]*)(?=[ .,;:)\]\\<\"%]|$)")
# Words that end a noun phrase: what follows them is not counted by the number.
ENDS = set("""a about above after again ago all among an and another any as at away be before behind below between but by can cannot
    could did does down each ever first for from had has he if in into is it its last later may most must never no not of off on
    once one only or others over per same since so some still such than that the their them then there these they this those to
    together twice under until up was what when where which while who with within without would""".split())
UNITS = re.compile(r'^([num]?s|[KMGT]?i?B|[kMGT]?bps|[KMGT]?b/s|[kKMGT]?Hz)$')
IN_S = set('access always bias bus bypass class cross loss process progress status this thus various yes'.split())
# What agrees with a noun in the plural before it.
VERBS = set('are have were do carry differ lose make matter need send share wait'.split())
RELATIVE = {'that', 'which', 'who'}
# "priority %u leaves ...": the number names one thing, and the word after it is a verb.
NAMED = set('receive-limit byte class controller group host leaf line MTU namespace NIC port priority PSN QP queue rank row spine step tier to'.split())


def tokens_of(text):
    """(offset, token) of what is neither space nor comment."""
    return [(match.start(), match.group(0)) for match in TOKEN.finditer(text)
            if not (match.group(0).isspace() or match.group(0).startswith(('//', '/*')))]


class Literal:
    """A string literal with its neighbors, where each character is, and the arguments that follow: (begin, end, text)."""

    def __init__(self, text, tokens, i):
        self.line = text.count('\n', 0, tokens[i][0]) + 1
        value, self.places = '', []
        while i < len(tokens):
            offset, token = tokens[i]
            if token.startswith('"'):
                value += token[1:-1]
                self.places += range(offset + 1, offset + len(token) - 1)
            elif re.match(r'^PRI[udixX](8|16|32|64)$', token):
                value += 'x' if token[3] in 'xX' else 'u'
                self.places.append(offset)
            else:
                break
            i += 1
        self.value, self.next, self.arguments, self.end = value, i, [], tokens[i - 1][0] + len(tokens[i - 1][1])
        if i < len(tokens) and tokens[i][1] == ',':
            self.read_arguments(text, tokens, i + 1)

    def read_arguments(self, text, tokens, i):
        depth, begin = 0, i
        while i < len(tokens):
            token = tokens[i][1]
            closes = token in ')]}' and depth == 0
            if closes or token == ';' or (token == ',' and depth == 0):
                if i > begin:
                    last = tokens[i - 1]
                    span = tokens[begin][0], last[0] + len(last[1])
                    self.arguments.append((*span, text[slice(*span)]))
                begin = i + 1
                if token != ',':
                    return
            depth += (token in '([{') - (token in ')]}')
            i += 1


def is_count(kind, argument):
    if kind in 'diu':
        return argument is None or not CONSTANT.match(argument)
    return kind == 's' and argument is not None and COUNT_TEXT.search(argument) is not None


def plural_after(rest, given):
    """(begin, end) of the word in the plural that the number before REST counts, or None.  GIVEN: arguments of REST."""
    noun, at, given = False, 0, iter(given)
    for _ in range(5):
        match = WORD.match(rest[at:])
        if not match:
            agreed = re.match(r'^ ?[A-Za-z/-]*%(?:\.\d+)?s(?= |$)', rest[at:])
            if not agreed:
                return None
            noun, at = 'plural(' in next(given, ''), at + agreed.end()
            continue
        word, span = match.group(1), (at + match.start(1), at + match.end(1))
        at = span[1]
        if word in VERBS and (noun or span[0] == 1):
            return span
        if noun and word in RELATIVE: # "%u %s that are"
            continue
        if noun or word in ENDS or UNITS.match(word):
            return None
        if word.endswith('s') and len(word) > 2 and word not in IN_S:
            return None if re.match(r' %[a-z]*[du]', rest[at:]) else span # "retries %d rnr-retries %d" is a list of words and values
    return None


def counted(literal):
    """Each word in the plural that a number counts: (begin, end, argument that is the number, conversions before the word)."""
    conversions = [match for match in CONVERSION.finditer(literal.value) if match.group(3) != '%']
    used, before = 0, []
    for match in conversions:
        used += (match.group(1) == '*') + (match.group(2) == '*') + 1
        before.append((match, used - 1))
    for match, number in before:
        argument = literal.arguments[number] if number < len(literal.arguments) else None
        name = re.search(r'([A-Za-z-]+) $|\.$', literal.value[:match.start()])
        if not is_count(match.group(3), argument and argument[2]) or (name and name.group(1) in {None, *NAMED}):
            continue
        span = plural_after(literal.value[match.end():], [text for _, _, text in literal.arguments[number + 1:]])
        if span:
            begin, end = span[0] + match.end(), span[1] + match.end()
            earlier = [n for other, n in before if other.start() < begin]
            yield begin, end, argument, earlier[-1]


def literals(text):
    tokens, i = tokens_of(text), 0
    while i < len(tokens):
        if tokens[i][1].startswith('"'):
            literal = Literal(text, tokens, i)
            i = literal.next
            yield literal
        else:
            i += 1


BY_HAND = re.compile(r'[=!]=\s*1\s*\?\s*"[ a-z]*"\s*:\s*"[ a-z]*"')


def findings(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        text = file.read()
    for literal in literals(text):
        for begin, end, _, _ in counted(literal):
            yield '%s:%d: "...%s": the number of %s may be 1: use plural()' % (
                path, literal.line, literal.value[max(0, begin - 20):end + 10], literal.value[begin:end])
    for match in BY_HAND.finditer(text):
        yield '%s:%d: use plural()' % (path, text.count('\n', 0, match.start()) + 1)


def main(roots):
    found = 0
    for root in roots:
        files = [root] if os.path.isfile(root) else sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if re.search(r'\.(c|h|def)$', name))
        for path in files:
            for finding in findings(path):
                print(finding)
                found += 1
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
