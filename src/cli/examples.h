/* examples.h - the must-find programs as `skv explain` shows them; the table is made by examples.py. */
#ifndef SK_CLI_EXAMPLES_H
#define SK_CLI_EXAMPLES_H

typedef struct sk__cli_example {
  const char *id, *file;
  const char *text; /* both variants: lines of the broken one behind '-', of the repaired one behind '+' */
} sk__cli_example;
extern const sk__cli_example sk__cli_examples[]; /* sorted by file; ends with an id of NULL */

#endif
