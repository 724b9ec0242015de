/*
 * The planned tree of mongo against published figures: golden manifests, the file and directory
 * counts of the tables of 2001, and what is refused.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/mongo_tree.h"
#include "workloads/workload.h"

void suite_mongo_tree(void);

/* SHA-256 (FIPS 180-4) of a text in memory. */
struct sha256 {
	uint32_t h[8];
};

static const struct golden {
	uint64_t base_size;
	uint32_t files, dirs;
	uint64_t bytes;
	uint32_t first[8];
	const char *sha256;
	/* files= and dirs= of the tables, with one process and with two */
	unsigned table_files[2], table_dirs[2];
} golden_table[] = {
	{ 100, 67295, 124, 52177125, { 83, 136, 2257, 185, 43, 56, 230, 90 },
	        "58092b1e46944fd7346525d1511c2a50924d851caa1946bdc187e1b2c162de5c",
	        { 403770, 807540 }, { 746, 1489 } },
	{ 1000, 11422, 40, 113196614, { 2605, 4226, 1535, 1755, 6635, 681, 2199, 1353 },
	        "8db4b9278e687b2e4dbf0782e053c69e95619655ab02a3dc90e116898e50dfe9",
	        { 68532, 137064 }, { 242, 482 } },
	{ 10000, 1264, 7, 105683118, { 2638, 843, 411, 5472, 20527, 485, 64660, 27726 },
	        "bf048820a16b9ed03c61839cb6639f926a5d5196f1c44c72f647631496c44178", { 7584, 15168 },
	        { 44, 86 } },
	{ 100000, 233, 5, 115397036, { 7778, 335604, 61376, 109274, 241588, 84818, 189276, 50375 },
	        "5f4650d93459ca9e688f3f04e39afd71f4ff3a55bbc41bcc761212c23c798ba8", { 1398, 2796 },
	        { 32, 62 } },
};

enum { N_GOLDEN = sizeof(golden_table) / sizeof(golden_table[0]), REPETITIONS = 3 };

static const uint32_t sha256_k[64] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
	0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6,
	0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
	0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
	0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
	0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
	0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void sha256_block(struct sha256 *sha, const unsigned char *p)
{
	uint32_t w[64], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(s, sha->h, sizeof(s));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t a = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
		             ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_k[i] + w[i];
		uint32_t b = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
		             ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += a;
		s[0] = a + b;
	}
	for (unsigned i = 0; i < 8; i++)
		sha->h[i] += s[i];
}

/* Hexadecimal SHA-256 of @size bytes. */
static void sha256_print(char out[65], const unsigned char *data, size_t size)
{
	struct sha256 sha = { { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
		0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
	unsigned char last[128] = { 0 };
	size_t rest = size % 64, n = rest < 56 ? 64 : 128;

	for (size_t i = 0; i + 64 <= size; i += 64)
		sha256_block(&sha, data + i);
	memcpy(last, data + size - rest, rest);
	last[rest] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		last[n - 1 - i] = (unsigned char)((uint64_t)size * 8 >> (8 * i));
	for (size_t i = 0; i < n; i += 64)
		sha256_block(&sha, last + i);
	for (unsigned i = 0; i < 8; i++)
		snprintf(out + 8 * i, 9, "%08x", sha.h[i]);
}

static void make_params(struct params *params, const char *name, const char *value)
{
	const struct workload *mongo = workload_find("mongo");
	struct error err = { 0 };

	params_init(params, mongo->params, mongo->n_params);
	if (name != NULL)
		CU_ASSERT_EQUAL(params_set(params, name, value, &err), 0);
}

static void test_sha256(void)
{
	char text[65];

	sha256_print(text, (const unsigned char *)"abc", 3);
	CU_ASSERT_STRING_EQUAL(
	        text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_golden(void)
{
	for (unsigned i = 0; i < N_GOLDEN; i++) {
		const struct golden *golden = &golden_table[i];
		struct mongo_tree_params params = { golden->base_size, 0, 1 };
		struct mongo_tree tree;
		struct error err = { 0 };

		CU_ASSERT_EQUAL_FATAL(mongo_tree_init(&tree, &params, &err), 0);
		CU_ASSERT_EQUAL(tree.n_files, golden->files);
		CU_ASSERT_EQUAL(tree.n_dirs, golden->dirs);
		CU_ASSERT_EQUAL(tree.bytes, golden->bytes);
		CU_ASSERT_EQUAL(tree.n_clamped, 0);
		CU_ASSERT_EQUAL(memcmp(tree.sizes, golden->first, sizeof(golden->first)), 0);
		mongo_tree_release(&tree);
	}
}

/* The workload's own way to the manifest: sets, then the text of each. */
static void test_manifest(void)
{
	static struct params sets[WORKLOAD_SETS_MAX];
	static char names[WORKLOAD_SETS_MAX][WORKLOAD_SET_NAME_MAX];
	const struct workload *mongo = workload_find("mongo");
	struct error err = { 0 };
	struct params params;

	make_params(&params, NULL, NULL);
	CU_ASSERT_EQUAL_FATAL(mongo->sets(&params, sets, names, WORKLOAD_SETS_MAX, &err), N_GOLDEN);
	for (unsigned i = 0; i < N_GOLDEN; i++) {
		char *text = NULL, digest[65], name[64];
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		CU_ASSERT_PTR_NOT_NULL_FATAL(out);
		CU_ASSERT_EQUAL(mongo->manifest(&sets[i], out, &err), 0);
		fclose(out);
		sha256_print(digest, (const unsigned char *)text, size);
		CU_ASSERT_STRING_EQUAL(digest, golden_table[i].sha256);
		snprintf(name, sizeof(name), "base_size=%u", (unsigned)golden_table[i].base_size);
		CU_ASSERT_STRING_EQUAL(names[i], name);
		free(text);
	}
}

/*
 * files= is the count after copy; dirs= counts what find(1) saw: the trees' directories, the mount
 * point, and lost+found where there was one (base 100 with two processes had none).
 */
static void test_published_counts(void)
{
	for (unsigned i = 0; i < N_GOLDEN; i++)
		for (unsigned processes = 1; processes <= 2; processes++) {
			const struct golden *golden = &golden_table[i];
			struct mongo_tree_params params = { golden->base_size, 0, 1 };
			unsigned trees = 2 * REPETITIONS * processes;
			unsigned beside = golden->base_size == 100 && processes == 2 ? 1 : 2;
			struct mongo_tree tree;

			CU_ASSERT_EQUAL_FATAL(mongo_tree_init(&tree, &params, NULL), 0);
			CU_ASSERT_EQUAL(trees * tree.n_files, golden->table_files[processes - 1]);
			CU_ASSERT_EQUAL(
			        trees * tree.n_dirs + beside, golden->table_dirs[processes - 1]);
			mongo_tree_release(&tree);
		}
}

static void test_other_seeds(void)
{
	static const uint32_t least = 3175, most = 13010;
	uint32_t low = UINT32_MAX, high = 0;

	for (uint32_t seed = 1; seed <= 5; seed++) {
		struct mongo_tree_params params = { 1000, 0, seed };
		struct mongo_tree tree;

		CU_ASSERT_EQUAL_FATAL(mongo_tree_init(&tree, &params, NULL), 0);
		low = tree.n_files < low ? tree.n_files : low;
		high = tree.n_files > high ? tree.n_files : high;
		mongo_tree_release(&tree);
	}
	CU_ASSERT_EQUAL(low, least);
	CU_ASSERT_EQUAL(high, most);
}

/* Every file is in the range of its directory, every path has its parent's as a prefix. */
static void test_paths(void)
{
	struct mongo_tree_params params = { 100, 0, 1 };
	struct mongo_tree tree;
	char path[128], parent[128], cut[8];
	size_t length;

	CU_ASSERT_EQUAL_FATAL(mongo_tree_init(&tree, &params, NULL), 0);
	for (uint32_t dir = 0; dir < tree.n_dirs; dir++) {
		length = mongo_tree_print_dir(&tree, dir, path, sizeof(path));
		CU_ASSERT_EQUAL(strlen(path), length);
		CU_ASSERT(length < tree.path_max);
		mongo_tree_print_dir(&tree, tree.parent[dir], parent, sizeof(parent));
		CU_ASSERT_EQUAL(strncmp(path, parent, strlen(parent)), 0);
		CU_ASSERT_EQUAL(mongo_tree_dir_of(&tree, tree.first_file[dir] + 1), dir);
		CU_ASSERT_EQUAL(mongo_tree_dir_of(&tree, tree.first_file[dir + 1]), dir);
	}
	CU_ASSERT_EQUAL(tree.first_file[tree.n_dirs], tree.n_files);
	length = mongo_tree_print_dir(&tree, tree.n_dirs - 1, path, sizeof(path));
	CU_ASSERT_EQUAL(mongo_tree_print_dir(&tree, tree.n_dirs - 1, cut, sizeof(cut)), length);
	CU_ASSERT(strlen(cut) <= sizeof(cut) - 1);
	CU_ASSERT_EQUAL(strncmp(cut, path, strlen(cut)), 0);
	mongo_tree_release(&tree);
}

static void test_clamp(void)
{
	struct mongo_tree_params params = { 1000000000, 1000000000000, 1 };
	struct mongo_tree tree;
	uint32_t n = 0;

	CU_ASSERT_EQUAL_FATAL(mongo_tree_init(&tree, &params, NULL), 0);
	for (uint32_t i = 0; i < tree.n_files; i++) {
		CU_ASSERT(tree.sizes[i] <= MONGO_SIZE_MAX);
		n += tree.sizes[i] == MONGO_SIZE_MAX;
	}
	CU_ASSERT(tree.n_clamped > 0);
	CU_ASSERT_EQUAL(tree.n_clamped, n);
	mongo_tree_release(&tree);
}

static void expect_refused(const char *name, const char *value, const char *words)
{
	static struct params sets[WORKLOAD_SETS_MAX];
	static char names[WORKLOAD_SETS_MAX][WORKLOAD_SET_NAME_MAX];
	struct error err = { 0 };
	struct params params;

	make_params(&params, name, value);
	CU_ASSERT_EQUAL(workload_find("mongo")->sets(&params, sets, names, WORKLOAD_SETS_MAX, &err),
	        -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, words));
}

static void test_refused(void)
{
	struct mongo_tree_params many = { 1, 1000000000000, 1 };
	struct error err = { 0 };
	struct mongo_tree tree;

	/* 2^20 * 1e6 / (base + 1) < 1 */
	expect_refused("base_size", "1048576000000", "base_size=1048576000000");
	expect_refused("base_size", "1000,1100000M", "base_size=1100000000000");
	expect_refused("base_size", "1000000M", "empty");
	CU_ASSERT_EQUAL(mongo_tree_init(&tree, &many, &err), -EFBIG);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "make bytes smaller"));
}

static void test_set_names(void)
{
	static struct params sets[WORKLOAD_SETS_MAX];
	static char names[WORKLOAD_SETS_MAX][WORKLOAD_SET_NAME_MAX];
	struct error err = { 0 };
	struct params params;

	make_params(&params, "processes", "1,2");
	CU_ASSERT_EQUAL(params_set(&params, "base_size", "100,2000", &err), 0);
	CU_ASSERT_EQUAL_FATAL(
	        workload_find("mongo")->sets(&params, sets, names, WORKLOAD_SETS_MAX, &err), 4);
	CU_ASSERT_STRING_EQUAL(names[0], "base_size=100");
	CU_ASSERT_STRING_EQUAL(names[1], "base_size=2000");
	CU_ASSERT_STRING_EQUAL(names[2], "base_size=100 processes=2");
	CU_ASSERT_STRING_EQUAL(names[3], "base_size=2000 processes=2");
	CU_ASSERT_EQUAL(workload_find("mongo")->sets(&params, sets, names, 3, &err), -EINVAL);
}

/* Blocks of links whose text does not fit into an inode. */
static uint64_t long_links(const struct mongo_tree *tree)
{
	char path[256], text[320];
	uint64_t n = 0;

	for (uint32_t i = 1; i <= tree->n_files; i++) {
		mongo_tree_print_dir(tree, mongo_tree_dir_of(tree, i), path, sizeof(path));
		n += snprintf(text, sizeof(text), "/mnt/testdir1-2-0/%s%u", path, i) > 59;
	}
	return n;
}

/* Needed space in MiB and inodes, as published for three repetitions and one process. */
static void test_plan(void)
{
	static const unsigned mib[N_GOLDEN] = { 1737, 841, 621, 663 };
	const struct workload *mongo = workload_find("mongo");
	struct cost_context ext4 = { 4096, "ext4", true }, xfs = { 4096, "xfs", false },
	                    btrfs = { 4096, "btrfs", false };

	for (unsigned i = 0; i < N_GOLDEN; i++) {
		const struct golden *golden = &golden_table[i];
		struct cost cost = { 0 }, more = { 0 }, most = { 0 };
		struct mongo_tree_params tree_params = { golden->base_size, 0, 1 };
		struct mongo_tree tree;
		struct params params;
		char base[32];
		uint64_t file_bytes;

		CU_ASSERT_EQUAL_FATAL(mongo_tree_init(&tree, &tree_params, NULL), 0);
		snprintf(base, sizeof(base), "%u", (unsigned)golden->base_size);
		make_params(&params, "base_size", base);
		CU_ASSERT_EQUAL(mongo->plan(&params, &ext4, &cost, NULL), 0);
		file_bytes = cost.bytes - 6 * UINT64_C(4096) * golden->dirs -
		             3 * UINT64_C(4096) * long_links(&tree);
		mongo_tree_release(&tree);
		CU_ASSERT_EQUAL((file_bytes + 524288) >> 20, mib[i]);
		CU_ASSERT_EQUAL(cost.inodes, 9 * golden->files + 6 * golden->dirs);
		CU_ASSERT_EQUAL(mongo->plan(&params, &xfs, &more, NULL), 0);
		CU_ASSERT_EQUAL(more.bytes, cost.bytes + 512 * cost.inodes);
		CU_ASSERT_EQUAL(mongo->plan(&params, &btrfs, &most, NULL), 0);
		CU_ASSERT_EQUAL(most.bytes, cost.bytes + 2 * 512 * cost.inodes);
	}
}

void suite_mongo_tree(void)
{
	CU_pSuite suite = CU_add_suite("mongo_tree", NULL, NULL);

	CU_add_test(suite, "sha256 of the test itself", test_sha256);
	CU_add_test(suite, "golden counts and sizes", test_golden);
	CU_add_test(suite, "golden manifests", test_manifest);
	CU_add_test(suite, "published counts", test_published_counts);
	CU_add_test(suite, "other seeds are other trees", test_other_seeds);
	CU_add_test(suite, "paths", test_paths);
	CU_add_test(suite, "sizes are clamped", test_clamp);
	CU_add_test(suite, "refused parameters", test_refused);
	CU_add_test(suite, "names of sets", test_set_names);
	CU_add_test(suite, "cost", test_plan);
}
