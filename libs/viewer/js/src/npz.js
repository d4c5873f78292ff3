// Reads the arrays of a NumPy .npz file that was written without compression, as `numpy.savez` does.

const LOCAL_FILE = 0x04034b50;
const CENTRAL_FOLDER = 0x02014b50;
const END_OF_FOLDER = 0x06054b50;

/** Return the arrays of the file by name: `{shape, values}`, where values are numbers or, for labels, strings. */
export function readNpz(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const arrays = {};
  for (const entry of entriesOf(view)) {
    if (entry.method !== 0) throw new Error(`${entry.name} is compressed; write the file with numpy.savez`);
    const start = entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
    arrays[entry.name.replace(/\.npy$/, "")] = readNpy(bytes.subarray(start, start + entry.size));
  }
  return arrays;
}

function entriesOf(view) {
  let end = view.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== END_OF_FOLDER) end -= 1;
  if (end < 0) throw new Error("the trajectory is not an .npz file");
  const entries = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (view.getUint32(at, true) !== CENTRAL_FOLDER) throw new Error("the .npz file has a broken folder");
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength));
    const offset = view.getUint32(at + 42, true);
    if (view.getUint32(offset, true) !== LOCAL_FILE) throw new Error(`the .npz file lacks ${name}`);
    entries.push({ name, offset, method: view.getUint16(at + 10, true), size: view.getUint32(at + 24, true) });
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function readNpy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isFirstVersion = bytes[6] === 1;
  const length = isFirstVersion ? view.getUint16(8, true) : view.getUint32(8, true);
  const start = isFirstVersion ? 10 : 12;
  const header = new TextDecoder("latin1").decode(bytes.subarray(start, start + length));
  const type = /'descr': '([^']+)'/.exec(header)[1];
  if (/'fortran_order': True/.test(header)) throw new Error("arrays must be in C order");
  const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(",").filter((each) => each.trim()).map(Number);
  const data = bytes.slice(start + length);
  return { shape, values: valuesOf(data, type, shape.reduce((all, each) => all * each, 1)) };
}

function valuesOf(data, type, count) {
  if (type === "<f8") return new Float64Array(data.buffer, 0, count);
  if (type === "<f4") return new Float32Array(data.buffer, 0, count);
  if (type === "|b1" || type === "|u1") return data.subarray(0, count);
  if (type.startsWith("<U")) return stringsOf(new Uint32Array(data.buffer), Number(type.slice(2)), count);
  throw new Error(`arrays of type ${type} are not read`);
}

function stringsOf(codes, width, count) {
  const strings = [];
  for (let index = 0; index < count; index += 1) {
    const own = Array.from(codes.subarray(index * width, (index + 1) * width)).filter((code) => code);
    strings.push(String.fromCodePoint(...own));
  }
  return strings;
}
