"""What Python has on Unix alone: modules, and what is in `os` and `signal`."""

from __future__ import annotations

MODULES = frozenset({
    "fcntl", "grp", "posix", "pty", "pwd", "resource", "spwd", "syslog", "termios", "tty",
})  # fmt: skip
CALLS = frozenset({
    "chown", "fchdir", "fchmod", "fchown", "fork", "forkpty", "fstatvfs", "getegid", "geteuid",
    "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getpriority", "getresuid", "getsid",
    "getuid", "initgroups", "killpg", "lchown", "lockf", "mkfifo", "mknod", "nice", "openpty",
    "posix_fallocate", "pread", "pwrite", "register_at_fork", "sched_getaffinity",
    "sched_setaffinity", "sched_yield", "sendfile", "setgid", "setpgid", "setpriority", "setsid",
    "setuid", "statvfs", "sync", "sysconf", "tcgetpgrp", "uname", "wait3", "wait4",
    "O_CLOEXEC", "O_DIRECTORY", "O_DSYNC", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC",
    "WNOHANG", "WUNTRACED",
})  # fmt: skip
SIGNALS = frozenset({
    "SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGIO", "SIGKILL", "SIGPIPE", "SIGPROF", "SIGQUIT",
    "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGXCPU",
    "SIGXFSZ", "alarm", "getitimer", "pause", "pthread_kill", "pthread_sigmask", "setitimer",
    "sigpending", "sigwait", "sigwaitinfo", "siginterrupt",
})  # fmt: skip
SOCKETS = frozenset({"AF_UNIX", "SO_REUSEADDR", "SO_REUSEPORT"})  # or of another meaning
OPTIONS = frozenset({"dir_fd", "preexec_fn", "pass_fds", "start_new_session", "process_group"})
PLACES = ("/proc", "/sys/", "/dev/", "/tmp", "/etc/")
