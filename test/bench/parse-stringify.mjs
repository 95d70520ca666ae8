// What a script without splices does: parse every line and write it anew.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

for await (const line of createInterface({
  input: createReadStream(process.argv[2]),
  crlfDelay: Number.POSITIVE_INFINITY,
})) {
  if (!process.stdout.write(`${JSON.stringify(JSON.parse(line))}\n`))
    await new Promise((go) => process.stdout.once('drain', go));
}
