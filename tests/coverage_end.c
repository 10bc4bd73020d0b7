/*
 * Linked into the programs of make coverage: a process that leaves by _exit()
 * or by a signal of its own writes its counts first, which gcov does at exit().
 */
#include <signal.h>
#include <unistd.h>

void __gcov_dump(void);
void __real__exit(int status);
int __real_raise(int sig);
void __wrap__exit(int status);
int __wrap_raise(int sig);

void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}

int __wrap_raise(int sig)
{
	__gcov_dump();
	return __real_raise(sig);
}
