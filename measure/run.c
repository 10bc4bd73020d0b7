/* Connections and their intervals: see run.h. */
#include "run.h"

#define PARTIAL_BELOW 0.9
#define LATE_ABOVE 1.5

/* An interval that a short connection ends is whole when it was planned so. */
enum run_kind run_kind_of(const struct run_connection *connection, double length_s)
{
	double planned = connection->interval_s;

	if (connection->planned_s > 0 && connection->planned_s < planned)
		planned = connection->planned_s;
	if (length_s < PARTIAL_BELOW * planned)
		return RUN_PARTIAL;
	return length_s > LATE_ABOVE * planned ? RUN_LATE : RUN_WHOLE;
}

struct run_interval run_close_interval(struct run_connection *connection, double now_s,
				       uint64_t bytes, uint64_t calls)
{
	struct run_interval interval = {
		.number = ++connection->intervals,
		.end_s = now_s,
		.length_s = now_s - connection->length_s,
	};

	if (bytes < connection->bytes)
		bytes = connection->bytes;
	interval.bytes = bytes - connection->bytes;
	interval.calls = calls - connection->calls;
	interval.kind = run_kind_of(connection, interval.length_s);
	connection->length_s = now_s;
	connection->bytes = bytes;
	connection->calls = calls;
	return interval;
}

int64_t run_next_end(int64_t now, int64_t interval, int64_t duration)
{
	int64_t next = (now / interval + 1) * interval;

	if (duration > 0 && now < duration && next > duration - interval / 1000)
		return duration;
	return next;
}

double run_rate(uint64_t bytes, double length_s)
{
	return length_s > 0 ? (double)bytes / length_s / 1e6 : -1;
}

int run_has_failed(const struct run_connection *connection)
{
	switch (connection->reason) {
	case RUN_DONE:
	case RUN_INTERRUPTED: return 0;
	case RUN_PEER_CLOSED: return !connection->sends && connection->planned_s > 0;
	default: return 1;
	}
}
