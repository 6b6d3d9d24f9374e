/** Exit code of a command that SIGINT ended, as shells give it. */
export const INTERRUPTED = 130;
