export type Paint = (text: string) => string;

/** Colors for one stream; every function is the identity where color is not wanted. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
  readonly green: Paint;
  readonly cyan: Paint;
  readonly magenta: Paint;
  readonly blue: Paint;
}
