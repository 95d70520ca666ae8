import { installed } from './installed.ts';
import { programPath, spawnCommand } from './run.ts';

/** Whether there is a way to a pseudo-terminal; says so where tests are skipped for want of it. */
export const hasTerminal: boolean = installed('python3', '-c', 'import pty');

/** Gives the child its window size before it starts, and hands on all that the terminal shows, and the exit code. */
const IN_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
while True:
    try:
        shown = os.read(terminal, 65536)
    except OSError:
        break
    if not shown:
        break
    os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

interface TerminalOptions {
  readonly columns?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a bash script with a real terminal as standard input, output and error; `sessionctl` in it is the built program.
 * `shown` is all that went to the terminal, with plain line ends.
 */
export async function inTerminal(
  script: string,
  options: TerminalOptions = {},
): Promise<{ code: number; shown: string }> {
  const { columns = 80, env, ...rest } = options;
  const words = ['bash', '--norc', '-c', `sessionctl() { '${process.execPath}' '${programPath}' "$@"; }; ${script}`];
  const ran = await spawnCommand('python3', ['-c', IN_TERMINAL, String(columns), ...words], {
    ...rest,
    env: { NO_COLOR: '', TERM: 'xterm', ...env },
  });
  return { code: ran.code, shown: ran.stdout.replaceAll('\r\n', '\n') };
}
