// `npx sessionctl` inside a checkout installs the package into npx's cache first, and some npm versions leave
// that link dangling. A link of our own in node_modules/.bin is found whenever the cache's is not.
import { chmodSync, existsSync, rmSync, symlinkSync } from 'node:fs';

const folder = new URL('../../node_modules/.bin/', import.meta.url);
const link = new URL('sessionctl', folder);
chmodSync(new URL('../../bin/sessionctl.js', import.meta.url), 0o755);
// On Windows npm writes command shims, which a link cannot stand in for.
if (process.platform !== 'win32' && existsSync(folder)) {
  rmSync(link, { force: true });
  symlinkSync('../../bin/sessionctl.js', link);
}
