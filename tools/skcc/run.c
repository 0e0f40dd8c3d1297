/* run.c - child processes, the temporary directory, and what happens on a signal.
 *
 * Each job of the driver is a process group of its own; a signal to the driver ends the groups, and the
 * temporary directory goes away on every way out. */
#include "skcc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The process-wide state of a driver run; the handler reads groups and writes interrupted. */
static struct {
  char *temp_dir, *unfinished;
  pid_t owner;
  bool verbose, keep_temps;
  volatile sig_atomic_t interrupted;
  volatile pid_t groups[256];
} run;

static void on_signal(int number) {
  run.interrupted = number;
  for (size_t i = 0; i < sizeof run.groups / sizeof *run.groups; i++)
    if (run.groups[i] > 0) kill(-run.groups[i], SIGTERM);
}

void run_setup(bool verbose, bool keep_temps) {
  run.verbose = verbose;
  run.keep_temps = keep_temps;
  run.owner = getpid();
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

bool run_interrupted(void) { return run.interrupted != 0; }

const char *run_temp_dir(void) {
  if (run.temp_dir != NULL) return run.temp_dir;
  const char *base = getenv("TMPDIR");
  if (base == NULL || *base == '\0') base = "/tmp";
  run.temp_dir = format_string("%s/skcc-XXXXXX", base);
  if (mkdtemp(run.temp_dir) == NULL) {
    fprintf(stderr, "skcc: cannot make a temporary directory in '%s': %s\n", base, strerror(errno));
    run.temp_dir = NULL;
    exit(EXIT_INTERNAL);
  }
  setenv("TMPDIR", run.temp_dir, 1); /* the compilers' own temporary files go with ours */
  return run.temp_dir;
}

char *run_temp_file(const char *name) { return format_string("%s/%s", run_temp_dir(), name); }

void run_unfinished(char *path) { run.unfinished = path; }

void run_cleanup(void) {
  if (getpid() != run.owner) return;
  if (run.unfinished != NULL) unlink(run.unfinished);
  if (run.temp_dir == NULL) return;
  if (run.keep_temps) {
    fprintf(stderr, "skcc: temporary files are in %s\n", run.temp_dir);
    return;
  }
  DIR *dir = opendir(run.temp_dir);
  for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
    if (entry->d_name[0] != '.') unlinkat(dirfd(dir), entry->d_name, 0);
  if (dir != NULL) closedir(dir);
  rmdir(run.temp_dir);
}

static void print_command(const list *argv) {
  text line = {0};
  for (size_t i = 0; i < argv->count; i++) text_printf(&line, "%s%s", i > 0 ? " " : "", argv->items[i]);
  fprintf(stderr, "%s\n", line.bytes);
  free(line.bytes);
}

int run_wait(process p) {
  int status = 0;
  if (p.pid == 0) return 127;
  while (waitpid(p.pid, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

process run_start(const list *argv, const char *messages) {
  if (run.verbose) print_command(argv);
  list arguments = *argv;
  arguments.items = grow(arguments.items, arguments.count, &arguments.capacity, sizeof *arguments.items);
  arguments.items[arguments.count] = NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (messages != NULL)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_APPEND, 0666);
  pid_t pid = 0;
  int error = posix_spawnp(&pid, arguments.items[0], &actions, NULL, arguments.items, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return (process){pid};
  fprintf(stderr, "skcc: cannot run '%s': %s\n", argv->items[0], strerror(error));
  return (process){0};
}

int run_command(const list *argv, const char *messages) { return run_wait(run_start(argv, messages)); }

process run_job(int (*job)(void *), void *context) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    int code = job(context);
    fflush(NULL);
    _exit(code);
  }
  if (pid < 0) {
    fprintf(stderr, "skcc: cannot start a process: %s\n", strerror(errno));
    return (process){0};
  }
  setpgid(pid, pid);
  for (size_t i = 0; i < sizeof run.groups / sizeof *run.groups; i++)
    if (run.groups[i] == 0) {
      run.groups[i] = pid;
      break;
    }
  if (run.interrupted) kill(-pid, SIGTERM);
  return (process){pid};
}

int run_job_result(process p) {
  if (p.pid == 0) return EXIT_INTERNAL;
  int code = run_wait(p);
  for (size_t i = 0; i < sizeof run.groups / sizeof *run.groups; i++)
    if (run.groups[i] == p.pid) run.groups[i] = 0;
  return code;
}
