export { Line } from './lines/line.ts';
export { type ReadLinesOptions, readLines } from './lines/reader.ts';
