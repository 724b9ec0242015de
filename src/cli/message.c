/*
 * Messages and questions of the command line. Main thread, and only while no screen is up.
 */
#include "cli/message.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/text.h"

enum { MESSAGE_MAX = 2 * ERROR_TEXT_MAX };

void message_print(const char *format, ...)
{
	char raw[MESSAGE_MAX], safe[MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	fprintf(stderr, "fsderby: %s\n", text_sanitize(safe, sizeof(safe), raw));
}

int message_usage(const struct error *err)
{
	message_print("%s", err->text);
	return EXIT_USAGE;
}

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGTSTP);
}

bool message_ask(const char *question)
{
	char answer[64] = "";
	sigset_t ending, before;

	fprintf(stderr, "fsderby: %s [y/N] ", question);
	fflush(stderr);
	ending_signals(&ending);
	pthread_sigmask(SIG_UNBLOCK, &ending, &before);
	if (fgets(answer, sizeof(answer), stdin) == NULL)
		fputc('\n', stderr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return answer[0] == 'y' || answer[0] == 'Y';
}

void message_let_signals_act(void)
{
	sigset_t ending, before;

	ending_signals(&ending);
	pthread_sigmask(SIG_UNBLOCK, &ending, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
