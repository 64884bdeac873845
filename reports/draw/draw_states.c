/* SPDX-License-Identifier: Apache-2.0
 * draw_states - draws state machines from their lists of edges.
 * Edges between the same two states become one line with several events. */
#include "reports/draw/draw.h"
#include "reports/draw/picture.h"

#include <string.h>

enum { NAME_BYTES = 96, LABEL_BYTES = 240, HINT_BYTES = 600 };

static void state_name(const struct draw_machine *machine, unsigned state, char text[NAME_BYTES])
{
    snprintf(text, NAME_BYTES, "%s %s", machine->name, machine->states[state].name);
}

/* No edge leaves the state. */
static bool is_ending(const struct draw_machine *machine, unsigned state)
{
    for (unsigned i = 0; i < machine->step_count; i++)
        if (machine->steps[i].from == state && machine->steps[i].to != state)
            return false;
    return true;
}

static void append(char *text, size_t size, const char *separator, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used == 0 ? "" : separator, more);
}

static bool same_ends(const struct draw_step *a, const struct draw_step *b)
{
    return a->from == b->from && a->to == b->to;
}

static void draw_step(struct picture *picture, const struct draw_machine *machine, unsigned first)
{
    char from[NAME_BYTES], to[NAME_BYTES], label[LABEL_BYTES] = "", hint[HINT_BYTES] = "";
    const struct draw_step *step = &machine->steps[first];
    for (unsigned i = 0; i < first; i++)
        if (same_ends(&machine->steps[i], step))
            return;
    for (unsigned i = first; i < machine->step_count; i++) {
        if (!same_ends(&machine->steps[i], step))
            continue;
        if (machine->steps[i].event != NULL)
            append(label, sizeof label, "\n", machine->steps[i].event);
        append(hint, sizeof hint, "; ", machine->steps[i].why);
    }
    state_name(machine, step->from, from);
    state_name(machine, step->to, to);
    picture_edge(picture, &(struct picture_edge){
                              .from = from,
                              .to = to,
                              .style = "dim",
                              .label = label[0] == '\0' ? NULL : label,
                              .hint = hint,
                              .arrow = true,
                          });
}

static void draw_machine(struct picture *picture, const struct draw_machine *machine)
{
    char heading[NAME_BYTES + LABEL_BYTES], name[NAME_BYTES];
    snprintf(heading, sizeof heading, "%s: %s", machine->name, machine->about);
    picture_frame(picture, heading);
    for (unsigned i = 0; i < machine->state_count; i++) {
        state_name(machine, i, name);
        picture_node(picture, &(struct picture_node){
                                  .name = name,
                                  .label = machine->states[i].name,
                                  .hint = machine->states[i].about,
                                  .style = is_ending(machine, i) ? "ending" : "state",
                                  .bold = i == 0,
                              });
    }
    for (unsigned i = 0; i < machine->step_count; i++)
        draw_step(picture, machine, i);
    picture_frame(picture, NULL);
}

bool draw_states(const struct draw_machine *machines, unsigned count, const char *format, FILE *out,
                 char why[DRAW_WHY_BYTES])
{
    struct picture *picture = picture_begin(PICTURE_DOWN, NULL);
    for (unsigned i = 0; i < count; i++)
        draw_machine(picture, &machines[i]);
    const bool well = picture_write(picture, format, out);
    why[0] = '\0';
    picture_free(picture);
    return well;
}
