/*
 * Addresses: they resolve, print, listen and connect; a port or a socket
 * file in use is refused and named, a dead socket file is taken over, and
 * any other file is left alone.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../socklib.h"
#include "test.h"

static void test_loopback_is_the_default(void)
{
	struct sock_address list[SOCK_ADDRESSES];
	struct sock_cause cause;
	char text[SOCK_ADDRESS_TEXT];
	int i, n = sock_resolve(NULL, 7001, list, SOCK_ADDRESSES, &cause);

	NEED(n >= 1 && n <= 2);
	for (i = 0; i < n; i++) {
		CHECK(sock_address_is_loopback(&list[i]));
		CHECK_EQ(sock_address_port(&list[i]), 7001);
	}
	sock_address_text(&list[0], 1, text, sizeof(text));
	CHECK_STR(text, "127.0.0.1:7001");
	if (n == 2) {
		sock_address_text(&list[1], 1, text, sizeof(text));
		CHECK_STR(text, "[::1]:7001");
		sock_address_text(&list[1], 0, text, sizeof(text));
		CHECK_STR(text, "::1");
	}
}

static void test_names_resolve(void)
{
	struct sock_address list[SOCK_ADDRESSES];
	struct sock_cause cause;
	int i, n = sock_resolve("localhost", 65535, list, SOCK_ADDRESSES, &cause);

	NEED(n >= 1);
	for (i = 0; i < n; i++) {
		CHECK(sock_address_is_loopback(&list[i]));
		CHECK_EQ(sock_address_port(&list[i]), 65535);
	}
	NEED(sock_resolve("192.0.2.1", 1, list, SOCK_ADDRESSES, &cause) == 1);
	CHECK(!sock_address_is_loopback(&list[0]));
	CHECK_EQ(sock_resolve("no-such-host.invalid", 1, list, SOCK_ADDRESSES, &cause), -1);
	CHECK_HAS(cause.object, "no-such-host.invalid");
	CHECK(cause.reason[0] != '\0');
}

static void test_paths(void)
{
	struct sock_address list[SOCK_ADDRESSES];
	const size_t room = sizeof(((struct sockaddr_un *)0)->sun_path);
	struct sock_cause cause;
	char text[SOCK_ADDRESS_TEXT], path[256];

	NEED(sock_resolve("./s", 1, list, SOCK_ADDRESSES, &cause) == 1);
	CHECK_EQ(list[0].sa.ss_family, AF_UNIX);
	sock_address_text(&list[0], 1, text, sizeof(text));
	CHECK_STR(text, "./s");
	memset(path, '/', sizeof(path));
	path[room - 1] = '\0';
	CHECK_EQ(sock_resolve(path, 1, list, SOCK_ADDRESSES, &cause), 1);
	path[room - 1] = '/';
	path[room] = '\0';
	CHECK_EQ(sock_resolve(path, 1, list, SOCK_ADDRESSES, &cause), -1);
}

static int listen_at(const char *host, struct sock_address *at, struct sock_cause *cause)
{
	int fd;

	memset(cause, 0, sizeof(*cause));
	if (sock_resolve(host, 0, at, 1, cause) != 1)
		return -1;
	fd = sock_listen(at, NULL, cause);
	if (fd >= 0 && at->sa.ss_family != AF_UNIX)
		sock_address_local(fd, at);
	return fd;
}

static void test_listen_and_connect(void)
{
	struct sock_address at, mine;
	struct sock_cause cause;
	int fd = listen_at("127.0.0.1", &at, &cause), conn;

	NEED(fd >= 0);
	CHECK(sock_address_port(&at) > 0);
	conn = sock_connect(&at, NULL, &cause);
	NEED(conn >= 0);
	CHECK_EQ(sock_connected(conn, &at, 1000, &cause), 1);
	sock_address_peer(conn, &mine);
	CHECK_EQ(sock_address_port(&mine), sock_address_port(&at));
	/* The same port again is in use, and named. */
	CHECK_EQ(sock_listen(&at, NULL, &cause), -1);
	CHECK_EQ(cause.status, 1);
	CHECK_EQ(cause.err, EADDRINUSE);
	CHECK_STR(cause.step, "bind");
	CHECK_HAS(cause.object, "127.0.0.1 port ");
	CHECK_HAS(cause.reason, "in use");
	close(conn);
	close(fd);
	/* Bound, so that nobody else takes it, but nobody listens. */
	fd = socket(AF_INET, SOCK_STREAM, 0);
	NEED(fd >= 0);
	sock_address_set_port(&at, 0);
	NEED(bind(fd, (struct sockaddr *)&at.sa, at.length) == 0);
	sock_address_local(fd, &at);
	conn = sock_connect(&at, NULL, &cause);
	if (conn >= 0) {
		CHECK_EQ(sock_connected(conn, &at, 1000, &cause), -1);
		close(conn);
	}
	CHECK_EQ(cause.err, ECONNREFUSED);
	close(fd);
}

static void test_socket_files(void)
{
	char dir[] = "/tmp/unit_socklib.XXXXXX", path[64];
	struct sock_address at;
	struct sock_cause cause;
	struct stat before, after;
	int fd, i;
	FILE *f;

	NEED(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/s", dir);
	fd = listen_at(path, &at, &cause);
	NEED(fd >= 0);
	/* Alive: refused, and still the same file. */
	CHECK_EQ(stat(path, &before), 0);
	CHECK_EQ(listen_at(path, &at, &cause), -1);
	CHECK_EQ(cause.status, 1);
	CHECK_HAS(cause.object, path);
	CHECK_EQ(stat(path, &after), 0);
	CHECK_EQ_U(before.st_ino, after.st_ino);
	/* Dead: taken over. */
	close(fd);
	for (i = 0; i < 2; i++) {
		fd = listen_at(path, &at, &cause);
		CHECK(fd >= 0);
		close(fd);
	}
	/* A plain file: left alone. */
	unlink(path);
	f = fopen(path, "w");
	NEED(f != NULL);
	fputs("precious", f);
	fclose(f);
	CHECK_EQ(listen_at(path, &at, &cause), -1);
	CHECK_EQ(stat(path, &after), 0);
	CHECK_EQ(after.st_size, 8);
	CHECK(S_ISREG(after.st_mode));
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	RUN(test_loopback_is_the_default);
	RUN(test_names_resolve);
	RUN(test_paths);
	RUN(test_listen_and_connect);
	RUN(test_socket_files);
	return test_end();
}
