import type { JsonObject } from '../../json/value.ts';
import type { Image } from './item.ts';
import type { TimeText } from './time.ts';

export type ToolsOption = 'full' | 'summary' | 'none';
export type ThinkingOption = 'folded' | 'full' | 'none';

export interface ViewOptions {
  readonly tools: ToolsOption;
  readonly thinking: ThinkingOption;
  readonly time: TimeText;
  /** How a picture is shown, decided before its entry is: its file may have to be written, its blob to be read. */
  readonly image: (block: JsonObject) => Image;
}
