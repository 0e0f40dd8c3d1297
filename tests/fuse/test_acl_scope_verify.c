/* aclskScopeVerify: malformed graphs are refused; cuts for batch mode and for deadlocks. */
#include "../runtime/device_fixture.h"
#include "acl/super_kernel.h"

enum { CUBE = ACLSK_SCOPE_VERIFY_KERNEL_CUBE, VECTOR = ACLSK_SCOPE_VERIFY_KERNEL_VECTOR };

static aclskScopeVerifyNodeInfo compute(int64_t task, int64_t stream, int32_t scope, int kind, uint32_t blocks, int32_t batch) {
  return (aclskScopeVerifyNodeInfo){.taskId = task, .streamId = stream, .scopeId = scope, .taskType = ACLSK_SCOPE_VERIFY_NODE_COMPUTE,
                                    .kernelType = (aclskScopeVerifyKernelType)kind, .numBlocks = blocks, .scheMode = batch};
}
static aclskScopeVerifyNodeInfo event(int64_t task, int64_t stream, int32_t scope, aclskScopeVerifyNodeType type, int64_t id) {
  return (aclskScopeVerifyNodeInfo){.taskId = task, .streamId = stream, .eventId = id, .scopeId = scope, .taskType = type};
}
#define WAIT(task, stream, scope, id) event(task, stream, scope, ACLSK_SCOPE_VERIFY_NODE_WAIT, id)
#define NOTIFY(task, stream, scope, id) event(task, stream, scope, ACLSK_SCOPE_VERIFY_NODE_NOTIFY, id)

static aclskScopeVerifySplitResult results[8];
static size_t found;

static aclError verify(aclskScopeVerifyNodeInfo *nodes, size_t count) {
  aclskScopeVerifyGraphInfo graph = {.nodes = nodes, .nodeCount = count};
  found = 99;
  return aclskScopeVerify(&graph, 8, results, &found);
}

static void refused(aclskScopeVerifyNodeInfo *nodes, size_t count, const char *word) {
  assert_fails(verify(nodes, count), ACL_ERROR_INVALID_PARAM, word);
  assert_int_equal(found, 0);
}

static void malformed_graphs(void **state) {
  (void)state;
  aclskScopeVerifyNodeInfo good[] = {compute(1, 0, 0, CUBE, 4, 0), compute(2, 0, 0, VECTOR, 4, 0)}, bad[2];
  assert_int_equal(verify(good, 2), ACL_SUCCESS);
  assert_int_equal(found, 0);
#define REFUSED(change, word)        \
  do {                               \
    memcpy(bad, good, sizeof bad);   \
    change;                          \
    refused(bad, 2, word);           \
  } while (0)
  REFUSED(bad[1].taskId = 1, "same taskId");
  REFUSED(bad[0].taskId = -1, "taskId is negative");
  REFUSED(bad[0].streamId = -1, "streamId is negative");
  REFUSED(bad[1].scopeId = -2, "scopeId");
  REFUSED(bad[1].extendType = 1, "extendType");
  REFUSED(bad[1].extendInfo = bad, "extendInfo");
  REFUSED(bad[1].taskType = (aclskScopeVerifyNodeType)3, "taskType");
  REFUSED(bad[1].kernelType = ACLSK_SCOPE_VERIFY_KERNEL_NO_AICORE, "kernelType");
  REFUSED(bad[1].kernelType = ACLSK_SCOPE_VERIFY_KERNEL_MIX, "taskRatio");
  REFUSED((bad[0] = NOTIFY(1, 0, 0, 5), bad[1] = NOTIFY(2, 0, 0, 5)), "records an event");
  REFUSED(bad[0] = WAIT(1, 0, 0, -1), "eventId is negative");
  memcpy(bad, good, sizeof bad);
  bad[0].flag = 1;
  assert_fails(verify(bad, 2), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not modelled");
}

static void missing_arguments(void **state) {
  (void)state;
  aclskScopeVerifyNodeInfo node = compute(1, 0, 0, CUBE, 4, 0);
  aclskScopeVerifyGraphInfo graph = {.nodes = &node, .nodeCount = 1}, nothing = {.nodes = NULL, .nodeCount = 1}, extended = graph;
  extended.extendType = 1;
  assert_fails(aclskScopeVerify(&graph, 8, results, NULL), ACL_ERROR_INVALID_PARAM, "realSplitResultCount");
  assert_fails(aclskScopeVerify(NULL, 8, results, &found), ACL_ERROR_INVALID_PARAM, "no graph");
  assert_fails(aclskScopeVerify(&nothing, 8, results, &found), ACL_ERROR_INVALID_PARAM, "no graph");
  assert_fails(aclskScopeVerify(&graph, 8, NULL, &found), ACL_ERROR_INVALID_PARAM, "splitResults");
  assert_fails(aclskScopeVerify(&extended, 8, results, &found), ACL_ERROR_INVALID_PARAM, "extendType");
  assert_int_equal(aclskScopeVerify(&graph, 0, NULL, &found), ACL_SUCCESS);
}

static void results_that_do_not_fit(void **state) {
  (void)state;
  aclskScopeVerifyNodeInfo nodes[] = {compute(1, 0, 0, CUBE, 8, 1), compute(2, 0, 0, CUBE, 4, 1), compute(3, 0, 0, CUBE, 2, 1)};
  aclskScopeVerifyGraphInfo graph = {.nodes = nodes, .nodeCount = 3};
  memset(results, 0x55, sizeof results);
  aclskScopeVerifySplitResult before = results[0];
  assert_fails(aclskScopeVerify(&graph, 1, results, &found), ACL_ERROR_INVALID_PARAM, "fit");
  assert_int_equal(found, 2);
  assert_memory_equal(&before, &results[0], sizeof before);
}

static void more_cores_than_the_device_has(void **state) {
  (void)state;
  aclskScopeVerifyNodeInfo node = compute(1, 0, 0, CUBE, 30, 0);
  assert_fails(verify(&node, 1), ACL_ERROR_FAILURE, "operator");
  node.scopeId = -1; /* outside of scopes it is nobody's business */
  assert_int_equal(verify(&node, 1), ACL_SUCCESS);
}

static void batch_kernels_meet_their_own_size(void **state) {
  (void)state;
  static const struct { uint32_t blocks[3]; int batch[3]; size_t cuts; int64_t first; } cases[] = {
      {{8, 4, 2}, {1, 1, 1}, 2, 2}, {{2, 4, 8}, {1, 1, 1}, 2, 2}, {{8, 8, 8}, {1, 1, 1}, 0, 0},
      {{8, 4, 2}, {0, 0, 0}, 0, 0}, {{8, 2, 4}, {1, 0, 1}, 1, 3}, {{4, 8, 8}, {0, 1, 0}, 0, 0}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    aclskScopeVerifyNodeInfo nodes[3];
    for (int i = 0; i < 3; i++) nodes[2 - i] = compute(i + 1, 0, 7, CUBE, cases[c].blocks[i], cases[c].batch[i]); /* in any order */
    assert_int_equal(verify(nodes, 3), ACL_SUCCESS);
    assert_int_equal(found, cases[c].cuts);
    if (found == 0) continue;
    assert_int_equal(results[0].splitNode->taskId, cases[c].first);
    assert_ptr_equal(results[0].splitNode, &nodes[3 - cases[c].first]);
    assert_int_equal(results[0].splitType, ACLSK_SCOPE_VERIFY_SPLIT_BEFORE_NODE);
    assert_int_equal(results[0].splitReason, ACLSK_SCOPE_VERIFY_SYNCALL_OP_DROP);
  }
}

static void excludes(int64_t task) {
  assert_int_equal(found, 1);
  assert_int_equal(results[0].splitNode->taskId, task);
  assert_int_equal(results[0].splitType, ACLSK_SCOPE_VERIFY_SPLIT_EXCLUDE_NODE);
  assert_int_equal(results[0].splitReason, ACLSK_SCOPE_VERIFY_DEADLOCK_DETECTED);
}

static void a_wait_at_the_front(void **state) {
  (void)state;
  aclskScopeVerifyNodeInfo nodes[] = {NOTIFY(1, 1, -1, 5), WAIT(2, 0, 0, 5), compute(3, 0, 0, CUBE, 4, 0)};
  assert_int_equal(verify(nodes, 3), ACL_SUCCESS);
  excludes(2);
}

/* The scope holds its cores while an operator outside, which the wait is for, needs eight. */
static void cores_that_do_not_suffice_for_both(void **state) {
  (void)state;
  static const struct { uint32_t first, second; bool cut; } cases[] = {{20, 24, true}, {8, 20, true}, {8, 16, false}};
  for (size_t c = 0; c < 3; c++) {
    aclskScopeVerifyNodeInfo nodes[] = {compute(1, 0, 0, CUBE, cases[c].first, 0), compute(2, 1, -1, CUBE, 8, 0), NOTIFY(3, 1, -1, 5),
                                        WAIT(4, 0, 0, 5), compute(5, 0, 0, CUBE, cases[c].second, 0)};
    assert_int_equal(verify(nodes, 5), ACL_SUCCESS);
    if (cases[c].cut) excludes(4);
    else assert_int_equal(found, 0);
  }
}

static void scopes_are_judged_apart(void **state) {
  (void)state;
  aclskScopeVerifyNodeInfo nodes[] = {compute(1, 0, 3, CUBE, 8, 1), compute(2, 0, 9, CUBE, 4, 1), compute(3, 0, 3, CUBE, 8, 1)};
  assert_int_equal(verify(nodes, 3), ACL_SUCCESS);
  assert_int_equal(found, 0);
  assert_int_equal(verify(NULL, 0), ACL_SUCCESS);
  assert_int_equal(found, 0);
}

SK_TESTS(SK_TEST(malformed_graphs), SK_TEST(missing_arguments), SK_TEST(results_that_do_not_fit), SK_TEST(more_cores_than_the_device_has),
         SK_TEST(batch_kernels_meet_their_own_size), SK_TEST(a_wait_at_the_front), SK_TEST(cores_that_do_not_suffice_for_both),
         SK_TEST(scopes_are_judged_apart))
