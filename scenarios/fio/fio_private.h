/* SPDX-License-Identifier: Apache-2.0
 * fio_private - interfaces between the parts of the fio reader.
 * fio_lines.c reads lines, fio.c sections; fio_option.c has the table of options and the plain
 * kinds of value, fio_custom.c the options with their own syntax, fio_engine.c the engines,
 * fio_change.c the settings of the scenario that override the file, fio_job.c converts a section to
 * a workload. */
#ifndef STORMGLASS_SCENARIOS_FIO_FIO_PRIVATE_H
#define STORMGLASS_SCENARIOS_FIO_FIO_PRIVATE_H

#include "base/nearest.h"
#include "scenarios/fio/fio.h"

enum fio_rw { FIO_RW_READ, FIO_RW_WRITE, FIO_RW_MIXED };

/* Options of a section, including those that it inherits. Numbers are in bytes, picoseconds, or
 * plain; 0 for options that are not set, unless noted otherwise. A FIO_PART is bytes, or -1 - N for
 * N percent of the namespace. */
struct fio_raw {
    char name[FIO_NAME_BYTES];     /* name=; empty: name of the section */
    char wait_for[FIO_NAME_BYTES]; /* empty: none */
    int64_t rw, random, offset_modifier;
    int64_t bs[WL_DIRECTIONS], ba[WL_DIRECTIONS];
    struct wl_plan_size bsrange[WL_DIRECTIONS];
    struct wl_plan_sizes bssplit[WL_DIRECTIONS];
    struct wl_plan_zones zones[WL_DIRECTIONS]; /* random_distribution=zoned, zoned_abs */
    struct skew_params skew;                   /* zipf, pareto, normal */
    int64_t engine_sync;                       /* at most one I/O in flight */
    int64_t fsync, fdatasync;                  /* Flush after this many writes */
    int64_t trim;                              /* writes are replaced by Deallocate */
    int64_t iodepth, numjobs, loops;
    int64_t size, io_size, filesize, nrfiles, number_ios;
    int64_t offset, offset_increment;
    int64_t startdelay, runtime, time_based, ramp_time;
    int64_t verify, do_verify, verify_backlog;
    int64_t zonemode, zonesize, zonerange, zoneskip;
    int64_t rwmixread; /* percent */
    int64_t thinktime, thinktime_blocks;
    int64_t rate[WL_DIRECTIONS], rate_iops[WL_DIRECTIONS], rate_process;
    int64_t latency_target, latency_window, latency_percentile, latency_run;
    int64_t hipri;
    int64_t exitall, exit_what, stonewall, new_group;
    int64_t kb_base;
};

/* One option of a line; the text is terminated by a zero byte. */
struct fio_value {
    const char *option; /* its name as in the line */
    const char *text;   /* NULL: the line has no '=' */
    int option_column, column;
};

/* A line without its comment and surrounding blanks. */
struct fio_line {
    const char *file;  /* name of the file */
    const char *text;  /* points into the file */
    size_t length;     /* length of the whole line */
    size_t first, end; /* [first, end) without comment and blanks */
    int number;
    bool included;
};

/* Lines of the job file and of all included files, in the order in which they apply. */
struct fio_lines {
    struct fio_line *list;
    uint32_t count;
};

/* Notes about options without effect, in the order of reading; printed only if the whole file is
 * valid. */
struct fio_note {
    const char *file;
    int line, column;
    char text[160];
};

struct fio_notes {
    struct fio_note *list;
    uint32_t count, room;
};

struct fio_reader {
    const char *file;
    int line;              /* current line */
    const char *line_text; /* text for the snippet */
    char line_room[FIO_LINE_BYTES_MAX + 1];
    struct diag *diag;
    struct fio_notes notes;
};

/* Reads the files; false, with a message, on errors. fio_lines_free must be called in any case. */
bool fio_lines_read(const struct fio_file *file, struct fio_reader *reader, struct fio_lines *out);
void fio_lines_free(struct fio_lines *lines);
bool fio_is_blank(char c);

/* Makes the line the reader's current one. */
void fio_stand_at(struct fio_reader *reader, const struct fio_line *line);

enum fio_class { FIO_USED, FIO_NO_MEANING, FIO_REFUSED };

enum fio_kind {
    FIO_SIZE, /* a number with a size suffix */
    FIO_PART, /* FIO_SIZE, or a percentage of the namespace */
    FIO_SECONDS,
    FIO_MICROSECONDS,
    FIO_BOOL, /* 0 or 1 */
    FIO_FLAG, /* FIO_BOOL, or no value, which means 1 */
    FIO_WORD, /* index among `words` */
    FIO_PAIR, /* reads,writes[,trims] */
    FIO_PERCENT,
    FIO_CUSTOM
};

struct fio_option {
    const char *name, *alias; /* alias NULL: none */
    enum fio_class class;
    enum fio_kind kind;
    size_t offset; /* offset in struct fio_raw */
    int64_t min, max;
    const char *words; /* FIO_WORD: words separated by '|'; otherwise accepted values, or NULL */
    bool (*read)(struct fio_reader *, struct fio_raw *,
                 const struct fio_value *); /* reader of a FIO_CUSTOM
                                                                                    * option */
    const char *about;                      /* description; why it has no effect or is refused */
};

extern const struct fio_option fio_options[]; /* terminated by name NULL */
extern const size_t fio_option_count;

/* Finds an option by name or alias; NULL: fio has no such option. */
const struct fio_option *fio_option_find(const char *name);
struct nearest_hint fio_option_hint(const char *name);

/* True if the value is one that this model implements anyway. */
bool fio_option_is_fine(const struct fio_option *option, const struct fio_value *value);

void fio_raw_presets(struct fio_raw *raw);

/* Applies one option; false, with a message, on errors. */
bool fio_option_read(struct fio_reader *reader, const struct fio_option *option,
                     struct fio_raw *raw, const struct fio_value *value);

/* Reports an error at a place in the current line; always returns false. */
bool fio_error(struct fio_reader *reader, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a note that an option at a place in the current line has no effect; once per place. */
void fio_note(struct fio_reader *reader, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fio_notes_tell(struct fio_reader *reader);
void fio_notes_free(struct fio_notes *notes);

/* Reports a value that cannot be parsed. */
bool fio_expected(struct fio_reader *reader, const struct fio_value *value, const char *what);

/* Next item of a list with this separator; moves *text past the item. False at the end. */
bool fio_next_item(const char **text, char separator, const char **item, size_t *length);

#define FIO_READ(name)                                                                             \
    bool fio_read_##name(struct fio_reader *reader, struct fio_raw *raw,                           \
                         const struct fio_value *value)
FIO_READ(name);
FIO_READ(wait_for);
FIO_READ(rw);
FIO_READ(bs);
FIO_READ(bsrange);
FIO_READ(bssplit);
FIO_READ(random_distribution);
FIO_READ(rwmixread);
FIO_READ(rwmixwrite);
FIO_READ(zonemode);
FIO_READ(verify);
FIO_READ(ioengine);

enum fio_engine {
    FIO_ENGINE_SYNC,
    FIO_ENGINE_ASYNC,
    FIO_ENGINE_SPDK, /* asynchronous engine of an SPDK plugin */
    FIO_ENGINE_OTHER,
    FIO_ENGINE_UNKNOWN
};
enum fio_engine fio_engine_find(const char *name);

/* Keeps letters, digits, '-', '_' and '.', and replaces anything else by '-'; false if the name is
 * too long. */
bool fio_clean_name(const char *text, size_t length, char name[FIO_NAME_BYTES]);

/* Applies the scenario's settings to the job of that name; false, with a message, on errors. The
 * reader's current line changes. */
bool fio_change_job(struct fio_reader *reader, const struct fio_file *file, const char *name,
                    struct fio_raw *raw);

/* Checks that each change applies to some job. */
bool fio_changes_name_jobs(struct fio_reader *reader, const struct fio_file *file,
                           const struct fio_jobs *jobs);

/* Creates the workload; false, with a message, on errors. The reader is at the job's section. */
bool fio_job_make(struct fio_reader *reader, const struct fio_raw *raw, struct fio_job *job);

#endif
