import type { Dialect } from '../../entries/entry-type.ts';
import type { ResumableSession, ResumeCommand } from '../format.ts';

/** Both agents open a file, and work in the folder that it names; undefined where neither file nor id is known. */
export function resumeNative({ id, file, cwd }: ResumableSession, dialect: Dialect): ResumeCommand | undefined {
  const command = dialect === 'omp' ? ['omp', '--resume'] : ['pi', '--session'];
  if (file !== '') return { argv: [...command, asPath(file)] };
  return id === '' ? undefined : { argv: [...command, id], cwd };
}

/** Without a slash or a known ending they would look for an id. */
function asPath(file: string): string {
  return /\/|^[^-].*\.jsonl$/s.test(file) ? file : `./${file}`;
}
