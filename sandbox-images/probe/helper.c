/*
 * Makes system calls that a guest has no use for, one per step, and reports what each returned. Freestanding and static:
 * it needs nothing of the image. Arguments: id and number of the first step, and the name of the call that it asks for,
 * empty where it asks for the names of all. Steps are read and answered as the protocol's
 * own messages, so a report is with the host before the next call is made.
 * Every call is harmless where it succeeds: it changes this process or its own container alone.
 */
#include <sys/syscall.h>

#if defined(__x86_64__)
static long call(long n, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}
__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call run\n");
#elif defined(__aarch64__)
static long call(long n, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = n;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
__asm__(".globl _start\n_start:\n mov x0, sp\n bl run\n");
#else
#error "no system calls known for this processor"
#endif

/* Two fields that some structures share, and zeroes behind them. */
static long zeroes[64];
static long attributes[64];
static char report[16384];
static long used;

static void text(const char *from) {
  while (*from && used < (long)sizeof report - 64) report[used++] = *from++;
}

static void number(long value) {
  char digits[24];
  int n = 0;
  unsigned long rest = value < 0 ? -(unsigned long)value : (unsigned long)value;
  if (value < 0) text("-");
  do digits[n++] = (char)('0' + rest % 10); while (rest /= 10);
  while (n > 0) report[used++] = digits[--n];
}

/* What the step asks for; none: the names of all. */
static const char *wanted;
static int listed;

static long length(const char *from) {
  long n = 0;
  while (from[n]) n++;
  return n;
}

/* Whether this call is the one. Before it is made, the log tells of it: the container may die of it. */
static int chosen(const char *name) {
  long n = 0;
  if (!*wanted) {
    text(listed++ ? ",\"" : "\""); text(name); text("\"");
    return 0;
  }
  while (name[n] && name[n] == wanted[n]) n++;
  if (name[n] || wanted[n]) return 0;
  call(SYS_write, 2, (long)name, n, 0, 0, 0);
  call(SYS_write, 2, (long)"\n", 1, 0, 0, 0);
  return 1;
}

#define P(value) ((long)(value))
#define TRY6(name, n, a, b, c, d, e, f) \
  do { \
    if (chosen(name)) number(call(n, P(a), P(b), P(c), P(d), P(e), P(f))); \
  } while (0)
#define TRY(name, n, a, b, c) TRY6(name, n, a, b, c, 0, 0, 0)

#define SIGCHLD 17
#define AT_FDCWD -100

/* A child ends at once; the parent does not wait for it, so it is a process until this container ends. */
static void fork_like(const char *name, long n, long a, long b) {
  if (!chosen(name)) return;
  long result = call(n, a, b, 0, 0, 0, 0);
  if (result == 0) call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
  number(result);
}

/* In a child where there can be one: the parent becomes the tracer, and this process's is the container's runtime. */
static void trace_me(void) {
  static int status[4];
  if (!chosen("ptrace-traceme")) return;
  long child = call(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
  if (child == 0) {
    long result = call(SYS_ptrace, 0, 0, 0, 0, 0, 0);
    call(SYS_exit_group, result < 0 ? -result : 0, 0, 0, 0, 0, 0);
  }
  if (child < 0) {
    number(call(SYS_ptrace, 0, 0, 0, 0, 0, 0));
    return;
  }
  call(SYS_wait4, child, P(status), 0, 0, 0, 0);
  number(-(long)(status[0] >> 8 & 0xff));
}

static void processes(void) {
#ifdef SYS_fork
  fork_like("fork", SYS_fork, 0, 0);
#endif
  fork_like("clone", SYS_clone, SIGCHLD, 0);
  fork_like("clone-user-namespace", SYS_clone, SIGCHLD | 0x10000000, 0);
  fork_like("clone-pid-namespace", SYS_clone, SIGCHLD | 0x20000000, 0);
  attributes[0] = 0; attributes[4] = SIGCHLD;
  fork_like("clone3", SYS_clone3, P(attributes), 64);
  attributes[0] = 0x10000000;
  fork_like("clone3-user-namespace", SYS_clone3, P(attributes), 64);
  attributes[0] = attributes[4] = 0;
  TRY("execveat", SYS_execveat, AT_FDCWD, "/nothing-there", zeroes);
  trace_me();
  TRY("ptrace-seize", SYS_ptrace, 0x4206, 1, 0);
  attributes[0] = P(zeroes); attributes[1] = 8;
  TRY6("process_vm_readv", SYS_process_vm_readv, 1, attributes, 1, attributes, 1, 0);
  TRY6("process_vm_writev", SYS_process_vm_writev, 1, attributes, 1, attributes, 1, 0);
  attributes[0] = attributes[1] = 0;
  TRY6("kcmp", SYS_kcmp, 1, 1, 0, 0, 0, 0);
  TRY("pidfd_open", SYS_pidfd_open, 1, 0, 0);
  TRY("pidfd_getfd", SYS_pidfd_getfd, 0, 0, 0);
  TRY("kill-everybody", SYS_kill, -1, 0, 0);
  TRY("personality", SYS_personality, 0x0040000, 0, 0);
}

static void kernel(void) {
  TRY("io_uring_setup", SYS_io_uring_setup, 4, zeroes, 0);
  TRY("io_uring_enter", SYS_io_uring_enter, 0, 0, 0);
  TRY("io_uring_register", SYS_io_uring_register, 0, 0, 0);
  attributes[0] = 2 | 4L << 32; attributes[1] = 4 | 1L << 32;
  TRY("bpf-map", SYS_bpf, 0, attributes, 72);
  attributes[0] = attributes[1] = 0;
  attributes[0] = 1 | 112L << 32;
  TRY6("perf_event_open", SYS_perf_event_open, attributes, 0, -1, -1, 0, 0);
  attributes[0] = 0;
  TRY("userfaultfd", SYS_userfaultfd, 0, 0, 0);
  TRY("userfaultfd-user-mode", SYS_userfaultfd, 1, 0, 0);
  TRY("keyctl-session", SYS_keyctl, 1, 0, 0);
  TRY("keyctl-read-keyring", SYS_keyctl, 0, -3, 1);
  TRY6("add_key", SYS_add_key, "user", "loadline", zeroes, 8, -2, 0);
  TRY6("request_key", SYS_request_key, "user", "loadline", 0, -2, 0, 0);
  TRY("seccomp-filter", SYS_seccomp, 2, 0, 0);
  TRY("init_module", SYS_init_module, zeroes, 64, "");
  TRY("finit_module", SYS_finit_module, 0, "", 0);
  TRY("delete_module", SYS_delete_module, "loadline", 0, 0);
  TRY6("kexec_load", SYS_kexec_load, 0, 0, 0, 0, 0, 0);
  TRY("reboot", SYS_reboot, 0xfee1deadL, 672274793, 0);
  TRY("swapon", SYS_swapon, "/tmp/swap", 0, 0);
  TRY("swapoff", SYS_swapoff, "/tmp/swap", 0, 0);
  TRY("syslog-read", SYS_syslog, 3, zeroes, 64);
  TRY("acct", SYS_acct, "/tmp/acct", 0, 0);
  TRY6("quotactl", SYS_quotactl, 0x80000100L, "/tmp", 0, 0, 0, 0);
  TRY("settimeofday", SYS_settimeofday, zeroes, 0, 0);
  TRY("clock_settime", SYS_clock_settime, 0, zeroes, 0);
  attributes[0] = 0x4000;
  TRY("adjtimex", SYS_adjtimex, attributes, 0, 0);
  attributes[0] = 0;
  TRY("sethostname", SYS_sethostname, "host", 4, 0);
  TRY("setdomainname", SYS_setdomainname, "host", 4, 0);
  TRY("setpriority", SYS_setpriority, 0, 0, -20);
  attributes[0] = 1;
  TRY("sched_setscheduler", SYS_sched_setscheduler, 0, 1, attributes);
  TRY("sched_setaffinity", SYS_sched_setaffinity, 0, 8, attributes);
  attributes[0] = 0;
#ifdef SYS_iopl
  TRY("iopl", SYS_iopl, 3, 0, 0);
  TRY("ioperm", SYS_ioperm, 0x80, 1, 1);
  TRY("modify_ldt", SYS_modify_ldt, 0, zeroes, 64);
#endif
  TRY("ioctl-push-input", SYS_ioctl, 0, 0x5412, "x");
  TRY("prctl-read-filter", SYS_prctl, 21, 0, 0);
  TRY("prctl-ambient", SYS_prctl, 47, 2, 21);
}

static void files(void) {
  TRY6("mount-tmpfs", SYS_mount, "none", "/tmp", "tmpfs", 0, 0, 0);
  TRY6("mount-bind", SYS_mount, "/", "/tmp", 0, 0x1000, 0, 0);
  TRY6("mount-remount", SYS_mount, 0, "/", 0, 0x20, 0, 0);
  TRY6("mount-proc", SYS_mount, "proc", "/tmp", "proc", 0, 0, 0);
  TRY("umount", SYS_umount2, "/tmp", 2, 0);
  TRY("pivot_root", SYS_pivot_root, "/tmp", "/tmp", 0);
  TRY("chroot", SYS_chroot, "/tmp", 0, 0);
  TRY("open_tree", SYS_open_tree, AT_FDCWD, "/", 1);
  TRY6("move_mount", SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/tmp", 0, 0);
  TRY("fsopen", SYS_fsopen, "tmpfs", 0, 0);
  TRY("fsmount", SYS_fsmount, 0, 0, 0);
#ifdef SYS_mount_setattr
  TRY6("mount_setattr", SYS_mount_setattr, AT_FDCWD, "/", 0, zeroes, 32, 0);
#endif
  TRY6("name_to_handle_at", SYS_name_to_handle_at, AT_FDCWD, "/", zeroes, zeroes + 32, 0, 0);
  attributes[0] = 8 | 1L << 32; attributes[1] = 2;
  TRY("open_by_handle_at", SYS_open_by_handle_at, AT_FDCWD, attributes, 0);
  attributes[0] = attributes[1] = 0;
  TRY("fanotify_init", SYS_fanotify_init, 0, 0, 0);
  TRY6("mknod-disk", SYS_mknodat, AT_FDCWD, "/tmp/disk", 0060666, 8 << 8, 0, 0);
  TRY6("mknod-memory", SYS_mknodat, AT_FDCWD, "/tmp/memory", 0020666, 1 << 8 | 1, 0, 0);
  TRY6("mknod-fifo", SYS_mknodat, AT_FDCWD, "/tmp/fifo", 0010666, 0, 0, 0);
  TRY("symlink", SYS_symlinkat, "/proc/1/root", AT_FDCWD, "/tmp/link");
  TRY6("link", SYS_linkat, AT_FDCWD, "/loadline/guest.js", AT_FDCWD, "/tmp/hard", 0, 0);
  TRY6("chmod-setuid", SYS_fchmodat, AT_FDCWD, "/tmp", 04777, 0, 0, 0);
  TRY6("chown-root", SYS_fchownat, AT_FDCWD, "/tmp", 0, 0, 0, 0);
  TRY6("setxattr", SYS_setxattr, "/tmp", "security.capability", zeroes, 20, 0, 0);
}

static void users(void) {
  TRY("setuid-root", SYS_setuid, 0, 0, 0);
  TRY("setgid-root", SYS_setgid, 0, 0, 0);
  TRY("setresuid-root", SYS_setresuid, 0, 0, 0);
  TRY("setresgid-root", SYS_setresgid, 0, 0, 0);
  TRY("setgroups", SYS_setgroups, 1, zeroes, 0);
  attributes[0] = 0x20080522;
  attributes[8] = attributes[9] = attributes[10] = -1;
  TRY("capset-all", SYS_capset, attributes, attributes + 8, 0);
  attributes[0] = attributes[8] = attributes[9] = attributes[10] = 0;
}

static void messages(void) {
  TRY("shmget", SYS_shmget, 0, 4096, 01600);
  TRY("semget", SYS_semget, 0, 1, 01600);
  TRY("msgget", SYS_msgget, 0, 01600, 0);
  TRY6("mq_open", SYS_mq_open, "loadline", 0102, 0600, 0, 0, 0);
  TRY("memfd_create", SYS_memfd_create, "loadline", 0, 0);
#ifdef SYS_memfd_secret
  TRY("memfd_secret", SYS_memfd_secret, 0, 0, 0);
#endif
  TRY("socket-unix", SYS_socket, 1, 1, 0);
  TRY("socket-tcp", SYS_socket, 2, 1, 0);
  TRY("socket-udp", SYS_socket, 2, 2, 0);
  TRY("socket-raw", SYS_socket, 2, 3, 1);
  TRY("socket-tcp6", SYS_socket, 10, 1, 0);
  TRY("socket-netlink", SYS_socket, 16, 3, 0);
  TRY("socket-packet", SYS_socket, 17, 3, 0x300);
  TRY("socket-crypto", SYS_socket, 38, 5, 0);
  TRY("socket-vsock", SYS_socket, 40, 1, 0);
  TRY("socket-xdp", SYS_socket, 44, 3, 0);
  TRY6("socketpair", SYS_socketpair, 1, 1, 0, zeroes, 0, 0);
}

static void namespaces(void) {
  long mine = call(SYS_openat, AT_FDCWD, P("/proc/self/ns/net"), 0, 0, 0, 0);
  TRY("setns", SYS_setns, mine, 0, 0);
  TRY("unshare-mount", SYS_unshare, 0x00020000, 0, 0);
  TRY("unshare-cgroup", SYS_unshare, 0x02000000, 0, 0);
  TRY("unshare-uts", SYS_unshare, 0x04000000, 0, 0);
  TRY("unshare-ipc", SYS_unshare, 0x08000000, 0, 0);
  TRY("unshare-net", SYS_unshare, 0x40000000, 0, 0);
  TRY("unshare-time", SYS_unshare, 0x00000080, 0, 0);
  TRY("unshare-user", SYS_unshare, 0x10000000, 0, 0);
  call(SYS_close, mine, 0, 0, 0, 0, 0);
}

static char out[20480];

static void write_all(const char *from, long size) {
  for (long sent = 0; sent < size;) {
    long now = call(SYS_write, 1, P(from + sent), size - sent, 0, 0, 0);
    if (now > 0) sent += now;
    else if (now != -11 && now != -4) break;
  }
}

/* Puts what `report` holds into a frame and empties it. */
static void send(void) {
  long size = used, at = 0;
  for (long n = 0; n < size; n++) out[n] = report[n];
  used = 0;
  text("Content-Length: "); number(size); text("\r\n\r\n");
  at = used;
  used = 0;
  write_all(report, at);
  write_all(out, size);
}

/* The first step came as arguments, the others come here. A step is read when its last braces are. */
static char incoming[4096];
static char id[24];
static char step[24];
static char name[128];

static char *after(const char *part) {
  long size = length(part);
  for (char *from = incoming; *from; from++) {
    long n = 0;
    while (n < size && from[n] == part[n]) n++;
    if (n == size) return from + n;
  }
  return 0;
}

static void copy(char *to, long room, const char *from, const char *until) {
  long n = 0;
  while (from[n] && from[n] != until[0] && from[n] != until[1] && n < room - 1) to[n] = from[n], n++;
  to[n] = 0;
}

/* Returns 0 when there is no further step. */
static int next_step(void) {
  long at = 0;
  incoming[0] = 0;
  while (!after("]}]}}")) {
    long got = call(SYS_read, 0, P(incoming + at), sizeof incoming - 1 - at, 0, 0, 0);
    /* Nothing to read yet on a pipe that does not block. */
    if (got == -11) { attributes[0] = 0; attributes[1] = 1000000; call(SYS_nanosleep, P(attributes), 0, 0, 0, 0, 0); }
    else if (got <= 0 && got != -4) return 0;
    else if (got > 0) incoming[at += got] = 0;
  }
  attributes[0] = attributes[1] = 0;
  char *number_of_step = after("\"step\":"), *own_id = after("\"id\":"), *own_name = after("\"args\":[\"");
  if (!number_of_step || !own_id || !own_name) return 0;
  copy(step, sizeof step, number_of_step, ",}");
  copy(id, sizeof id, own_id, ",}");
  copy(name, sizeof name, own_name, "\"\"");
  return 1;
}

static void make(void) {
  processes();
  kernel();
  files();
  users();
  messages();
  namespaces();
}

static void answer(void) {
  text("{\"jsonrpc\":\"2.0\",\"method\":\"settled\",\"params\":{\"step\":"); text(step);
  text(",\"invocation\":0,\"at\":0,\"result\":{\"kind\":\"returned\",\"value\":");
  if (!*wanted) text("[");
  listed = 0;
  long before = used;
  make();
  if (!*wanted) text("]");
  else if (used == before) text("null");
  text("}}}");
  send();
  text("{\"jsonrpc\":\"2.0\",\"id\":"); text(id); text(",\"result\":null}");
  send();
}

void run(long *stack) {
  char **arguments = (char **)(stack + 1);
  if (stack[0] != 4) call(SYS_exit_group, 2, 0, 0, 0, 0, 0);
  copy(id, sizeof id, arguments[1], "  ");
  copy(step, sizeof step, arguments[2], "  ");
  copy(name, sizeof name, arguments[3], "  ");
  wanted = name;
  do answer(); while (next_step());
  call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}
