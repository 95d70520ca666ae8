#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < 20 || (major === 20 && minor < 19);
if (isOld || !existsSync(new URL('../dist/main.js', import.meta.url))) {
  const old = `Node ${process.versions.node} is too old; install Node 20.19, 22.12 or newer`;
  console.error(`sessionctl: ${isOld ? old : "the program is not built; run 'npm ci' in its folder"}`);
  process.exitCode = 2;
} else {
  module.enableCompileCache?.();
  (await import('../dist/main.js')).launch();
}
