// robocache: the live page: who is connected, what is wrong, and a row for each stream
//
// SPDX-License-Identifier: LGPL-2.1-or-later

const STRIP_S = 60, SIGNAL_S = 6, BIN_S = 0.25;
const RETRY_MS = 1000, CHART_MS = 100, SLOW_MS = 300;
const NONE = "–", LAST = 1000;

const find = (id) => document.getElementById(id);

// ---- data of a stream ----

/** The last seconds of pairs (time, value). */
class Series {
  constructor(seconds) {
    Object.assign(this, { seconds, times: [], values: [], begin: 0 });
  }

  push(time, value) {
    this.times.push(time);
    this.values.push(value);
    while (this.times[this.begin] < time - this.seconds) this.begin++;
    if (this.begin > 1000 && this.begin > this.times.length / 2) {
      this.times.splice(0, this.begin);
      this.values.splice(0, this.begin);
      this.begin = 0;
    }
  }

  /** [times relative to now, values] */
  since(now) {
    return [this.times.slice(this.begin).map((time) => time - now), this.values.slice(this.begin)];
  }
}

/** Counts [aligned, held, missing, rows] in bins of the last minute. */
class Bins {
  constructor() {
    this.bins = new Map();
  }

  count(time, kind) {
    const k = Math.floor(time / BIN_S);
    if (!this.bins.has(k)) {
      this.bins.set(k, [0, 0, 0, 0]);
      for (const old of this.bins.keys()) if (old < k - STRIP_S / BIN_S) this.bins.delete(old);
    }
    this.bins.get(k)[kind]++;
  }

  draw(strip, now) {
    const first = Math.floor((now - STRIP_S) / BIN_S), last = Math.floor(now / BIN_S);
    strip.draw(Array.from({ length: last - first + 1 }, (_, i) => this.bins.get(first + i) || [0, 0, 0, 0]), first * BIN_S - now, BIN_S);
  }
}

// ---- pictures ----

/** Reads a pixel of sensor_msgs/Image: [bytes a pixel, (data, at) => red, green, blue]. */
const ENCODINGS = {
  rgb8: [3, (d, i) => [d[i], d[i + 1], d[i + 2]]], bgr8: [3, (d, i) => [d[i + 2], d[i + 1], d[i]]],
  rgba8: [4, (d, i) => [d[i], d[i + 1], d[i + 2]]], bgra8: [4, (d, i) => [d[i + 2], d[i + 1], d[i]]],
  mono8: [1, (d, i) => [d[i], d[i], d[i]]], "8UC1": [1, (d, i) => [d[i], d[i], d[i]]],
  mono16: [2, (d, i) => [d[i + 1], d[i + 1], d[i + 1]]], "16UC1": [2, (d, i) => [d[i + 1] * 16, d[i + 1] * 16, d[i + 1] * 16]],
};
// the age must fit into it
const MIN_PICTURE_WIDTH = 200, MAX_PICTURE_HEIGHT = 1200, PICTURE_WIDTH = 320, MAX_FRAMES = 64;

/** What a message shows, as an Image or CompressedImage; null: nothing that can be seen. */
function pictureOf(message) {
  if (message.dims === undefined) return message;
  const dims = Array.from(message.dims, Number), [n, width, height] = dims.length === 2 ? [1, ...dims] : dims;
  const encoding = { 1: "mono8", 3: "rgb8", 4: "rgba8" }[n];
  if (message.dtype !== "uint8" || dims.length < 2 || dims.length > 3 || !encoding || width < 8 || height < 8) return null;
  return { width, height, encoding, step: n * width, data: message.data };
}

/** The newest picture, with its age drawn in. */
class Picture {
  constructor(parent) {
    this.canvas = add(parent, "canvas", { width: PICTURE_WIDTH, height: 240, role: "img", "aria-label": "Last aligned frame", "data-n": 0 });
    this.n = 0;
  }

  take(message, age) {
    this.waiting = { message, age };
  }

  async draw() {
    if (!this.waiting || this.isBusy) return;
    const { message, age } = this.waiting;
    this.waiting = null;
    this.isBusy = true;
    try {
      if (message.format !== undefined) await this.drawCompressed(message);
      else this.drawRaw(message);
      this.drawAge(age);
      this.canvas.setAttribute("data-n", ++this.n);
    } catch (error) {
      this.drawText(`the picture cannot be shown: ${error.message}`);
    } finally {
      this.isBusy = false;
    }
  }

  resize(width, height) {
    const fit = Math.max(Math.min(1, PICTURE_WIDTH / width), MIN_PICTURE_WIDTH / width), scale = Math.min(fit, MAX_PICTURE_HEIGHT / height);
    const w = Math.max(1, Math.round(width * scale)), h = Math.max(1, Math.round(height * scale));
    if (this.canvas.width !== w || this.canvas.height !== h) Object.assign(this.canvas, { width: w, height: h });
    return [w, h];
  }

  async drawCompressed(message) {
    const bitmap = await createImageBitmap(new Blob([message.data]));
    const [w, h] = this.resize(bitmap.width, bitmap.height);
    this.canvas.getContext("2d").drawImage(bitmap, 0, 0, w, h);
    bitmap.close();
  }

  drawRaw({ width, height, encoding, step, data }) {
    if (!ENCODINGS[encoding]) throw new Error(`encoding ${encoding}`);
    const [w, h] = this.resize(width, height), image = new ImageData(w, h), pixels = image.data, [size, read] = ENCODINGS[encoding];
    for (let y = 0, to = 0; y < h; y++) {
      const row = Math.floor((y * height) / h) * step;
      for (let x = 0; x < w; x++, to += 4) {
        const [red, green, blue] = read(data, row + Math.floor((x * width) / w) * size);
        pixels[to] = red;
        pixels[to + 1] = green;
        pixels[to + 2] = blue;
        pixels[to + 3] = 255;
      }
    }
    this.canvas.getContext("2d").putImageData(image, 0, 0);
  }

  drawAge(age) {
    if (age !== null) this.drawText(age < 0 ? `${durationText(-age)} after its tick` : `${durationText(age)} old at its tick`);
  }

  drawText(text) {
    const context = this.canvas.getContext("2d");
    context.font = "14px system-ui, sans-serif";
    context.fillStyle = "rgba(0, 0, 0, .6)";
    context.fillRect(0, 0, context.measureText(text).width + 12, 22);
    context.fillStyle = "#fff";
    context.fillText(text, 6, 16);
  }
}

// ---- a row of the page ----

const FIGURES = ["rate", "median age", "99 % age", "aligned", "held", "missing", "clock"];
const SHARES = ["aligned", "held", "missing"];

class Row {
  constructor(key, name, index) {
    Object.assign(this, { key, name, index, nBuffers: Infinity, counted: 0, frames: [], ageOfFrame: new Map() });
    Object.assign(this, { bins: new Bins(), ages: new Series(STRIP_S), after: new Series(SIGNAL_S), before: new Series(SIGNAL_S) });
    this.article = add(find("streams"), "article", { class: `accent-${index % 8}` });
    const heading = add(this.article, "h2");
    add(heading, "i");
    heading.append(name);
    this.article.style.order = LAST;
    this.list = add(this.article, "dl");
    this.figures = Object.fromEntries(FIGURES.map((label) => [label, addFigure(this.list, label, label === "rate" ? null : "of-ticks")]));
    this.losses = add(this.article, "p", { class: "losses soft" });
    const charts = add(this.article, "div", { class: "charts" });
    this.makeStrip(charts);
    this.ageFigure = this.makeFigure(charts, WORDS.age, WORDS.age_meaning);
    this.signalFigure = this.makeFigure(charts, WORDS.signal, "");
    this.signalFigure.hidden = true;
    new IntersectionObserver((entries) => (this.isVisible = entries[entries.length - 1].isIntersecting)).observe(this.article);
  }

  makeFigure(parent, heading, meaning) {
    const figure = add(parent, "figure"), title = add(figure, "h3", {}, `${heading} `);
    add(title, "span", {}, meaning);
    return figure;
  }

  makeStrip(charts) {
    const figure = this.makeFigure(charts, WORDS.status, ""), meaning = figure.querySelector("h3 span");
    add(meaning, "span", { class: "of-ticks" }, WORDS.status_meaning);
    add(meaning, "span", { class: "of-rows" }, "of its rows: when they came");
    this.strip = new StatusStrip(figure, STRIP_S);
    const key = add(figure, "div", { class: "key" });
    for (const word of [...SHARES, "rows"]) {
      const item = add(key, "span", { class: word === "rows" ? "of-rows" : "of-ticks" });
      add(item, "i", { class: word });
      item.append(word);
    }
  }

  // ---- input ----

  takeTick(time, stream, { header, tick }) {
    if (!this.isAligned) this.article.classList.add("fused");
    this.isAligned = true;
    this.origin = { stamp: header.stamp, tick };
    this.age = stream.before > -9e18 ? stream.age : null;
    this.bins.count(time, stream.status & 3); // 4: a frame is corrupted
    // the row after the tick was nearer: age 0, as in stats
    if (this.age === null) return;
    this.ages.push(time, Math.max(0, this.age));
    this.ageOfFrame.set(this.age < 0 ? stream.after : stream.before, this.age);
    if (this.ageOfFrame.size > MAX_FRAMES) this.ageOfFrame.delete(this.ageOfFrame.keys().next().value);
  }

  /** A message of its topic: what it was before alignment, or after. */
  takeNumbers(isAfter, time, message) {
    const value = this.select && listNumbers(message)[this.select.selectedIndex];
    if (value) (isAfter ? this.after : this.before).push(time, value[1]);
  }

  /** A picture of a sample, or one that ticks may use. */
  takePicture(isAfter, message) {
    const picture = pictureOf(message);
    if (!picture) return;
    if (!this.isAligned || isAfter) this.showPicture(picture, isAfter ? this.age : null);
    else this.frames.push({ picture, time: this.runningTime(message.header.stamp) });
    if (this.frames.length > MAX_FRAMES) this.frames.shift();
  }

  /** Of a stamp, exactly. */
  runningTime({ sec, nanosec }) {
    return (sec - this.origin.stamp.sec) * 1e9 + (nanosec - this.origin.stamp.nanosec) + this.origin.tick;
  }

  showPicture(picture, age) {
    this.picture = this.picture || new Picture(this.signalFigure);
    this.signalFigure.hidden = false;
    this.signalFigure.querySelector("h3").textContent = this.isAligned ? "Last aligned frame" : "Last frame";
    this.picture.take(picture, age ?? null);
  }

  /** The newest frame that a tick has used. */
  chooseFrame() {
    for (let i = this.frames.length - 1; i >= 0; i--) {
      const age = this.ageOfFrame.get(this.frames[i].time);
      if (age === undefined) continue;
      this.showPicture(this.frames[i].picture, age);
      this.frames.splice(0, i + 1);
      return;
    }
  }

  clearSignal() {
    Object.assign(this, { before: new Series(SIGNAL_S), after: new Series(SIGNAL_S), frames: [] });
  }

  /** Updates the names of channels. A change clears the chart. */
  takeNames(message) {
    if (!this.select) this.makeSelect();
    const names = listNumbers(message).map(([name]) => name), chosen = this.select.value;
    if (names.join() === [...this.select.options].map((option) => option.value).join()) return;
    this.select.replaceChildren();
    for (const name of names) add(this.select, "option", {}, name);
    if (names.includes(chosen)) this.select.value = chosen;
    this.clearSignal();
  }

  makeSelect() {
    this.signalFigure.hidden = false;
    this.select = add(this.signalFigure.querySelector("h3 span"), "select", { "aria-label": `channel of ${this.name}` });
    this.select.addEventListener("change", () => this.clearSignal());
    this.signal = new SignalChart(this.signalFigure, SIGNAL_S);
    const key = add(this.signalFigure, "div", { class: "key" });
    for (const [style, words] of [["rows", WORDS.before], ["aligned", WORDS.after]]) {
      const item = add(key, "span", { class: style === "rows" ? null : "of-ticks" });
      add(item, "i", { class: style });
      item.append(words);
    }
  }

  // ---- output ----

  draw(now) {
    if (!this.isVisible) return;
    this.bins.draw(this.strip, now);
    this.chooseFrame();
    if (this.signal) this.signal.draw(this.before.since(now), this.after.since(now));
  }

  drawSlowly(now) {
    const [times, values] = this.ages.since(now), ages = values.filter((_, i) => times[i] >= -STRIP_S).sort((a, b) => a - b);
    this.ageFigure.hidden = !this.isAligned;
    if (ages.length > 0 && this.isVisible) (this.histogram = this.histogram || new AgeHistogram(this.ageFigure)).draw(ages);
  }

  /** status: of the stream, in streams of /robocache/status, or of an output. */
  showStatus(status) {
    const { recent } = status, ticks = SHARES.reduce((sum, name) => sum + (recent[name] || 0), 0);
    const duration = (ms) => (typeof ms === "number" ? durationText(ms * 1e6) : NONE);
    this.figures.rate.textContent = numberText(recent.rate) + NARROW_SPACE + "Hz";
    this.figures["median age"].textContent = duration(recent.age_p50_ms);
    this.figures["99 % age"].textContent = duration(recent.age_p99_ms);
    for (const name of SHARES) this.figures[name].textContent = ticks > 0 ? percentText(recent[name], ticks) : NONE;
    this.figures.clock.textContent = typeof status.clock_offset === "number" ? this.clockText(status) : NONE;
    this.showLosses(status);
  }

  /** Not all messages come here. */
  countBuffers(n, now) {
    for (let time = Math.max(this.counted, now - 1); n > this.nBuffers && time < now; time += BIN_S / 2) this.bins.count(time, 3);
    Object.assign(this, { nBuffers: n, counted: now });
  }

  clockText({ clock_offset: offset, clock_uncertainty: uncertainty }) {
    return durationText(offset) + (typeof uncertainty === "number" ? ` ±${NARROW_SPACE}${durationText(uncertainty)}` : "");
  }

  showLosses(status) {
    const isLoss = (name) => name === "rows_late" || name === "rows_duplicate" || name.startsWith("rows_dropped_");
    const losses = Object.entries(status).filter(([name, n]) => isLoss(name) && n > 0);
    const text = losses.map(([name, n]) => `${countText(n)} ${name.replace("rows_", "").replace("dropped_", "dropped: ").replace(/_/g, " ")}`);
    this.losses.textContent = losses.length > 0 ? `Rows lost: ${text.join(", ")}` : status.rows_in > 0 ? `${countText(status.rows_in)} rows in, none lost` : "";
  }
}

function addFigure(list, label, style = null) {
  const item = add(list, "div", { class: style });
  add(item, "dt", {}, label);
  return add(item, "dd", {}, NONE);
}

// ---- the ticks of a fuse ----

const TICK_FIGURES = ["ticks", "tick rate", "ticks dropped", "median lag", "99 % lag"];

class Ticks {
  /** prefix: of what is shown; order: among several. */
  constructor(prefix, order) {
    const figure = add(find("ticks"), "figure"), title = add(figure, "h3", {}, `${prefix}${WORDS.lag} `);
    add(title, "span", {}, WORDS.lag_meaning);
    this.list = document.createElement("dl");
    this.figures = Object.fromEntries(TICK_FIGURES.map((label) => [label, addFigure(this.list, prefix + label)]));
    find("figures").insertBefore(this.list, find("figures").lastElementChild);
    this.list.style.order = figure.style.order = order;
    this.lag = new LagChart(figure, STRIP_S);
    this.lags = new Series(STRIP_S);
    this.figure = figure;
  }

  remove() {
    this.figure.remove();
    this.list.remove();
  }

  show({ recent, ticks_out: out, ticks_dropped: dropped }) {
    const duration = (ms) => (ms === null ? NONE : durationText(ms * 1e6));
    this.figures.ticks.textContent = countText(out);
    this.figures["tick rate"].textContent = numberText(recent.rate) + NARROW_SPACE + "Hz";
    this.figures["ticks dropped"].textContent = countText(dropped);
    this.figures["median lag"].textContent = duration(recent.lag_p50_ms);
    this.figures["99 % lag"].textContent = duration(recent.lag_p99_ms);
  }
}

// ---- the page ----

class Page {
  constructor() {
    Object.assign(this, { rows: new Map(), ticks: new Map(), clock: null });
    const list = add(find("figures"), "dl");
    list.style.order = LAST;
    this.lost = addFigure(list, "lost by this page");
    this.lastChart = this.lastSlow = 0;
    requestAnimationFrame((now) => this.draw(now));
  }

  /** The robot's time: it goes on while nothing comes. */
  now() {
    return this.clock ? this.clock.time + Math.max(0, performance.now() / 1000 - this.clock.at) : 0;
  }

  takeTime(time) {
    if (!this.clock || time > this.now() || time < this.now() - 1) this.clock = { time, at: performance.now() / 1000 };
  }

  removeRow({ key, article }) {
    article.remove();
    this.rows.delete(key);
  }

  row(key, name) {
    if (!this.rows.has(key)) this.rows.set(key, new Row(key, name, this.rows.size));
    return this.rows.get(key);
  }

  /** The element that makes the samples of a topic. */
  fuseOf(topic) {
    const { fuses, outputs } = this.status;
    return fuses.length === 1 ? fuses[0].name : (outputs.find((output) => output.topic === topic)?.fuse ?? topic);
  }

  /** What names of a fuse begin with, where there are several. */
  prefixOf(fuse) {
    return this.status.fuses.length > 1 ? `${fuse}: ` : "";
  }

  orderOf(fuse) {
    return this.status.fuses.findIndex(({ name }) => name === fuse);
  }

  ticksOf(fuse) {
    if (!this.ticks.has(fuse)) this.ticks.set(fuse, new Ticks(this.prefixOf(fuse), this.orderOf(fuse)));
    return this.ticks.get(fuse);
  }

  /** topic: of the samples. */
  takeTick(topic, message) {
    if (!this.status) return;
    const time = secondsOf(message.header.stamp), fuse = this.fuseOf(topic);
    // of a window, the newest tick
    for (const stream of message.streams.slice(-message.streams.length / message.window)) {
      const row = this.row(`${topic}/${stream.name}`, this.prefixOf(fuse) + stream.name);
      if (row.fuse !== fuse) Object.assign(row, { fuse, stream: stream.name }).article.style.order = this.orderOf(fuse);
      row.takeTick(time, stream, message);
    }
    if (message.decided > -9e18) this.ticks.get(fuse)?.lags.push(time, message.decided - message.tick);
    find("ticks").hidden = false;
  }

  takeStatus(status) {
    this.status = status;
    for (const { topic, buffers_in: n } of status.outputs) {
      const row = this.rows.get(topic);
      if (row && !row.isAligned) row.countBuffers(n, this.now());
    }
  }

  showStatus() {
    const { status } = this, isOf = (row) => ({ fuse, name, stream }) => fuse === row.fuse && (stream ?? name) === row.stream;
    showVerdict(status);
    for (const [fuse, ticks] of this.ticks) {
      if (status.fuses.some(({ name }) => name === fuse)) continue;
      ticks.remove();
      this.ticks.delete(fuse);
    }
    for (const fuse of status.fuses) this.ticksOf(fuse.name).show(fuse);
    for (const row of this.rows.values()) {
      const own = row.isAligned ? status.streams.find(isOf(row)) : status.outputs.find((output) => output.topic === row.key);
      if (own) row.showStatus(own);
      row.article.classList.toggle("faulty", status.findings.some(isOf(row)));
    }
    find("record").hidden = !status.session;
    find("session").textContent = status.session || "";
  }

  takeConnection(connection) {
    this.lost.textContent = countText(connection.dropped);
  }

  draw(at) {
    requestAnimationFrame((next) => this.draw(next));
    for (const row of this.rows.values()) if (row.picture && row.isVisible) row.picture.draw();
    if (at - this.lastChart < CHART_MS) return;
    this.lastChart = at;
    const now = this.now();
    for (const row of this.rows.values()) row.draw(now);
    if (at - this.lastSlow < SLOW_MS) return;
    this.lastSlow = at;
    for (const row of this.rows.values()) row.drawSlowly(now);
    for (const { lag, lags } of this.ticks.values()) lag.draw(...lags.since(now));
    if (this.status) this.showStatus();
  }
}

/** What is wrong comes first: errors, which have ended something, then what can be mended. */
function showVerdict({ findings, warnings, streams }) {
  const messages = warnings.map(({ level, source, text }) => [level, `${source}: ${text}`]).reverse(), of = (wanted) => messages.filter(([level]) => level === wanted);
  const texts = [...of("error"), ...findings.map(({ text }) => ["warning", text]), ...of("warning")];
  const verdict = find("verdict"), key = JSON.stringify(texts);
  if (verdict.dataset.key === key) return;
  verdict.dataset.key = key;
  verdict.replaceChildren();
  if (texts.length > 0) {
    const list = add(verdict, "ul", { class: "verdict" });
    for (const [level, text] of texts) add(list, "li", { class: level }, text);
  } else if (streams.length > 0) {
    add(verdict, "p", { class: "verdict" }, WORDS.all_well);
  }
}
