import { grouped } from '../util/words.ts';
import { MAX_BASE64, MAX_PIXELS } from './check/large-images.ts';
import { describeImage } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const oversizeImage = defineRule('oversize-image', 'error', 'images', {
  summary:
    'an image is larger than providers accept: 5 MiB of base64, 8,000 pixels, or 2,000 if there are more than 20',
  why: 'The provider rejects every request with this image, and each turn of the session sends it again.',
  arises: 'A screenshot or a picture was pasted or read by a tool without being scaled down.',
  advice:
    "'sessionctl repair' replaces the image with a text that names it, and keeps the old line in quarantine, or the image in a folder with --blobs.",
  example: '{…,"type":"user",…,{"type":"image","source":{"type":"base64",…,"data":"iVBORw0KGgo…"}}…}',
  recordsEnd: (log, report) => {
    const isMany = log.images > MAX_PIXELS.many;
    for (const { position, path, image } of log.largeImages) {
      const { length, width = 0, height = 0 } = image;
      const place = log.placeOf(position, path);
      if (length > MAX_BASE64) report(place, `the image has ${grouped(length)} base64 characters, more than 5 MiB`);
      const most = isMany ? MAX_PIXELS.ofMany : MAX_PIXELS.ofOne;
      if (length > MAX_BASE64 || Math.max(width, height) <= most) continue;
      const inAll = isMany ? ` in a session with ${grouped(log.images)} images` : '';
      report(place, `the image has ${grouped(width)} x ${grouped(height)} pixels, more than ${grouped(most)}${inAll}`);
    }
  },
  fix: { records: describeImage },
});
