// Columns: compressed byte planes in base64, the lowest plane first.
async function decode({ count, planes, base64 }) {
  const packed = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const octets = new Uint8Array(await new Response(stream).arrayBuffer());
  const values = new Float64Array(count);
  for (let plane = planes - 1; plane >= 0; plane--) {
    const from = plane * count;
    for (let at = 0; at < count; at++) values[at] = values[at] * 256 + octets[from + at];
  }
  return values;
}

async function decodeAll(columns) {
  const entries = Object.entries(columns).filter(([, one]) => one.base64 !== undefined);
  const values = await Promise.all(entries.map(([, one]) => decode(one)));
  return Object.fromEntries(entries.map(([name], at) => [name, values[at]]));
}
