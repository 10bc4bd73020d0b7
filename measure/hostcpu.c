/* CPUs of a machine: see hostcpu.h. */
#include "hostcpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostfile.h"
#include "words.h"

#define CPU_DIR "/sys/devices/system/cpu/"
#define CPU_MAX 65536	/* a larger number is no CPU */
#define LIST_SIZE 65536 /* "0,2,4..." of 8192 CPUs and more */
#define LINE_SIZE 8192	/* flags of x86 take 1.5 kB */
#define PAGE 4095	/* a list that sysfs cut ends here */
#define KINDS 8
#define NAME 64

/* ---- counts of what the CPUs are alike in ---- */

struct kind {
	char name[NAME];
	unsigned int count;
};

struct kinds {
	struct kind kind[KINDS];
	size_t count;
	unsigned int more; /* CPUs of further kinds */
};

static void count_kind(struct kinds *kinds, const char *name)
{
	struct kind *kind = kinds->kind;

	for (size_t i = 0; i < kinds->count; i++, kind++) {
		if (strcmp(kind->name, name) == 0) {
			kind->count++;
			return;
		}
	}
	if (kinds->count == KINDS) {
		kinds->more++;
		return;
	}
	kinds->count++;
	kind->count = 1;
	snprintf(kind->name, NAME, "%s", name);
}

/* ---- cpuinfo ---- */

/* Keys that name a CPU, the best first. */
static const char *const model_keys[] = { "model name", "Model Name", "cpu model", "uarch",
					  "cpu",	"machine",    "isa" };

#define MODEL_KEYS (sizeof(model_keys) / sizeof(model_keys[0]))

static const struct {
	unsigned int implementer, part;
	const char *name;
} parts[] = {
	{ 0x41, 0xc07, "Cortex-A7" },	{ 0x41, 0xc09, "Cortex-A9" },
	{ 0x41, 0xc0f, "Cortex-A15" },	{ 0x41, 0xd03, "Cortex-A53" },
	{ 0x41, 0xd04, "Cortex-A35" },	{ 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd07, "Cortex-A57" },	{ 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },	{ 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },	{ 0x41, 0xd0c, "Neoverse-N1" },
	{ 0x41, 0xd40, "Neoverse-V1" }, { 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd44, "Cortex-X1" },	{ 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" }, { 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse-N2" }, { 0x41, 0xd4f, "Neoverse-V2" },
	{ 0x41, 0xd84, "Neoverse-V3" }, { 0x41, 0xd8e, "Neoverse-N3" },
	{ 0x43, 0x0a1, "ThunderX" },	{ 0x43, 0x0af, "ThunderX2" },
	{ 0x48, 0xd01, "Kunpeng 920" }, { 0x61, 0x022, "Apple M1 Icestorm" },
	{ 0xc0, 0xac3, "Ampere-1" },	{ 0x61, 0x023, "Apple M1 Firestorm" },
	{ 0xc0, 0xac4, "Ampere-1a" },
};

/* One CPU, as far as its lines have been read. */
struct block {
	int begun;
	size_t best; /* index of the key that model is from */
	char model[NAME];
	long implementer, part; /* below 0: not said */
};

static void arm_model(struct block *block)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (block->implementer == (long)parts[i].implementer &&
		    block->part == (long)parts[i].part)
			snprintf(block->model, NAME, "%s", parts[i].name);
	if (!*block->model)
		snprintf(block->model, NAME, "ARM implementer 0x%lx part 0x%lx", block->implementer,
			 block->part);
}

static void end_block(struct hostcpu *cpu, struct kinds *models, struct block *block)
{
	if (block->implementer >= 0 && block->part >= 0)
		arm_model(block);
	cpu->described += block->begun || *block->model;
	if (*block->model)
		count_kind(models, block->model);
	*block = (struct block){ .best = MODEL_KEYS, .implementer = -1, .part = -1 };
}

/* A small hexadecimal number, below 0 where it is none. */
static long hexadecimal(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 16);

	return end == text || *end || value > 0xffff ? -1 : (long)value;
}

static int has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at += length)
		if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return 1;
	return 0;
}

static void take_value(struct hostcpu *cpu, struct block *block, const char *key, char *value)
{
	if (strcmp(key, "flags") == 0) {
		cpu->has_flags = 1;
		cpu->hypervisor |= has_word(value, "hypervisor");
		return;
	}
	hostfile_clean(value);
	if (strcmp(key, "CPU implementer") == 0)
		block->implementer = hexadecimal(value);
	else if (strcmp(key, "CPU part") == 0)
		block->part = hexadecimal(value);
	for (size_t i = 0; i < block->best && *value; i++) {
		if (strcmp(key, model_keys[i]) == 0) {
			snprintf(block->model, NAME, "%.*s", NAME - 1, value);
			block->best = i;
		}
	}
}

/* s390: "processor 0: version = FF, identification = 0133E8, machine = 8561" */
static void take_s390(struct block *block, const char *value)
{
	const char *machine = strstr(value, "machine = ");

	if (!machine)
		return;
	machine += strlen("machine = ");
	snprintf(block->model, NAME, "s390 machine %.*s", (int)strspn(machine, "0123456789"),
		 machine);
	block->best = 0;
}

static void take_line(struct hostcpu *cpu, struct kinds *models, struct block *block, char *line)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return;
	*colon = '\0';
	hostfile_clean(line);
	if (strncmp(line, "processor", 9) == 0 && (line[9] == '\0' || line[9] == ' ')) {
		if (block->begun)
			end_block(cpu, models, block);
		block->begun = 1;
		take_s390(block, colon + 1);
		return;
	}
	take_value(cpu, block, line, colon + 1 + strspn(colon + 1, " "));
}

static void name_models(struct hostcpu *cpu, const struct kinds *models)
{
	const size_t size = sizeof(cpu->model);

	if (models->count == 1 && models->more == 0)
		words_append(cpu->model, size, "%s", models->kind[0].name);
	for (size_t i = 0; i < models->count && models->count > 1; i++)
		words_append(cpu->model, size, "%s%u x %s", i ? " + " : "", models->kind[i].count,
			     models->kind[i].name);
	if (models->more == 0)
		return;
	words_append(cpu->model, size, " + %u others", models->more);
}

void hostcpu_read(struct hostcpu *cpu, const char *root)
{
	struct block block = { .best = MODEL_KEYS, .implementer = -1, .part = -1 };
	struct kinds models = { .count = 0 };
	struct hostfile file;
	char line[LINE_SIZE];

	*cpu = (struct hostcpu){ .described = 0 };
	if (hostfile_open(&file, root, "/proc/cpuinfo"))
		return;
	while (hostfile_line(&file, line, sizeof(line)))
		take_line(cpu, &models, &block, line);
	hostfile_close(&file);
	end_block(cpu, &models, &block);
	name_models(cpu, &models);
}

/* ---- lists of CPUs ---- */

static const char *take_cpu(const char *text, unsigned int *cpu)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits > 5)
		return NULL;
	*cpu = (unsigned int)strtoul(text, NULL, 10);
	return *cpu < CPU_MAX ? text + digits : NULL;
}

/* "8-11," at the beginning of text; what follows, NULL where it is none. */
static const char *take_range(const char *text, unsigned int *first, unsigned int *last)
{
	text = take_cpu(text, first);
	*last = *first;
	if (text && *text == '-')
		text = take_cpu(text + 1, last);
	if (!text || *last < *first)
		return NULL;
	if (*text == ',')
		return text + 1;
	return *text == '\n' || *text == '\0' ? text : NULL;
}

/* NULL, or the text of a list, for free(); one that sysfs cut is none. */
static char *read_list(const char *root, const char *file)
{
	char *text = malloc(LIST_SIZE), path[128];
	long length = -1;

	snprintf(path, sizeof(path), CPU_DIR "%s", file);
	if (text)
		length = hostfile_read(root, path, text, LIST_SIZE);
	if (length > 0 && (text[length - 1] == '\n' || length < PAGE))
		return text;
	free(text);
	return NULL;
}

unsigned int hostcpu_count(const char *root, const char *file)
{
	char *list = read_list(root, file);
	unsigned int count = 0, first, last = 0;
	const char *at = list;

	while (at && *at && *at != '\n') {
		unsigned int before = last;

		at = take_range(at, &first, &last);
		/* They come in order, so each counts once. */
		if (at && count && first <= before)
			at = NULL;
		count = at ? count + last - first + 1 : 0;
	}
	free(list);
	return count;
}

/* ---- governors ---- */

static void count_governor(const char *root, unsigned int cpu, struct kinds *kinds,
			   unsigned int *without)
{
	char path[128], name[NAME];

	snprintf(path, sizeof(path), CPU_DIR "cpu%u/cpufreq/scaling_governor", cpu);
	hostfile_read(root, path, name, sizeof(name));
	hostfile_clean(name);
	if (*name)
		count_kind(kinds, name);
	else
		++*without;
}

void hostcpu_governors(const char *root, char *text, size_t size)
{
	char *list = read_list(root, "online");
	struct kinds kinds = { .count = 0 };
	unsigned int without = 0, first, last;
	const char *at = list;

	while (at && *at && *at != '\n') {
		at = take_range(at, &first, &last);
		for (unsigned int cpu = first; at && cpu <= last; cpu++)
			count_governor(root, cpu, &kinds, &without);
	}
	free(list);
	snprintf(text, size, "%s", kinds.count ? "" : "n/a");
	if (kinds.count == 1 && kinds.more == 0 && without == 0) {
		words_append(text, size, "%s", kinds.kind[0].name);
		return;
	}
	for (size_t i = 0; i < kinds.count; i++) {
		words_append(text, size, "%s%s %u", i ? ", " : "", kinds.kind[i].name,
			     kinds.kind[i].count);
	}
	if (kinds.more)
		words_append(text, size, ", others %u", kinds.more);
	if (kinds.count && without)
		words_append(text, size, ", n/a %u", without);
}
