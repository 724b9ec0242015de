/*
 * The calling user behind sudo.
 */
#include "results/owner.h"

#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"

/* A whole decimal number below the id that means "none". */
static bool read_id(const char *name, uint32_t *id)
{
	const char *text = getenv(name);
	unsigned long long number;
	char *end;

	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || *end || number >= UINT32_MAX)
		return false;
	*id = (uint32_t)number;
	return true;
}

bool owner_read(uid_t *uid, gid_t *gid)
{
	uint32_t user, group;

	if (geteuid() != 0 || !read_id("SUDO_UID", &user) || !read_id("SUDO_GID", &group))
		return false;
	*uid = user;
	*gid = group;
	return true;
}

int owner_give(int fd)
{
	uid_t uid;
	gid_t gid;

	if (!owner_read(&uid, &gid))
		return 0;
	return fchown(fd, uid, gid) ? -errno : 0;
}

static int passwd_home(uid_t uid, char *out, size_t size)
{
	struct passwd entry, *found = NULL;
	char room[4096];

	if (getpwuid_r(uid, &entry, room, sizeof(room), &found) || !found || !found->pw_dir ||
	        found->pw_dir[0] != '/')
		return -ENOENT;
	if (strlen(found->pw_dir) >= size)
		return -ENAMETOOLONG;
	text_print(out, size, "%s", found->pw_dir);
	return 0;
}

int owner_home(char *out, size_t size)
{
	const char *home = getenv("HOME");
	uid_t uid;
	gid_t gid;

	if (owner_read(&uid, &gid))
		return passwd_home(uid, out, size);
	if (!home || home[0] != '/')
		return passwd_home(geteuid(), out, size);
	if (strlen(home) >= size)
		return -ENAMETOOLONG;
	text_print(out, size, "%s", home);
	return 0;
}
