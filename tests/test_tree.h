/*
 * A tree of files that stands for a machine.  One program has one, made by
 * tree_begin() and removed by tree_end().
 */
#ifndef TEST_TREE_H
#define TEST_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/unit_tree.XXXXXX";

/* The path of a file below root, whose directories are made. */
static inline const char *tree_way(const char *path)
{
	static char full[1024];
	size_t n = (size_t)snprintf(full, sizeof(full), "%s%s", root, path);

	for (size_t i = sizeof(root); i < n; i++) {
		if (full[i] != '/')
			continue;
		full[i] = '\0';
		mkdir(full, 0755);
		full[i] = '/';
	}
	return full;
}

/* A file that is there already is written anew in place. */
static inline void put_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(tree_way(path), "w");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		abort();
}

static inline void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static inline void clear(void)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf %s && mkdir %s", root, root);
	if (system(command))
		abort();
}

static inline int tree_begin(void)
{
	return mkdtemp(root) && chmod(root, 0755) == 0 ? 0 : -1;
}

static inline int tree_end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) ? -1 : 0;
}

#endif
