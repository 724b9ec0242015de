/*
 * Runs the tests of the screen and says how many failed by its exit status.
 */
#include <CUnit/Basic.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

void suite_layout(void);
void suite_widget(void);
void suite_theme(void);
void suite_keys(void);
void suite_race(void);
void suite_program(void);

static void (*const suites[])(void) = {
	suite_layout,
	suite_widget,
	suite_theme,
	suite_keys,
	suite_race,
	suite_program,
};

int main(void)
{
	unsigned failures;

	setlocale(LC_CTYPE, "C.UTF-8");
	signal(SIGPIPE, SIG_IGN);
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		suites[i]();
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	failures = CU_get_number_of_failures();
	CU_cleanup_registry();
	return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
