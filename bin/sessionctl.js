#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < 20 || (major === 20 && minor < 19);
if (isOld || !existsSync(join(__dirname, '../dist/main.cjs'))) {
  const old = `Node ${process.versions.node} is too old; install Node 20.19, 22.12 or newer`;
  console.error(`sessionctl: ${isOld ? old : "the program is not built; run 'npm ci' in its folder"}`);
  process.exitCode = 2;
} else {
  if (major > 20) require('node:module').enableCompileCache?.();
  require('../dist/main.cjs').launch();
}
