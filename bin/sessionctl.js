#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const program = new URL('../dist/main.js', import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`sessionctl: Node ${process.versions.node} is too old; install Node 20.19, 22.12 or newer`);
  process.exitCode = 2;
} else if (!existsSync(program)) {
  console.error("sessionctl: the program is not built; run 'npm ci' in its folder");
  process.exitCode = 2;
} else {
  module.enableCompileCache?.();
  const { launch } = await import(program);
  await launch();
}
