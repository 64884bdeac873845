/* SPDX-License-Identifier: Apache-2.0
 * picture_style - colors and the style sheet. */
#include "reports/draw/picture_style.h"

#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

/* Heat colors range from yellow to dark red on light pages and from dark red to yellow on dark
 * ones: higher values contrast more with the page. */
static const struct picture_style styles[] = {
    {"plain", {"none", "#8a94a3", "#1f2733"}, {"none", "#76818f", "#e3e8ee"}},
    {"paper", {"#ffffff", "#ffffff", "#1f2733"}, {"#14181f", "#14181f", "#e3e8ee"}},
    {"frame", {"#f6f8fa", "#d5dbe3", "#3d4856"}, {"#1b212a", "#333d4a", "#b9c3cf"}},
    {"dim", {"none", "#aab3bf", "#5d6978"}, {"none", "#55606e", "#98a3b1"}},
    {"switch", {"#dce9f9", "#4b7fbe", "#16324f"}, {"#20364f", "#6ea3e0", "#dcebfb"}},
    {"host", {"#f0f2f5", "#93a0b0", "#2b3643"}, {"#262d37", "#738194", "#d5dce5"}},
    {"state", {"#dce9f9", "#4b7fbe", "#16324f"}, {"#20364f", "#6ea3e0", "#dcebfb"}},
    {"ending", {"#e6e8ec", "#6d7886", "#2b3643"}, {"#2a313b", "#96a2b1", "#d5dce5"}},
    {"root", {"#15181d", "#000000", "#ffffff"}, {"#ffffff", "#ffffff", "#14181f"}},
    {"victim", {"#efe4f7", "#8455a8", "#3c1d55"}, {"#3a2849", "#b98ae0", "#f0e4fa"}},
    {"data", {"#fdd9ae", "#cf6a0a", "#3f2000"}, {"#5a3a17", "#f2a65a", "#ffe9d1"}},
    {"lost", {"#f7c6cc", "#b8001f", "#4a000c"}, {"#5c1620", "#ff6b78", "#ffe0e3"}},
    {"heat0", {"#eef1f4", "#a9b3bf", "#3d4856"}, {"#262d37", "#5a6675", "#c5ced8"}},
    {"heat1", {"#fff1b8", "#c79a1d", "#4d3800"}, {"#3d2226", "#86444c", "#f2d5d8"}},
    {"heat2", {"#fed976", "#c98a0a", "#4a3200"}, {"#5c2227", "#b24a4f", "#fadadb"}},
    {"heat3", {"#fdae4d", "#cf6a0a", "#3f2000"}, {"#8a2c24", "#d9604c", "#ffe5dd"}},
    {"heat4", {"#f4623a", "#b8330f", "#2e0900"}, {"#c4532a", "#f08a4b", "#fff0e2"}},
    {"heat5", {"#bd0026", "#7d0019", "#ffffff"}, {"#f6b23c", "#ffd98a", "#2a1b00"}},
};

enum { STYLES = sizeof styles / sizeof styles[0] };

const struct picture_style *picture_style(const char *names)
{
    const size_t length = strcspn(names, " ");
    for (int i = 0; i < STYLES; i++)
        if (strncmp(styles[i].name, names, length) == 0 && styles[i].name[length] == '\0')
            return &styles[i];
    return &styles[0];
}

const char *picture_heat_class(int heat)
{
    static const char *const names[PICTURE_HEATS] = {"heat0", "heat1", "heat2",
                                                     "heat3", "heat4", "heat5"};
    return names[heat];
}

const char *picture_heat(double part)
{
    static const double from[PICTURE_HEATS] = {0, 0, 0.01, 0.05, 0.2, 0.5};
    int heat = PICTURE_HEATS - 1;
    if (part <= 0)
        return picture_heat_class(0);
    while (heat > 1 && part < from[heat])
        heat--;
    return picture_heat_class(heat);
}

const char *picture_heat_words(int heat)
{
    static const char *const words[PICTURE_HEATS] = {"never",     "below 1%",  "1 to 5%",
                                                     "5 to 20%", "20 to 50%", "50% or more"};
    return words[heat];
}

static void variables(FILE *out, const struct picture_style *style, bool dark)
{
    const struct picture_colours *colours = dark ? &style->dark : &style->light;
    fprintf(out, "--sg-%s-fill:%s;--sg-%s-line:%s;--sg-%s-text:%s;\n", style->name, colours->fill,
            style->name, colours->line, style->name, colours->text);
}

static void rules(FILE *out, const char *name)
{
    fprintf(out,
            ".node.%s path,.node.%s polygon{fill:var(--sg-%s-fill);stroke:var(--sg-%s-line)}\n"
            ".node.%s text,.edge.%s text{fill:var(--sg-%s-text)}\n"
            ".edge.%s path{stroke:var(--sg-%s-line)}\n"
            ".edge.%s polygon{fill:var(--sg-%s-line);stroke:var(--sg-%s-line)}\n",
            name, name, name, name, name, name, name, name, name, name, name, name);
}

void picture_style_sheet(FILE *out)
{
    fputs("<style>\n:root{color-scheme:light dark;\n", out);
    for (int i = 0; i < STYLES; i++)
        variables(out, &styles[i], false);
    fputs("}\n@media (prefers-color-scheme:dark){:root{\n", out);
    for (int i = 0; i < STYLES; i++)
        variables(out, &styles[i], true);
    fputs("}}\n.graph>polygon{fill:var(--sg-paper-fill);stroke:none}\n"
          ".graph>text{fill:var(--sg-paper-text)}\n"
          ".cluster polygon,.cluster path{fill:var(--sg-frame-fill);stroke:var(--sg-frame-line)}\n"
          ".cluster text{fill:var(--sg-frame-text)}\n",
          out);
    for (int i = 0; i < STYLES; i++)
        rules(out, styles[i].name);
    fputs("</style>\n", out);
}

void picture_begin_svg(FILE *out, double width, double height)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\""
            " width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\""
            " font-family=\"Helvetica,Arial,sans-serif\">\n",
            width, height, width, height);
    picture_style_sheet(out);
    fprintf(out,
            "<g class=\"graph\"><polygon points=\"0,0 %.0f,0 %.0f,%.0f 0,%.0f\" fill=\"%s\"/>\n",
            width, width, height, height, picture_style("paper")->light.fill);
}

void picture_end_svg(FILE *out)
{
    fputs("</g></svg>\n", out);
}

/* The length of the UTF-8 character at `text`, 1 to 4 bytes; 0 if XML 1.0 or UTF-8 (RFC 3629) does
 * not allow it. */
static size_t character(const char *text)
{
    uint32_t code;
    const size_t length = printable_utf8(text, &code);
    if (length == 0 || (code < ' ' && code != '\n' && code != '\t'))
        return 0;
    return code == 0xFFFE || code == 0xFFFF ? 0 : length;
}

void picture_escape(FILE *out, const char *text)
{
    for (size_t length;; text += length == 0 ? 1 : length) {
        const size_t plain = printable_plain(text, "&<>\"");
        fwrite(text, 1, plain, out);
        text += plain;
        length = character(text);
        if (*text == '\0')
            return;
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else if (length == 0)
            fputc('?', out);
        else
            fwrite(text, 1, length, out);
    }
}

void picture_clean(char *text)
{
    for (size_t length; *text != '\0'; text += length == 0 ? 1 : length)
        if ((length = character(text)) == 0)
            *text = '?';
}
