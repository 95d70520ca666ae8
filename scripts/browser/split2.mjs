// Splits whole lines, which is all that is asked of split2 where there are no streams of Node.
export default function split2(separator, take) {
  return {
    write(text) {
      for (const line of text.split(separator).slice(0, -1)) take(line);
    },
  };
}
