/*
 * The unit tests' runner: all suites, or the one named by the first argument. Exit status 1 when a
 * test failed, or could not be set up.
 */
#include <CUnit/Basic.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

void suite_units(void);
void suite_params(void);
void suite_random(void);
void suite_text(void);
void suite_histogram(void);
void suite_measure(void);
void suite_target(void);
void suite_scratch(void);
void suite_inject(void);
void suite_clean(void);
void suite_report(void);
void suite_table(void);
void suite_journal(void);
void suite_export(void);
void suite_mongo_tree(void);
void suite_mongo(void);
void suite_mongo_changes(void);
void suite_engine(void);
void suite_schedule(void);
void suite_options(void);
void suite_profile(void);
void suite_progress(void);
void suite_lab(void);

static const struct {
	const char *name;
	void (*add)(void);
} suites[] = {
	{ "units", suite_units },
	{ "params", suite_params },
	{ "random", suite_random },
	{ "text", suite_text },
	{ "histogram", suite_histogram },
	{ "measure", suite_measure },
	{ "target", suite_target },
	{ "scratch", suite_scratch },
	{ "inject", suite_inject },
	{ "clean", suite_clean },
	{ "report", suite_report },
	{ "table", suite_table },
	{ "journal", suite_journal },
	{ "export", suite_export },
	{ "mongo_tree", suite_mongo_tree },
	{ "mongo", suite_mongo },
	{ "mongo_changes", suite_mongo_changes },
	{ "engine", suite_engine },
	{ "schedule", suite_schedule },
	{ "options", suite_options },
	{ "profile", suite_profile },
	{ "progress", suite_progress },
	{ "lab", suite_lab },
};

enum { N_SUITES = sizeof(suites) / sizeof(suites[0]) };

static unsigned add_suites(const char *only)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_SUITES; i++)
		if (only == NULL || strcmp(suites[i].name, only) == 0) {
			suites[i].add();
			n++;
		}
	return n;
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	int status = 1;

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	if (add_suites(only) == 0) {
		fprintf(stderr, "no suite is called '%s'\n", only);
	} else {
		CU_basic_set_mode(CU_BRM_VERBOSE);
		if (CU_basic_run_tests() == CUE_SUCCESS && CU_get_number_of_failures() == 0 &&
		        CU_get_number_of_suites_failed() == 0)
			status = 0;
	}
	CU_cleanup_registry();
	return status;
}
