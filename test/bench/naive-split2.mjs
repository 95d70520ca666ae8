// split2 as its documentation shows it, with JSON.parse as its mapper.
import { createReadStream } from 'node:fs';
import split2 from 'split2';

let lines = 0;
for await (const entry of createReadStream(process.argv[2]).pipe(split2(JSON.parse))) if (entry) lines++;
console.log(lines);
