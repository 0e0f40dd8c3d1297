/* late_object.c - an object that test_sites loads while it runs. */
const void *late_function(const void *(*call)(void));

__attribute__((visibility("default"))) const void *late_function(const void *(*call)(void)) {
  static const void *volatile site; /* no tail call */
  site = call();
  return site;
}
