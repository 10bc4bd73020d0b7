/* Files of a machine below a root: see hostfile.h. */
#include "hostfile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 1024
#define BYTES_MAX (16U << 20)
#define WORD_MAX 48

int hostfile_is_real(const char *root)
{
	return *root == '\0' || strcmp(root, "/") == 0;
}

/* -1: it does not fit, or there is no such machine. */
static int make_path(const char *root, const char *path, char *full)
{
	int n;

#if !defined(__linux__) || defined(SOCKLIB_PORTABLE)
	if (hostfile_is_real(root))
		return -1;
#endif
	n = snprintf(full, PATH_SIZE, "%s%s", hostfile_is_real(root) ? "" : root, path);
	return n < 0 || n >= PATH_SIZE ? -1 : 0;
}

/* A pipe must not hold us up. */
static int open_path(const char *root, const char *path)
{
	char full[PATH_SIZE];

	return make_path(root, path, full) ? -1 : open(full, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

int hostfile_exists(const char *root, const char *path)
{
	char full[PATH_SIZE];

	return make_path(root, path, full) == 0 && access(full, F_OK) == 0;
}

long hostfile_read(const char *root, const char *path, char *text, size_t size)
{
	int fd = open_path(root, path);
	size_t length = 0;
	ssize_t n = 0;

	text[0] = '\0';
	if (fd < 0)
		return -1;
	while (length < size - 1 && (n = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)n;
	close(fd);
	if (n < 0)
		length = 0;
	text[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0')
			text[i] = '\001';
	return length ? (long)length : -1;
}

int hostfile_number(const char *root, const char *path, unsigned long long *value)
{
	char text[64];
	size_t digits;

	if (hostfile_read(root, path, text, sizeof(text)) < 0)
		return -1;
	digits = strspn(text, "0123456789");
	if (digits == 0 || digits > 18 || text[digits + strspn(text + digits, " \n")])
		return -1;
	*value = strtoull(text, NULL, 10);
	return 0;
}

int hostfile_open(struct hostfile *file, const char *root, const char *path)
{
	int fd = open_path(root, path);

	*file = (struct hostfile){ .file = fd < 0 ? NULL : fdopen(fd, "r"), .left = BYTES_MAX };
	if (!file->file && fd >= 0)
		close(fd);
	return file->file ? 0 : -1;
}

void hostfile_close(struct hostfile *file)
{
	fclose(file->file);
}

int hostfile_line(struct hostfile *file, char *line, size_t size)
{
	size_t length = 0;
	int c = EOF, any = 0;

	while (file->left > 0 && (c = getc(file->file)) != EOF) {
		file->left--;
		any = 1;
		if (c == '\n')
			break;
		if (length < size - 1)
			line[length++] = c ? (char)c : '\001';
	}
	line[length] = '\0';
	return any;
}

static int is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

void hostfile_clean(char *text)
{
	size_t length = 0, word = 0;

	for (const char *from = text; *from; from++) {
		if (is_blank(*from)) {
			word = 0;
			continue;
		}
		if (word == 0 && length)
			text[length++] = ' ';
		if (++word > WORD_MAX) {
			memcpy(text + length - 3, "...", 3);
			continue;
		}
		text[length++] = (unsigned char)*from > ' ' && (unsigned char)*from < 0x7f ? *from
											   : '?';
	}
	text[length] = '\0';
}
