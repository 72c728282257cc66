// Prints what a KTX2 or DDS file holds, as other programs read it, as JSON: node read.cjs FOLDER FILE, where FOLDER is
// where package.json was installed.
const fs = require('fs');
const [folder, path] = process.argv.slice(2);
const installed = require('module').createRequire(folder + '/');

const bytes = fs.readFileSync(path);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

function hex(array) {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('hex');
}

function ktx2() {
  const { read, write } = installed('ktx-parse');
  const file = read(bytes);
  const is_rewritten_alike = Buffer.compare(bytes, write(file, { keepWriter: true })) === 0;
  for (const level of file.levels) {
    level.offset = level.levelData.byteOffset - bytes.byteOffset;
    level.data = hex(level.levelData);
    delete level.levelData;
  }
  return { ...file, is_rewritten_alike };
}

function dds() {
  const file = installed('parse-dds')(buffer);
  for (const image of file.images) image.data = hex(bytes.subarray(image.offset, image.offset + image.length));
  return file;
}

console.log(JSON.stringify(path.endsWith('.ktx2') ? ktx2() : dds()));
