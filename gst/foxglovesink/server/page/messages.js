// robocache: messages of the server: CDR by the definitions that it advertises
//
// SPDX-License-Identifier: LGPL-2.1-or-later

const NUMBERS = {
  bool: ["getUint8", 1], byte: ["getUint8", 1], char: ["getUint8", 1], uint8: ["getUint8", 1, Uint8Array], int8: ["getInt8", 1, Int8Array],
  uint16: ["getUint16", 2, Uint16Array], int16: ["getInt16", 2, Int16Array], uint32: ["getUint32", 4, Uint32Array],
  int32: ["getInt32", 4, Int32Array], uint64: ["getBigUint64", 8, BigUint64Array], int64: ["getBigInt64", 8, BigInt64Array],
  float32: ["getFloat32", 4, Float32Array], float64: ["getFloat64", 8, Float64Array],
};

const TEXT = new TextDecoder();

// "std_msgs/msg/Header" and "std_msgs/Header" are one type.
const typeName = (name) => name.replace("/msg/", "/");

/** The fields of each type in a definition in ros2msg: {"": fields of the message, "std_msgs/Header": …}. */
function parseDefinition(text) {
  const types = {};
  text.split(/^=+$/m).forEach((part, i) => {
    const lines = part.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter((line) => line);
    const name = i > 0 ? typeName(lines.shift().replace("MSG:", "").trim()) : "";
    types[name] = [];
    for (const line of lines) {
      const found = line.match(/^([\w/]+)(<=\d+)?(\[(<=)?(\d*)\])?\s+(\w+)(\s*=.*)?/);
      if (found && !found[7])
        types[name].push({ name: found[6], type: found[1], isArray: !!found[3], length: found[3] && !found[4] ? Number(found[5]) : 0 });
    }
  });
  return types;
}

/** Reads the fields of messages of one type. */
class Decoder {
  constructor(definition) {
    this.types = parseDefinition(definition);
    // names are relative to the package of the type, or are those of Header
    this.find = (type) => this.types[typeName(type)] || Object.entries(this.types).find(([name]) => name.endsWith(`/${type}`))?.[1];
  }

  /** Up to the field `last`. Strings are skipped, and null, unless withStrings is set. Integers of 64 bits become numbers. */
  read(buffer, offset, { last = null, withStrings = true } = {}) {
    this.view = new DataView(buffer, offset + 4);
    this.little = new Uint8Array(buffer, offset, 2)[1] === 1;
    this.at = 0;
    this.withStrings = withStrings;
    return this.readFields(this.types[""], last);
  }

  align(size) {
    this.at = Math.ceil(this.at / size) * size;
  }

  readNumber(type) {
    const [get, size] = NUMBERS[type];
    this.align(size);
    const value = Number(this.view[get](this.at, this.little));
    this.at += size;
    return value;
  }

  readString() {
    const size = this.readNumber("uint32"), start = this.at;
    this.at += size;
    if (!this.withStrings) return null;
    return TEXT.decode(new Uint8Array(this.view.buffer, this.view.byteOffset + start, Math.max(size - 1, 0)));
  }

  readArray(field) {
    const n = field.length || this.readNumber("uint32"), number = NUMBERS[field.type];
    if (!number || !number[2] || !this.little) return Array.from({ length: n }, () => this.readValue(field.type));
    if (n > 0) this.align(number[1]);
    const start = this.view.byteOffset + this.at;
    this.at += n * number[1];
    // bytes are not copied: they are pictures
    return number[1] === 1 ? new number[2](this.view.buffer, start, n) : new number[2](this.view.buffer.slice(start, start + n * number[1]));
  }

  readValue(type) {
    if (type === "string") return this.readString();
    return NUMBERS[type] ? this.readNumber(type) : this.readFields(this.find(type), null);
  }

  readFields(fields, last) {
    const value = {};
    for (const field of fields) {
      value[field.name] = field.isArray ? this.readArray(field) : this.readValue(field.type);
      if (field.name === last) break;
    }
    return value;
  }
}

const secondsOf = (stamp) => stamp.sec + stamp.nanosec / 1e9;

const NO_CHANNELS = ["header", "stamp", "status", "duration", "times"];

/** The numbers of a message as [[name, value]]. Rows and joints have names of their own. */
function listNumbers(message) {
  const found = [], names = message.names || message.name || [];
  const nameOf = (key, i) => (key.startsWith("values_") ? names[i] || `${i}` : `${names[i] || i}.${key}`);
  const list = (value, path) => {
    for (const [key, item] of Object.entries(value)) {
      const name = path ? `${path}.${key}` : key;
      if (NO_CHANNELS.includes(key) || key.endsWith("covariance")) continue;
      if (typeof item === "number") found.push([name, item]);
      else if (ArrayBuffer.isView(item)) item.forEach((number, i) => found.push([nameOf(key, i), Number(number)]));
      else if (item && typeof item === "object" && !Array.isArray(item)) list(item, name);
    }
  };
  list(message, "");
  return found;
}
