/* A process that asks the kernel: see watcher.h. */
#include "watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../socklib.h"
#include "clock.h"
#include "facts.h"
#include "platform.h"
#include "process.h"
#include "tcpstate.h"
#include "wait.h"

#define LOOK_AGAIN_MS 5	  /* for a connection that its peer has yet to accept */
#define LOOKS 40	  /* so often at most without being asked */
#define HOST_S 0.25	  /* from one look at the machine to the next */
#define KEPT_OPEN 64	  /* connections whose files of /proc stay open */
#define PRIORITY -5	  /* nice(2) */
#define ROOM_MS 20	  /* for a question that finds the queue full */
#define ENDING_MS 300	  /* longer than most senders keep it waiting */
#define SCANS 3		  /* of all processes, for the one that holds the peer's socket */
#define SCAN_S 0.01	  /* from the first to the second, at least */
#define LAST_SCAN_S 0.1	  /* from the first on: none after that */
#define ROOT ""		  /* of /proc */
#define UNHEARD (1 << 20) /* bytes of questions; the kernel may give less room */

struct published {
	struct watcher_answer answer;
	struct facts_sample sample;
};

/*
 * One writer, one reader.  The writer fills the half that the number does not
 * point to, then raises the number; a reader that was overtaken twice reads again.
 */
struct watcher_slot {
	atomic_uint number; /* of the newest answer, 0: none yet */
	struct published half[2];
	atomic_uint wanted; /* questions and answers, counted */
	unsigned int answered;
	atomic_int use; /* enum use */
};

/* The observer takes a slot and leaves it, the watcher frees it. */
enum use { SLOT_FREE, SLOT_TAKEN, SLOT_LEFT };

/* A connection to watch; or, with slot -1, a look at the slots. */
struct message {
	int slot;
	unsigned int connection;
	pid_t pid;
	int is_tcp;
	struct sock_address local, remote;
};

/* ---- the observer's side ---- */

static void watch(int fd, struct watcher_slot *slots, int own);

int watcher_start(struct watcher *watcher, int own)
{
	size_t size = WATCHER_SLOTS * sizeof(*watcher->slots);
	pid_t parent = getpid();
	int pair[2], room = UNHEARD;

	*watcher = (struct watcher){ .fd = -1 };
	if (!tcpstate_is_here()) {
		errno = ENOSYS;
		return -1;
	}
	watcher->slots = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			      0);
	if (watcher->slots == MAP_FAILED)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) {
		munmap(watcher->slots, size);
		return -1;
	}
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	watcher->pid = fork();
	if (watcher->pid == 0) {
		wait_child_signals();
		platform_die_with_parent(parent, SIGKILL);
		platform_close_all_but(pair[1], -1);
		/* Where that is allowed: its answers are wanted while workers keep CPUs busy. */
		setpriority(PRIO_PROCESS, 0, PRIORITY);
		watch(pair[1], watcher->slots, own);
		_exit(0);
	}
	close(pair[1]);
	watcher->fd = pair[0];
	fcntl(watcher->fd, F_SETFD, FD_CLOEXEC);
	if (watcher->pid < 0)
		watcher_stop(watcher);
	return watcher->fd < 0 ? -1 : 0;
}

/* It may be waiting, uninterruptibly, for a sender: init takes care of it then. */
static void end_child(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	kill(pid, SIGKILL);
	for (int i = 0; i < ENDING_MS && waitpid(pid, NULL, WNOHANG) == 0; i++)
		nanosleep(&pause, NULL);
}

void watcher_stop(struct watcher *watcher)
{
	if (watcher->fd < 0)
		return;
	close(watcher->fd);
	watcher->fd = -1;
	if (watcher->pid > 0)
		end_child(watcher->pid);
	munmap(watcher->slots, WATCHER_SLOTS * sizeof(*watcher->slots));
}

/* Never waits: a question that finds no room is not asked. */
static int tell(const struct watcher *watcher, struct message *message, int fd)
{
	struct iovec data = { .iov_base = message, .iov_len = sizeof(*message) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr header = { .msg_iov = &data, .msg_iovlen = 1 };

	if (fd >= 0) {
		memset(&control, 0, sizeof(control));
		header.msg_control = control.room;
		header.msg_controllen = sizeof(control.room);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(watcher->fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* A watcher that waits for a sender takes nothing for a while. */
static int tell_patiently(const struct watcher *watcher, struct message *message, int fd)
{
	struct pollfd room = { .fd = watcher->fd, .events = POLLOUT };

	if (tell(watcher, message, fd) == 0)
		return 0;
	return errno == EAGAIN && poll(&room, 1, ROOM_MS) > 0 ? tell(watcher, message, fd) : -1;
}

static int free_slot(const struct watcher *watcher)
{
	for (int i = 0; i < WATCHER_SLOTS; i++)
		if (atomic_load(&watcher->slots[i].use) == SLOT_FREE)
			return i;
	return -1;
}

int watcher_add(struct watcher *watcher, unsigned int connection, int fd, pid_t pid,
		const struct sock_address *local, const struct sock_address *remote)
{
	struct message message = { .connection = connection, .pid = pid };
	int slot = watcher->fd < 0 ? -1 : free_slot(watcher);

	if (slot < 0)
		return -1;
	message.slot = slot;
	if (local && remote) {
		message.is_tcp = 1;
		message.local = *local;
		message.remote = *remote;
	}
	if (tell_patiently(watcher, &message, message.is_tcp ? fd : -1))
		return -1;
	atomic_store(&watcher->slots[slot].use, SLOT_TAKEN);
	return slot;
}

/* Where there is no room for it, there are others that wake the watcher as well. */
static void wake(const struct watcher *watcher)
{
	struct message message = { .slot = -1 };

	tell(watcher, &message, -1);
}

void watcher_drop(struct watcher *watcher, int slot)
{
	if (watcher->fd < 0 || slot < 0)
		return;
	atomic_store(&watcher->slots[slot].use, SLOT_LEFT);
	wake(watcher);
}

void watcher_want(struct watcher *watcher, int slot)
{
	if (watcher->fd >= 0 && slot >= 0)
		atomic_fetch_add(&watcher->slots[slot].wanted, 1);
}

void watcher_go(struct watcher *watcher)
{
	if (watcher->fd >= 0)
		wake(watcher);
}

int watcher_take(const struct watcher *watcher, int slot, unsigned int *sequence,
		 struct watcher_answer *answer, struct facts_sample *sample)
{
	struct watcher_slot *from;
	unsigned int number;

	if (watcher->fd < 0 || slot < 0)
		return 0;
	from = &watcher->slots[slot];
	number = atomic_load_explicit(&from->number, memory_order_acquire);
	if (number == *sequence)
		return 0;
	for (;;) {
		const struct published *half = &from->half[number & 1];
		unsigned int now;

		*answer = half->answer;
		*sample = half->sample;
		atomic_thread_fence(memory_order_acquire);
		now = atomic_load_explicit(&from->number, memory_order_relaxed);
		if (now == number)
			break;
		number = now;
	}
	*sequence = number;
	return 1;
}

/* ---- the watcher's side: one connection ---- */

struct watched {
	unsigned int connection; /* 0: the slot is empty */
	int fd;
	int is_tcp;
	struct sock_address local, remote;
	struct tcpstate_socket peer_socket;
	struct process process[FACTS_HOST];
	int keep_open; /* their files */
	enum watcher_peer peer;
	int looks, scans; /* for the peer's process */
	int64_t scanned;  /* when first */
	char command[WATCHER_COMMAND];
	unsigned int asked;	    /* the question that is being answered */
	struct facts_sample sample; /* being made */
	double asking_s;
};

struct watch {
	int fd;
	int door; /* of tcpstate, or -1 */
	int own, other;
	struct watcher_slot *slots;
	struct watched *watched;  /* by slot */
	int top;		  /* slots in use are below it */
	struct facts_sample host; /* the machine, as of host_read */
	int64_t host_read;
	int kept_open; /* slots whose files of /proc stay open */
};

static enum watcher_peer peer_of(int err)
{
	switch (err) {
	case 0: return WATCHER_SEEN;
	case ENOENT:
	case ESTALE: return WATCHER_NOT_FOUND;
	case EPERM:
	case EACCES: return WATCHER_NOT_PERMITTED;
	default: return WATCHER_NOT_HERE;
	}
}

/* The peer's socket; one that was seen once and is gone keeps its name. */
static void ask_peer(struct watch *w, struct watched *one, struct facts_sample *sample)
{
	enum watcher_peer peer;
	uint64_t inode;
	int err = 0;

	if (!one->is_tcp)
		return;
	inode = one->peer_socket.inode;
	if (tcpstate_ask(w->door, &one->peer_socket, sample, w->other))
		err = errno;
	/* What is left of it in TIME_WAIT has none, but it was accepted. */
	if (inode && !one->peer_socket.inode)
		one->peer_socket.inode = inode;
	peer = peer_of(err);
	if (one->peer != WATCHER_SEEN)
		one->peer = peer;
}

static void ask_end(struct watch *w, struct watched *one, int end)
{
	int64_t start = clock_now();

	if (end == w->own && one->is_tcp)
		tcpstate_ask_own(one->fd, &one->sample, end);
	else if (end == w->other)
		ask_peer(w, one, &one->sample);
	if (end == FACTS_SENDER)
		one->asking_s = clock_to_seconds(clock_now() - start);
}

static void add(struct watch *w, const struct message *message, int fd)
{
	struct watched *one = &w->watched[message->slot];

	*one = (struct watched){ .connection = message->connection,
				 .fd = fd,
				 .is_tcp = message->is_tcp && fd >= 0,
				 .local = message->local,
				 .remote = message->remote };
	one->keep_open = message->slot < w->kept_open;
	one->process[w->own].pid = message->pid;
	one->process[w->own].keep_open = one->keep_open;
	one->peer_socket.local = &one->remote;
	one->peer_socket.remote = &one->local;
	one->peer = one->is_tcp	      ? WATCHER_PENDING
		    : message->is_tcp ? WATCHER_NO_ROOM
				      : WATCHER_NOT_HERE;
	if (message->slot >= w->top)
		w->top = message->slot + 1;
}

static void drop(struct watch *w, int slot)
{
	struct watched *one = &w->watched[slot];

	if (!one->connection)
		return;
	if (one->fd >= 0)
		close(one->fd);
	for (int end = 0; end < FACTS_HOST; end++)
		process_forget(&one->process[end]);
	one->connection = 0;
	while (w->top > 0 && !w->watched[w->top - 1].connection)
		w->top--;
}

/* ---- the peer's process ---- */

/* It cannot be looked for before the peer has accepted the connection. */
static int awaits_accept(const struct watched *one)
{
	return one->connection && one->is_tcp && !one->peer_socket.inode && one->looks < LOOKS;
}

/*
 * More than once, since a server accepts before it starts the worker that the
 * connection is for: the first look may find the server.
 */
static int is_to_scan(const struct watched *one, int64_t now)
{
	static const double after[SCANS] = { 0, SCAN_S, LAST_SCAN_S };

	return one->connection && one->peer_socket.inode && one->scans < SCANS &&
	       now >= one->scanned + clock_from_seconds(after[one->scans]);
}

static void count_scan(struct watched *one, int64_t now)
{
	if (one->scans++ == 0)
		one->scanned = now;
	else if (now >= one->scanned + clock_from_seconds(LAST_SCAN_S))
		one->scans = SCANS;
}

static void know_process(struct watch *w, struct watched *one, pid_t pid)
{
	process_forget(&one->process[w->other]);
	one->process[w->other].pid = pid;
	one->process[w->other].keep_open = one->keep_open;
	if (process_command(ROOT, pid, one->command, sizeof(one->command)))
		one->command[0] = '\0';
}

/* One look through all processes serves all connections. */
static void find_processes(struct watch *w)
{
	struct process_socket *sockets;
	int64_t now = clock_now();
	size_t count = 0;

	for (int i = 0; i < w->top; i++)
		count += (size_t)is_to_scan(&w->watched[i], now);
	sockets = count ? calloc(count, sizeof(*sockets)) : NULL;
	if (!sockets)
		return;
	count = 0;
	for (int i = 0; i < w->top; i++)
		if (is_to_scan(&w->watched[i], now))
			sockets[count++].inode = w->watched[i].peer_socket.inode;
	process_find(ROOT, sockets, count);
	for (int i = 0; i < w->top; i++) {
		struct watched *one = &w->watched[i];
		pid_t pid;

		if (!is_to_scan(one, now))
			continue;
		pid = process_found(sockets, count, one->peer_socket.inode);
		count_scan(one, now);
		if (pid > 0 && pid != one->process[w->other].pid)
			know_process(w, one, pid);
	}
	free(sockets);
}

/* 1 when it is worth looking again soon. */
static int look_for_peers(struct watch *w)
{
	struct facts_sample unused;
	int again = 0;

	for (int i = 0; i < w->top; i++) {
		struct watched *one = &w->watched[i];

		if (!awaits_accept(one))
			continue;
		one->looks++;
		facts_nothing(&unused);
		ask_peer(w, one, &unused);
		again |= awaits_accept(one);
	}
	find_processes(w);
	return again;
}

/* ---- answers ---- */

static void publish(struct watch *w, int slot)
{
	struct watcher_slot *to = &w->slots[slot];
	const struct watched *one = &w->watched[slot];
	unsigned int number = atomic_load_explicit(&to->number, memory_order_relaxed) + 1;
	struct published *half = &to->half[number & 1];

	/* The readers of the half that is filled now must see the number before it. */
	atomic_thread_fence(memory_order_release);
	half->answer = (struct watcher_answer){ .connection = one->connection,
						.peer = one->peer,
						.peer_pid = one->process[w->other].pid,
						.peer_is_sure = one->scans > 1,
						.asking_s = one->asking_s };
	memcpy(half->answer.peer_command, one->command, sizeof(one->command));
	half->answer.cpu_s = clock_used_s();
	half->sample = one->sample;
	to->answered = one->asked;
	atomic_store_explicit(&to->number, number, memory_order_release);
}

/* Its time comes in ticks of 10 ms: read more often it costs and says nothing. */
static void sample_host(struct watch *w)
{
	int64_t now = clock_now();

	if (w->host_read && now - w->host_read < clock_from_seconds(HOST_S))
		return;
	w->host_read = now;
	facts_nothing(&w->host);
	process_sample_host(ROOT, &w->host);
}

/* The processes, and the machine, which is the same for all. */
static void sample_processes(struct watch *w, struct watched *one)
{
	one->sample = w->host;
	for (int end = 0; end < FACTS_HOST; end++)
		if (one->process[end].pid > 0 &&
		    process_sample(ROOT, &one->process[end], &one->sample, end) && end == w->other)
			process_forget(&one->process[end]);
}

static int is_wanted(struct watch *w, int slot)
{
	w->watched[slot].asked = atomic_load(&w->slots[slot].wanted);
	return w->watched[slot].connection && w->watched[slot].asked != w->slots[slot].answered;
}

/* Senders come last, since they keep the questioner waiting. */
static void answer_all(struct watch *w)
{
	static const int order[] = { FACTS_RECEIVER, FACTS_SENDER };
	int *wanted = malloc((size_t)w->top * sizeof(*wanted) + 1), count = 0;

	for (int i = 0; wanted && i < w->top; i++)
		if (is_wanted(w, i))
			wanted[count++] = i;
	if (count > 0)
		sample_host(w);
	for (int i = 0; i < count; i++)
		sample_processes(w, &w->watched[wanted[i]]);
	for (int turn = 0; turn < 2; turn++)
		for (int i = 0; i < count; i++) {
			ask_end(w, &w->watched[wanted[i]], order[turn]);
			if (order[turn] == FACTS_SENDER)
				publish(w, wanted[i]);
		}
	free(wanted);
}

/* ---- questions ---- */

/* One message and the descriptor that came with it, -1 for none. */
static ssize_t hear(int from, struct message *message, int *fd)
{
	struct iovec data = { .iov_base = message, .iov_len = sizeof(*message) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr header = { .msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control.room,
				 .msg_controllen = sizeof(control.room) };
	ssize_t n = recvmsg(from, &header, MSG_DONTWAIT);
	struct cmsghdr *first = n > 0 ? CMSG_FIRSTHDR(&header) : NULL;

	*fd = -1;
	if (first && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(first), sizeof(*fd));
	return n;
}

/* All that has been said by now.  -1: nobody is there any more. */
static int hear_all(struct watch *w)
{
	struct message message;
	ssize_t n;
	int fd;

	while ((n = hear(w->fd, &message, &fd)) > 0)
		if (message.slot >= 0)
			add(w, &message, fd);
	return n == 0 ? -1 : 0;
}

/* One that was left at once may have to be heard of first. */
static void drop_left(struct watch *w)
{
	for (int i = w->top - 1; i >= 0; i--) {
		if (!w->watched[i].connection || atomic_load(&w->slots[i].use) != SLOT_LEFT)
			continue;
		drop(w, i);
		atomic_store(&w->slots[i].use, SLOT_FREE);
	}
}

/* Each connection takes one descriptor, and those whose files stay open many more. */
static int room_for_files(void)
{
	struct rlimit limit;
	rlim_t room;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return KEPT_OPEN;
	room = limit.rlim_cur / 2 / (FACTS_HOST * PROCESS_FILES);
	return room < KEPT_OPEN ? (int)room : KEPT_OPEN;
}

static void watch(int fd, struct watcher_slot *slots, int own)
{
	struct watch w = { .fd = fd,
			   .own = own,
			   .other = own == FACTS_SENDER ? FACTS_RECEIVER : FACTS_SENDER,
			   .slots = slots,
			   .watched = calloc(WATCHER_SLOTS, sizeof(*w.watched)) };
	struct pollfd question = { .fd = fd, .events = POLLIN };
	int again = 0;

	w.kept_open = room_for_files();
	w.door = tcpstate_open();
	while (w.watched) {
		if (poll(&question, 1, again ? LOOK_AGAIN_MS : -1) < 0 && errno != EINTR)
			return;
		if (hear_all(&w))
			return;
		drop_left(&w);
		again = look_for_peers(&w);
		answer_all(&w);
	}
}
