// robocache: charts of live data, as those of a report: the same classes of the style sheet, marks and axes
//
// SPDX-License-Identifier: LGPL-2.1-or-later

const SVG = "http://www.w3.org/2000/svg";
const MINUS = "\u2212", NARROW_SPACE = "\u202f";

/** Adds an element to a parent. Attributes that are null are left out. */
function add(parent, name, attributes = {}, text = null) {
  const isSvg = name === "svg" || parent.namespaceURI === SVG;
  const item = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) item.setAttribute(key, value);
  if (text !== null) item.textContent = text;
  parent.append(item);
  return item;
}

// ---- numbers with their units ----

/** With three significant digits, as printf("%.3g") has them; whole from 100 on. */
function numberText(number) {
  const size = Math.abs(number), sign = number < 0 ? MINUS : "", [digits, power] = size.toExponential(2).split("e");
  if (size > 0 && (size >= 1e6 || power < -4)) return `${sign}${Number(digits)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  return sign + (size >= 100 ? size.toFixed(0) : String(Number(size.toPrecision(3))));
}

const UNITS = [[3 * 3600e9, 3600e9, "h"], [180e9, 60e9, "min"], [1e9, 1e9, "s"], [1e6, 1e6, "ms"], [1e3, 1e3, "µs"], [0, 1, "ns"]];
const unitOf = (ns) => UNITS.find(([from]) => Math.abs(ns) >= from);

function durationText(ns) {
  const [, unit, name] = unitOf(ns);
  return numberText(ns / unit) + NARROW_SPACE + (ns === 0 ? "ms" : name);
}

function countText(n) {
  return n < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
}

// 100 % are all, and 0 % none.
function percentText(n, of) {
  const percent = of > 0 ? (100 * n) / of : 0;
  if (n > 0 && percent < 0.1) return `< 0.1${NARROW_SPACE}%`;
  if (n < of && percent > 99.9) return `> 99.9${NARROW_SPACE}%`;
  return percent.toFixed(n === 0 || n === of ? 0 : 1) + NARROW_SPACE + "%";
}

// ---- a plot: its area, its axes ----

/** 1, 2 or 5 times a power of ten, of which about n fit into the span. */
function findStep(span, n) {
  const least = span / n, power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least * 0.999) || 10);
}

/** About n round values, and the decimals that they need. The number of values is bounded against steps that are lost in a double. */
function findTicks(from, to, n) {
  if (!(to > from) || !Number.isFinite(to - from)) return { decimals: 0, values: [] };
  const step = findStep(to - from, n), first = Math.ceil(from / step - 1e-6), last = Math.floor(to / step + 1e-6);
  const length = Math.max(0, Math.min(last - first + 1, 2 * n + 2));
  return { decimals: Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))), values: Array.from({ length }, (_, i) => (first + i) * step) };
}

/** A picture in SVG of width x height with a plot in it: margins are left, top, right, bottom. */
class Plot {
  constructor(parent, label, width, height, [left, top, right, bottom]) {
    this.svg = add(parent, "svg", { role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}`, "data-n": 0 });
    Object.assign(this, { left, top, width: width - left - right, height: height - top - bottom, x0: 0, x1: 1, y0: 0, y1: 1 });
    this.axes = add(this.svg, "g");
    this.paths = {};
  }

  x(value) {
    return this.left + (this.width * (value - this.x0)) / (this.x1 - this.x0 || 1);
  }

  y(value) {
    return this.top + this.height * (1 - (value - this.y0) / (this.y1 - this.y0 || 1));
  }

  /** Extends y0 and y1 to round numbers; if they are equal, to both sides. */
  roundY() {
    const least = Math.abs(this.y0) * 1e-3 || 1;
    if (!(this.y1 - this.y0 > 2e-9 * least)) {
      this.y0 -= least;
      this.y1 += least;
    }
    if (!Number.isFinite(this.y1 - this.y0)) return;
    const step = findStep(this.y1 - this.y0, 6);
    this.y0 = Math.floor(this.y0 / step) * step;
    this.y1 = Math.ceil(this.y1 / step) * step;
  }

  /** Draws the axes anew, unless they are those that are drawn. */
  drawAxes(key, draw) {
    if (this.axesKey === key) return;
    this.axesKey = key;
    this.axes.replaceChildren();
    draw();
  }

  line(style, x1, y1, x2, y2) {
    add(this.axes, "line", { class: style, x1, y1, x2, y2 });
  }

  text(style, x, y, text) {
    return add(this.axes, "text", { class: style, x: x.toFixed(1), y: y.toFixed(1) }, text);
  }

  /** Lines at about n round values, with numbers left of the area. */
  yAxis(n, unit = 1) {
    const { decimals, values } = findTicks(this.y0 / unit, this.y1 / unit, n);
    for (const value of values) {
      const y = this.y(value * unit);
      this.line("grid", this.left, y, this.left + this.width, y);
      this.text("y", this.left - 6, y + 4, Math.abs(value) >= 1e6 ? numberText(value) : value.toFixed(decimals).replace(/^-/, MINUS));
    }
  }

  /** Ticks below the area at about n round values; unitName follows the last number. */
  xAxis(n, unit, unitName) {
    const bottom = this.top + this.height, { decimals, values } = findTicks(this.x0 / unit, this.x1 / unit, n);
    this.line("axis", this.left, bottom, this.left + this.width, bottom);
    values.forEach((value, i) => {
      const x = this.x(value * unit), number = value.toFixed(decimals).replace(/^-/, MINUS);
      this.line("axis", x, bottom, x, bottom + 4);
      const style = x > this.left + this.width - 12 ? "end" : x < this.left + 4 ? "start" : "x";
      this.text(style, x, bottom + 17, i === values.length - 1 ? number + NARROW_SPACE + unitName : number);
    });
  }

  /** The data of a path with this style; n: the amount of data that the picture shows. */
  path(style, data, n) {
    this.paths[style] = this.paths[style] || add(this.svg, "path", { class: style });
    this.paths[style].setAttribute("d", data);
    this.svg.setAttribute("data-n", n);
  }
}

// ---- marks ----

const rect = (x, y, width, height) => `M${x.toFixed(1)} ${y.toFixed(2)}h${width.toFixed(1)}v${height.toFixed(2)}h${(-width).toFixed(1)}z`;

/** The data of a line through points [x, y], interrupted where x grows by more than reach. */
function lineData(plot, points, reach) {
  let data = "", before = -Infinity;
  for (const [x, y] of points) {
    data += `${x - before > reach ? "M" : "L"}${plot.x(x).toFixed(1)} ${plot.y(y).toFixed(1)}`;
    before = x;
  }
  return data;
}

/** Points [x, low, high] of about n columns. */
function toColumns(xs, ys, x0, x1, n) {
  const columns = [];
  let last = -1;
  for (let i = 0; i < xs.length; i++) {
    const k = Math.floor(((xs[i] - x0) / (x1 - x0)) * n);
    if (k < 0 || !Number.isFinite(ys[i])) continue;
    if (k !== last) columns.push([xs[i], ys[i], ys[i]]);
    const column = columns[columns.length - 1];
    column[1] = Math.min(column[1], ys[i]);
    column[2] = Math.max(column[2], ys[i]);
    last = k;
  }
  return columns;
}

/** The data of the area between low and high of points [x, low, high]. */
function bandData(plot, points) {
  const point = (x, y) => `${plot.x(x).toFixed(1)} ${plot.y(y).toFixed(1)}`;
  if (points.length === 0) return "";
  const tops = points.slice().reverse().map(([x, , high]) => point(x, high));
  return `M${points.map(([x, low]) => point(x, low)).concat(tops).join("L")}Z`;
}

// ---- the charts of the page ----

const STATUS_STYLES = ["aligned", "held", "missing", "rows"];

/** Status of the ticks of a stream over the last seconds. bins: [aligned, held, missing, rows] of each. */
class StatusStrip {
  constructor(parent, seconds) {
    this.plot = new Plot(parent, "Status of the ticks over time", 480, 40, [0, 2, 0, 20]);
    this.plot.x0 = -seconds;
    this.plot.x1 = 0;
    this.plot.drawAxes("time", () => this.plot.xAxis(6, 1, "s"));
  }

  /** bins[0] begins at x = first. */
  draw(bins, first, width) {
    const paths = STATUS_STYLES.map(() => "");
    let n = 0;
    for (let i = 0, end; i < bins.length; i = end) {
      const all = bins[i].reduce((sum, one) => sum + one, 0), shares = bins[i].map((one) => (all > 0 ? one / all : 0));
      for (end = i; end < bins.length && this.looksSame(bins[end], shares); end++) n += bins[end].reduce((sum, one) => sum + one, 0);
      const left = this.plot.x(Math.max(first + i * width, this.plot.x0)), right = this.plot.x(Math.min(first + end * width, 0));
      let bottom = this.plot.top + this.plot.height;
      shares.forEach((share, kind) => {
        bottom -= share * this.plot.height;
        if (share > 0 && right > left) paths[kind] += rect(left, bottom, right - left, share * this.plot.height);
      });
    }
    paths.forEach((data, kind) => this.plot.path(STATUS_STYLES[kind], data, n));
  }

  looksSame(bin, shares) {
    const all = bin.reduce((sum, one) => sum + one, 0);
    return bin.every((one, kind) => Math.abs((all > 0 ? one / all : 0) - shares[kind]) < 1e-6);
  }
}

const N_BARS = 40;

/** The distribution of durations, in per cent. */
class AgeHistogram {
  constructor(parent) {
    this.plot = new Plot(parent, "Age", 304, 128, [34, 6, 6, 22]);
  }

  /** ages: ns, sorted. */
  draw(ages) {
    const { plot } = this, high = ages[Math.floor((ages.length - 1) * 0.99)], bars = new Array(N_BARS).fill(0);
    plot.x1 = Math.max(high * 1.2, 1000);
    // a range that breathes cannot be read
    plot.x1 = Math.ceil(plot.x1 / findStep(plot.x1, 4)) * findStep(plot.x1, 4);
    for (const age of ages) if (age <= plot.x1) bars[Math.min(N_BARS - 1, Math.floor((age / plot.x1) * N_BARS))] += 100 / ages.length;
    plot.y0 = 0;
    plot.y1 = Math.max(...bars, 1);
    plot.roundY();
    const [, unit, name] = unitOf(plot.x1);
    plot.drawAxes(`${plot.x1} ${plot.y1}`, () => {
      plot.yAxis(4);
      plot.xAxis(5, unit, name);
    });
    const width = plot.width / N_BARS, bottom = plot.top + plot.height;
    const marks = bars.map((bar, i) => (bar > 0 ? rect(plot.left + i * width + 0.5, plot.y(bar), width - 1, bottom - plot.y(bar)) : ""));
    plot.path("bar", marks.join(""), ages.length);
  }
}

/** A channel before and after alignment, over the last seconds. */
class SignalChart {
  constructor(parent, seconds) {
    this.plot = new Plot(parent, "Signal", 352, 128, [44, 6, 6, 22]);
    this.plot.x0 = -seconds;
    this.plot.x1 = 0;
  }

  /** Each: [times relative to now, values]. */
  draw(before, after) {
    const { plot } = this, columns = toColumns(...before, plot.x0, 0, 300), ticks = toColumns(...after, plot.x0, 0, 300);
    const lows = columns.concat(ticks);
    if (lows.length === 0) return;
    plot.y0 = Math.min(...lows.map((point) => point[1]));
    plot.y1 = Math.max(...lows.map((point) => point[2]));
    plot.roundY();
    plot.drawAxes(`${plot.y0} ${plot.y1}`, () => {
      plot.yAxis(3);
      plot.xAxis(5, 1, "s");
    });
    plot.path("before", bandData(plot, columns), lows.length);
    plot.path("line", lineData(plot, ticks.map(([x, low]) => [x, low]), 0.25), lows.length);
  }
}

/** Delays of ticks over the last seconds. */
class LagChart {
  constructor(parent, seconds) {
    this.plot = new Plot(parent, "Lag", window.innerWidth > 720 ? 960 : 400, 138, [56, 6, 12, 22]);
    this.plot.x0 = -seconds;
    this.plot.x1 = 0;
  }

  /** times relative to now, lags in ns. */
  draw(times, lags) {
    const { plot } = this, columns = toColumns(times, lags, plot.x0, 0, 300);
    if (columns.length === 0) return;
    // rows that are ahead of the clock make ticks leave early
    const low = Math.min(0, ...columns.map((point) => point[1])), high = Math.max(0, ...columns.map((point) => point[2]));
    const [, unit, name] = unitOf(Math.max(high, -low, 1e5));
    plot.y0 = low / unit;
    plot.y1 = high / unit;
    plot.roundY();
    plot.y0 *= unit;
    plot.y1 *= unit;
    plot.drawAxes(`${plot.y0} ${plot.y1}`, () => {
      plot.yAxis(5, unit);
      plot.xAxis(6, 1, "s");
      plot.text("unit", plot.left + 4, 17, name);
    });
    plot.path("area", bandData(plot, columns), lags.length);
    plot.path("line", lineData(plot, columns.map(([x, low, high]) => [x, (low + high) / 2]), 1), lags.length);
  }
}
