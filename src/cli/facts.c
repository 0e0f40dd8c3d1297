/* facts.c - the verbs that only tell: soc, explain, version. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check/check.h"
#include "cli/cli.h"
#include "cli/examples.h"
#include "cli/version.h"
#include "soc/soc.h"

static bool wants_help(int argc, char **argv) {
  return argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

int sk__cli_version(int argc, char **argv) {
  if (wants_help(argc, argv)) {
    printf("usage: skv version\n\nPrints the version.\n\nexample:\n  skv version\n");
    return SK__EXIT_CLEAN;
  }
  if (argc > 1) return sk__cli_usage("version", "takes no arguments, given '%s'", argv[1]);
  printf("superkernel %s\n", SK__VERSION);
  return SK__EXIT_CLEAN;
}

int sk__cli_soc(int argc, char **argv) {
  if (wants_help(argc, argv)) {
    printf("usage: skv soc\n\nLists the chip profiles; --soc NAME of run and verify picks one, the first is the default.\n"
           "\nexample:\n  skv soc\n");
    return SK__EXIT_CLEAN;
  }
  if (argc > 1) return sk__cli_usage("soc", "takes no arguments, given '%s'", argv[1]);
  size_t count = 0;
  const sk__soc *socs = sk__soc_all(&count);
  printf("  %-14s %4s %4s %8s %8s %9s %7s  %s\n", "name", "AIC", "AIV", "UB", "L1", "GM", "MHz", "");
  for (size_t i = 0; i < count; i++)
    printf("%c %-14s %4u %4u %4u KiB %4u KiB %5llu MiB %7u  %s\n", i == 0 ? '*' : ' ', socs[i].name, socs[i].aic_count,
           socs[i].aiv_count, socs[i].ub_bytes / 1024, socs[i].l1_bytes / 1024,
           (unsigned long long)(socs[i].gm_bytes >> 20), socs[i].costs.clock_mhz, socs[i].title);
  return SK__EXIT_CLEAN;
}

static void print_paragraph(const char *title, const char *text) {
  printf("\n%s\n", title);
  for (const char *rest = text; *rest != '\0';) {
    size_t length = strlen(rest), line = length;
    if (length > 96) {
      for (line = 96; line > 0 && rest[line] != ' '; line--) continue;
      if (line == 0) line = 96;
    }
    printf("  %.*s\n", (int)line, rest);
    rest += line;
    while (*rest == ' ') rest++;
  }
}

/* The first program that has the hazard, whole; the others by name. */
static void print_examples(const char *id) {
  size_t found = 0;
  for (const sk__cli_example *example = sk__cli_examples; example->id != NULL; example++) {
    if (strcmp(example->id, id) != 0) continue;
    if (found == 0) printf("\nexample %s ('-' is found, '+' repairs it)\n%s", example->file, example->text);
    else printf("%s%s", found == 1 ? "\nfurther examples: " : ", ", example->file);
    found++;
  }
  if (found > 1) printf("\n");
}

int sk__cli_explain(int argc, char **argv) {
  size_t count = 0;
  const sk__hazard *all = sk__hazard_all(&count);
  if (wants_help(argc, argv) || argc < 2) {
    printf("usage: skv explain ID\n\nExplains a finding id: cause, symptom on hardware, how it is detected, remedy.\n\n");
    for (size_t i = 0; i < count; i++) printf("  %-22s %s\n", all[i].id, all[i].title);
    printf("\nexample:\n  skv explain H7\n");
    return argc < 2 ? SK__EXIT_USAGE : SK__EXIT_CLEAN;
  }
  if (argc > 2) return sk__cli_usage("explain", "takes one id, given %d", argc - 1);
  const sk__hazard *hazard = sk__hazard_find(argv[1]);
  if (hazard == NULL) {
    const char *near = sk__hazard_nearest(argv[1]);
    return near != NULL ? sk__cli_usage("explain", "no id '%s' (did you mean '%s'?); skv explain --help lists them", argv[1], near)
                        : sk__cli_usage("explain", "no id '%s'; skv explain --help lists them", argv[1]);
  }
  printf("%s  %s (%s)\n", hazard->id, hazard->title, sk__category_name(hazard->category));
  print_paragraph("cause", hazard->cause);
  print_paragraph("symptom on hardware", hazard->symptom);
  print_paragraph("how it is detected", hazard->detection);
  if (hazard->silent[0] != '\0') print_paragraph("why it is silent un-fused", hazard->silent);
  print_paragraph("remedy", hazard->remedy);
  print_examples(hazard->id);
  return SK__EXIT_CLEAN;
}
