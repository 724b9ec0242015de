/*
 * How scattered the files lie that create and copy made: extents a file by FIEMAP, of an even
 * sample of those over 16 KiB. Runs in the lane, outside of every clock, so its calls are plain
 * ones; it changes nothing on the target.
 */
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>

#include "core/text.h"
#include "workloads/mongo_walk.h"

enum {
	SURVEY_MIN_BYTES = 16 << 10, /* smaller ones have no room to be scattered */
	SURVEY_FILES_MAX = 5000,
};

struct surveyor {
	const struct mongo_state *state;
	struct survey *survey;
	int scratch_fd, dir_fd; /* dir_fd -1: none open */
	unsigned tree;
	uint32_t dir;
	uint64_t extents;
};

static bool is_wanted(const struct mongo_state *state, uint32_t number)
{
	return state->tree.sizes[number - 1] > SURVEY_MIN_BYTES;
}

/* The directory of file @number; stays open for the next file of it. */
static int open_dir(struct surveyor *surveyor, uint32_t number)
{
	const struct mongo_tree *tree = &surveyor->state->tree;
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	char path[PATH_MAX], below[PATH_MAX - MONGO_NAME_TEXT_MAX], root[MONGO_NAME_TEXT_MAX];

	if (surveyor->dir_fd >= 0 && number <= tree->first_file[surveyor->dir + 1])
		return 0;
	if (surveyor->dir_fd >= 0)
		close(surveyor->dir_fd);
	surveyor->dir = mongo_tree_dir_of(tree, number);
	mongo_state_print_root(surveyor->state, surveyor->tree, root);
	mongo_tree_print_dir(tree, surveyor->dir, below, sizeof(below));
	text_print(path, sizeof(path), "%s/%s", root, below);
	surveyor->dir_fd = (int)syscall(SYS_openat2, surveyor->scratch_fd, path, &how, sizeof(how));
	return surveyor->dir_fd < 0 ? -errno : 0;
}

/* Extents of one file, or a negative errno. */
static long count_extents(struct surveyor *surveyor, uint32_t number)
{
	struct fiemap map = { .fm_length = FIEMAP_MAX_OFFSET };
	char name[MONGO_NAME_MAX];
	int fd, code = open_dir(surveyor, number);

	if (code != 0)
		return code;
	mongo_print_number(name, number);
	fd = openat(surveyor->dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	code = ioctl(fd, FS_IOC_FIEMAP, &map) == 0 ? 0 : -errno;
	close(fd);
	return code != 0 ? code : (long)map.fm_mapped_extents;
}

/* The @index'th of @n is in a sample of SURVEY_FILES_MAX. */
static bool is_sampled(uint64_t index, uint64_t n)
{
	return n <= SURVEY_FILES_MAX ||
	       index * SURVEY_FILES_MAX / n != (index + 1) * SURVEY_FILES_MAX / n;
}

/* One tree; *@index counts the wanted files of all trees. */
static int survey_tree(struct surveyor *surveyor, unsigned tree, uint64_t *index, uint64_t n)
{
	struct survey *survey = surveyor->survey;
	long extents = 0;

	surveyor->tree = tree;
	for (uint32_t number = 1; number <= surveyor->state->made[tree].files; number++) {
		if (!is_wanted(surveyor->state, number) || !is_sampled((*index)++, n))
			continue;
		if (!survey->goes_on(survey->context)) {
			extents = -ECANCELED;
			break;
		}
		extents = count_extents(surveyor, number);
		/* In readdir order a cut copy has other files than the first so many. */
		if (extents == -ENOENT)
			continue;
		if (extents < 0)
			break;
		surveyor->extents += (uint64_t)extents;
		survey->files++;
	}
	if (surveyor->dir_fd >= 0)
		close(surveyor->dir_fd);
	surveyor->dir_fd = -1;
	return extents < 0 && extents != -ENOENT ? (int)extents : 0;
}

static int survey_trees(struct stage *stage, struct survey *survey, enum mongo_which which)
{
	const struct mongo_state *state = stage->state;
	struct surveyor surveyor = {
		.state = state, .survey = survey, .scratch_fd = stage->scratch_fd, .dir_fd = -1
	};
	unsigned n_trees = mongo_state_n_trees(state);
	uint64_t n = 0, index = 0;
	int code = 0;

	for (unsigned tree = which; tree < n_trees; tree += 2)
		for (uint32_t number = 1; number <= state->made[tree].files; number++)
			n += is_wanted(state, number);
	for (unsigned tree = which; tree < n_trees && code == 0; tree += 2)
		code = survey_tree(&surveyor, tree, &index, n);
	if (code == 0 && survey->files > 0)
		survey->extents_per_file = (double)surveyor.extents / (double)survey->files;
	return code;
}

int mongo_survey_sources(struct stage *stage, struct survey *survey)
{
	return survey_trees(stage, survey, MONGO_SOURCE);
}

int mongo_survey_copies(struct stage *stage, struct survey *survey)
{
	return survey_trees(stage, survey, MONGO_COPY);
}
