/* SPDX-License-Identifier: Apache-2.0
 * breakdown_join - a small hash table of outstanding commands.
 * The key is host, target, controller, queue and command identifier, which is unique among
 * outstanding commands. Linear probing; removal moves later entries up, so the table needs no
 * tombstones. */
#include "base/hash.h"
#include "base/memory.h"
#include "replay/breakdown/breakdown_private.h"

#include <stdlib.h>

enum { ROOM_FIRST = 256 };

static uint32_t home_of(const struct breakdown *breakdown, const struct probe_target_io *key)
{
    const uint64_t ips = (uint64_t)key->host_ip << 32 | key->target_ip;
    const uint64_t ids = (uint64_t)key->controller << 32 | (uint64_t)key->qid << 16 | key->cid;
    return hash_home(ips, ids) & (breakdown->command_room - 1);
}

static bool same(const struct probe_target_io *a, const struct probe_target_io *b)
{
    return a->host_ip == b->host_ip && a->target_ip == b->target_ip &&
           a->controller == b->controller && a->qid == b->qid && a->cid == b->cid;
}

/* Index of the command, or of the free slot where it belongs. */
static uint32_t place_of(const struct breakdown *breakdown, const struct probe_target_io *key)
{
    uint32_t at = home_of(breakdown, key);
    while (breakdown->commands[at].used && !same(&breakdown->commands[at].target, key))
        at = (at + 1) & (breakdown->command_room - 1);
    return at;
}

struct breakdown_command *breakdown_command_find(const struct breakdown *breakdown,
                                                 const struct probe_target_io *key)
{
    if (breakdown->command_room == 0)
        return NULL;
    struct breakdown_command *command = &breakdown->commands[place_of(breakdown, key)];
    return command->used ? command : NULL;
}

static void grow_commands(struct breakdown *breakdown)
{
    struct breakdown_command *old = breakdown->commands;
    const uint32_t room = breakdown->command_room;
    breakdown->command_room = room == 0 ? ROOM_FIRST : room * 2;
    breakdown->commands = memory_zeroed(breakdown->command_room, sizeof *breakdown->commands);
    for (uint32_t i = 0; i < room; i++)
        if (old[i].used)
            breakdown->commands[place_of(breakdown, &old[i].target)] = old[i];
    free(old);
}

struct breakdown_command *breakdown_command_of(struct breakdown *breakdown,
                                               const struct probe_target_io *key)
{
    if (breakdown->command_room == 0)
        grow_commands(breakdown);
    struct breakdown_command *command = &breakdown->commands[place_of(breakdown, key)];
    if (command->used)
        return command;
    if (breakdown->command_count == BREAKDOWN_COMMANDS_MAX)
        return NULL;
    if (breakdown->command_count * 2 >= breakdown->command_room) {
        grow_commands(breakdown);
        command = &breakdown->commands[place_of(breakdown, key)];
    }
    command->target = *key;
    command->used = true;
    command->answered = false;
    for (int i = 0; i < PROBE_USE_MESSAGE; i++)
        command->message[i] = BREAKDOWN_NONE;
    breakdown->command_count++;
    return command;
}

void breakdown_command_release(struct breakdown *breakdown, struct breakdown_command *command)
{
    for (int i = 0; i < PROBE_USE_MESSAGE; i++) {
        breakdown_message_release(breakdown, command->message[i]);
        command->message[i] = BREAKDOWN_NONE;
    }
}

/* Moves displaced entries up into the hole, so that each remains reachable from its home slot
 * without a gap. */
static void close_hole(struct breakdown *breakdown, uint32_t hole)
{
    const uint32_t mask = breakdown->command_room - 1;
    for (uint32_t at = (hole + 1) & mask; breakdown->commands[at].used; at = (at + 1) & mask) {
        const uint32_t home = home_of(breakdown, &breakdown->commands[at].target);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* its home slot is behind the hole */
        breakdown->commands[hole] = breakdown->commands[at];
        hole = at;
    }
    breakdown->commands[hole].used = false;
}

void breakdown_command_forget(struct breakdown *breakdown, struct breakdown_command *command)
{
    breakdown_command_release(breakdown, command);
    breakdown->command_count--;
    close_hole(breakdown, (uint32_t)(command - breakdown->commands));
}

void breakdown_commands_fini(struct breakdown *breakdown)
{
    free(breakdown->commands);
}
