/*
 * Profiles: the built-in ones, files, and what is said about mistakes.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/profile.h"

void suite_profile(void);

static struct error err;

static const struct param_value *find_value(const struct profile *profile, const char *name)
{
	const struct params *params = profile_params(profile, workload_find("mongo"));
	int index = params_find(params->table, params->n, name);

	CU_ASSERT_TRUE_FATAL(index >= 0);
	return &params->values[index];
}

static void test_quick(void)
{
	struct profile *profile;

	CU_ASSERT_EQUAL_FATAL(profile_new(&profile, "quick", &err), 0);
	CU_ASSERT_STRING_EQUAL(profile->name, "quick");
	CU_ASSERT_EQUAL(profile->rounds, 3);
	CU_ASSERT_EQUAL(find_value(profile, "base_size")->list.n, 1);
	CU_ASSERT_EQUAL(find_value(profile, "base_size")->list.items[0], 1000);
	CU_ASSERT_EQUAL(find_value(profile, "repetitions")->number, 1);
	CU_ASSERT_TRUE(find_value(profile, "repetitions")->is_set);
	profile_free(profile);
}

static void test_classic(void)
{
	struct profile *profile;

	CU_ASSERT_EQUAL_FATAL(profile_new(&profile, "classic", &err), 0);
	CU_ASSERT_EQUAL(profile->rounds, 3);
	CU_ASSERT_EQUAL(find_value(profile, "base_size")->list.n, 4);
	CU_ASSERT_EQUAL(find_value(profile, "base_size")->list.items[0], 100);
	CU_ASSERT_EQUAL(find_value(profile, "base_size")->list.items[3], 100000);
	CU_ASSERT_EQUAL(find_value(profile, "repetitions")->number, 3);
	CU_ASSERT_EQUAL(find_value(profile, "processes")->list.n, 1);
	CU_ASSERT_EQUAL(find_value(profile, "processes")->list.items[0], 1);
	profile_free(profile);
}

static void test_mongo_2001(void)
{
	struct profile *profile;

	CU_ASSERT_EQUAL_FATAL(profile_new(&profile, "mongo-2001", &err), 0);
	CU_ASSERT_STRING_EQUAL(profile->workloads, "mongo");
	CU_ASSERT_EQUAL(profile->rounds, 3);
	CU_ASSERT_EQUAL(find_value(profile, "base_size")->list.n, 4);
	CU_ASSERT_EQUAL(find_value(profile, "repetitions")->number, 3);
	CU_ASSERT_EQUAL_FATAL(find_value(profile, "processes")->list.n, 2);
	CU_ASSERT_EQUAL(find_value(profile, "processes")->list.items[0], 1);
	CU_ASSERT_EQUAL(find_value(profile, "processes")->list.items[1], 2);
	CU_ASSERT_STRING_EQUAL(profile_mkfs_options(&profile->lab, "ext3"), "-J size=32");
	CU_ASSERT_STRING_EQUAL(profile_mkfs_options(&profile->lab, "ext4"), "-J size=32");
	CU_ASSERT_STRING_EQUAL(profile_mkfs_options(&profile->lab, "xfs"), "-l size=64m");
	CU_ASSERT_PTR_NULL(profile_mkfs_options(&profile->lab, "ext2"));
	CU_ASSERT_PTR_NOT_NULL(strstr(profile->lab.note, "64 MiB"));
	profile_free(profile);
}

static void test_text(void)
{
	static const char text[] = "# comment\r\n"
	                           "[run]\r\n"
	                           "  workloads = mongo ; which\r\n"
	                           "\trounds=7\r\n"
	                           "\r\n"
	                           "[mongo]\r\n"
	                           "  base_size : 4k\r\n"
	                           "  repetitions = 2";
	struct profile *profile;

	CU_ASSERT_EQUAL_FATAL(profile_parse(&profile, "dir/my.ini", text, &err), 0);
	CU_ASSERT_STRING_EQUAL(profile->name, "my.ini");
	CU_ASSERT_STRING_EQUAL(profile->workloads, "mongo");
	CU_ASSERT_EQUAL(profile->rounds, 7);
	CU_ASSERT_EQUAL(find_value(profile, "base_size")->list.items[0], 4000);
	CU_ASSERT_EQUAL(find_value(profile, "repetitions")->number, 2);
	CU_ASSERT_FALSE(find_value(profile, "seed")->is_set);
	profile_free(profile);
	CU_ASSERT_EQUAL_FATAL(profile_parse(&profile, "empty", "", &err), 0);
	CU_ASSERT_EQUAL(profile->rounds, 0);
	CU_ASSERT_STRING_EQUAL(profile->workloads, "");
	profile_free(profile);
}

static const struct {
	const char *text;
	const char *place; /* file and line in the message */
	const char *word;
} mistakes[] = {
	{ "[run]\nrounds = 0\n", "p.ini:2", "rounds" },
	{ "[run]\n\nrounds = many\n", "p.ini:3", "many" },
	{ "[run]\nround = 3\n", "p.ini:2", "round" },
	{ "[run]\nrounds = 3\nrounds = 4\n", "p.ini:3", "twice" },
	{ "rounds = 3\n", "p.ini:1", "[section]" },
	{ "[mogno]\nseed = 3\n", "p.ini:2", "mongo" },
	{ "[mongo]\nsede = 3\n", "p.ini:2", "seed" },
	{ "[mongo]\n\n# a\nbase_size = 4kb\n", "p.ini:4", "4kb" },
	{ "[mongo]\nseed = 3\nseed = 3\n", "p.ini:3", "twice" },
	{ "[mongo\nseed = 3\n", "p.ini:1", "section" },
	{ "[lab]\nxfs = -K\nxfs = -K\n", "p.ini:3", "twice" },
	{ "[lab]\nxfs =\n", "p.ini:2", "xfs" },
	{ "[labs]\nxfs = -K\n", "p.ini:2", "lab" },
	{ "[mongo]\nseed = 3\n  and more\n", "p.ini:3", "key = value" },
	{ "[mongo]\nseed = 1\nbase_size = 0000000000000000000000000000000000000000000000000000"
	  "00000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	  "0000000000000000000000000000000000000000000000000000000000000000000000000000000\n",
	        "p.ini:3", "longer" },
};

static void test_mistakes(void)
{
	for (unsigned i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct profile *profile;
		int code;

		err = (struct error){ 0 };
		code = profile_parse(&profile, "p.ini", mistakes[i].text, &err);
		if (code >= 0 || strstr(err.text, mistakes[i].place) == NULL ||
		        strstr(err.text, mistakes[i].word) == NULL)
			printf("\n  %u: %d '%s'\n", i, code, err.text);
		CU_ASSERT_TRUE(code < 0);
		CU_ASSERT_PTR_NULL(profile);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, mistakes[i].place));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, mistakes[i].word));
		profile_free(profile);
	}
}

static void test_file(void)
{
	char name[] = "/tmp/fsderby-test-profile-XXXXXX";
	static const char text[] = "[run]\nrounds = 9\n";
	struct profile *profile;
	int fd = mkstemp(name);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
	CU_ASSERT_EQUAL(profile_new(&profile, name, &err), 0);
	if (profile != NULL)
		CU_ASSERT_EQUAL(profile->rounds, 9);
	profile_free(profile);
	CU_ASSERT_EQUAL(write(fd, "\0", 1), 1);
	CU_ASSERT_TRUE(profile_new(&profile, name, &err) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "text file"));
	close(fd);
	unlink(name);
	CU_ASSERT_TRUE(profile_new(&profile, name, &err) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, name));
	CU_ASSERT_TRUE(profile_new(&profile, "/", &err) < 0);
}

void suite_profile(void)
{
	CU_pSuite suite = CU_add_suite("profile", NULL, NULL);

	CU_add_test(suite, "quick", test_quick);
	CU_add_test(suite, "classic", test_classic);
	CU_add_test(suite, "mongo-2001", test_mongo_2001);
	CU_add_test(suite, "what may stand in one", test_text);
	CU_add_test(suite, "mistakes name file, line and key", test_mistakes);
	CU_add_test(suite, "a file", test_file);
}
