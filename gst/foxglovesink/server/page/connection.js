// robocache: the connection of the page: topics, subscriptions, marks of episodes
//
// SPDX-License-Identifier: LGPL-2.1-or-later

const MESSAGE = 1, HEADER = 13;
const STATUS = "/robocache/status", CONNECTION = "/robocache/connection", TICK = "robocache_msgs/msg/Tick";
// types of pictures, the best one last
const PICTURES = ["robocache_msgs/msg/Tensor", "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"];
// others whose data are not numbers of channels
const OPAQUE = /^uint8\[\] data\b|^geometry_msgs\/TransformStamped\[\]/m;
// pictures are fetched one by one: a camera would fill the network
const PICTURE_MS = 150, ROW_MS = 16;
// strings cost more than numbers, and names seldom change
const NAMES_MS = 1000;

class Connection {
  constructor(page) {
    Object.assign(this, { page, token: new URLSearchParams(location.hash.slice(1)).get("token") });
    this.open();
  }

  open() {
    this.channels = new Map();
    this.subscribed = new Map();
    this.socket = new WebSocket(`ws://${location.host}/`, ["foxglove.sdk.v1"]);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.showState("open", `connected to ${location.host}`);
    this.socket.onclose = ({ reason }) => this.close(reason);
    this.socket.onmessage = ({ data }) => (typeof data === "string" ? this.takeText(JSON.parse(data)) : this.takeMessage(data));
  }

  close(reason) {
    if (reason === "the token is wrong") {
      this.showState("lost", "the token in the address is wrong: open the page with the token of this run, or without one");
      return;
    }
    this.showState("lost", "no connection: the robot's program has ended, or the network is down. This is the last that was seen");
    setTimeout(() => this.open(), RETRY_MS);
  }

  showState(style, text) {
    find("state").className = style;
    find("state").textContent = text;
    for (const row of this.page.rows.values()) row.article.classList.toggle("old", style === "lost");
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // ---- topics ----

  takeText(message) {
    if (message.op === "advertise") message.channels.forEach((channel) => this.channels.set(channel.id, channel));
    if (message.op === "unadvertise") message.channelIds.forEach((id) => this.channels.delete(id) && this.subscribed.delete(id));
    const isAlwaysRead = ({ topic, schemaName }) => topic === STATUS || topic === CONNECTION || schemaName === TICK;
    if (message.op === "advertise") this.subscribe([...this.channels.values()].filter(isAlwaysRead));
    if (message.op === "status") find("answer").textContent = message.level > 0 ? message.message : "";
    if (message.op === "serverInfo" && this.token) this.send({ op: "robocacheToken", token: this.token });
    this.chooseTopics();
  }

  /** Rows at the rate of a display, which is all that the page can show. */
  wish(channel) {
    const isRows = channel.encoding === "cdr" && channel.schemaName !== TICK;
    return { id: channel.id, channelId: channel.id, ...(isRows ? { robocacheIntervalMs: ROW_MS } : {}) };
  }

  subscribe(channels) {
    const added = channels.filter((channel) => !this.subscribed.has(channel.id));
    const withDecoder = (channel) => ({ ...channel, decoder: channel.encoding === "cdr" ? new Decoder(channel.schema) : null });
    for (const channel of added) this.subscribed.set(channel.id, withDecoder(channel));
    if (added.length > 0) this.send({ op: "subscribe", subscriptions: added.map((channel) => this.wish(channel)) });
  }

  /**
   * Each stream of ticks has the topics of its rows before and after alignment. A topic of the pipeline that is neither has a row of its own.
   * Of a camera, compressed pictures are read where there are any: they carry the times of capture that ticks name.
   */
  chooseTopics() {
    if (!this.page.status) return;
    for (const channel of this.channels.values()) {
      if (channel.encoding !== "cdr" || channel.schemaName === TICK || this.subscribed.has(channel.id)) continue;
      const after = this.rowAfter(channel), row = after || this.rowBefore(channel), rank = PICTURES.indexOf(channel.schemaName);
      if (!row || (rank < 0 ? OPAQUE.test(channel.schema) : this.hasBetterPicture(rank, row))) continue;
      this.subscribe([channel]);
      Object.assign(this.subscribed.get(channel.id), { row, isAfter: row === after });
    }
  }

  rowAfter(channel) {
    const row = this.page.rows.get(channel.topic);
    return row && row.isAligned ? row : null;
  }

  /**
   * The row of a topic that no fuse has made: the one with its name, or one of its own. Streams of several fuses with one name have topics that
   * end with FUSE/NAME.
   */
  rowBefore(channel) {
    const topic = channel.topic.replace(/\/compressed$/, ""), parts = topic.split("/"), name = parts.pop(), fuse = parts.pop();
    const hasTicks = [...this.channels.values()].some((other) => other.schemaName === TICK), { status, rows } = this.page;
    if (!status || !status.outputs.some((output) => output.topic === topic && output.kind !== "samples")) return null;
    const found = [...rows.values()].filter((row) => row.isAligned && row.stream === name), exact = found.find((row) => row.fuse === fuse);
    if (exact || found.length === 1) return exact || found[0];
    // ticks tell the streams
    return hasTicks && rows.size === 0 ? null : this.page.row(topic, topic);
  }

  /** New ticks have other rows for topics that came before. */
  moveTopics() {
    for (const channel of this.subscribed.values()) {
      const before = channel.row, row = before && !channel.isAfter ? this.rowBefore(channel) : before;
      if (!row || row === before) continue;
      channel.row = row;
      if (before.isAligned) before.clearSignal();
      else this.page.removeRow(before);
    }
  }

  hasBetterPicture(rank, row) {
    return [...this.channels.values()].some((other) => PICTURES.indexOf(other.schemaName) > rank && this.rowBefore(other) === row);
  }

  // ---- messages ----

  takeMessage(data) {
    const view = new DataView(data);
    if (view.getUint8(0) !== MESSAGE) return;
    const channel = this.subscribed.get(view.getUint32(1, true));
    if (!channel) return;
    // status and losses have the host's time, which rows of a recording have not
    if (channel.topic !== STATUS && channel.topic !== CONNECTION) this.page.takeTime(Number(view.getBigUint64(5, true)) / 1e9);
    const json = () => JSON.parse(TEXT.decode(new Uint8Array(data, HEADER)));
    if (channel.topic === STATUS) this.takeStatus(json());
    else if (channel.topic === CONNECTION) this.page.takeConnection(json());
    else if (channel.schemaName === TICK) this.takeTick(channel, data);
    else if (channel.row) this.takeRow(channel, data);
  }

  takeStatus(status) {
    const isFirst = !this.page.status;
    this.page.takeStatus(status);
    if (isFirst || status.outputs.length !== this.nOutputs) this.chooseTopics();
    this.nOutputs = status.outputs.length;
  }

  takeTick(channel, data) {
    const n = this.page.rows.size;
    this.page.takeTick(channel.topic.replace(/\/tick$/, ""), channel.decoder.read(data, HEADER, { last: "streams" }));
    if (this.page.rows.size === n) return;
    this.moveTopics();
    this.chooseTopics();
  }

  /** Asks for the next picture a while after the one before. */
  pausePictures(channel) {
    if (channel.isPaused) return;
    channel.isPaused = true;
    this.send({ op: "unsubscribe", subscriptionIds: [channel.id] });
    setTimeout(() => {
      channel.isPaused = false;
      if (this.subscribed.get(channel.id) === channel) this.send({ op: "subscribe", subscriptions: [this.wish(channel)] });
    }, PICTURE_MS);
  }

  /** Whether the channel's messages name those of the row: the first one's do, while it is there. */
  namesChannels(row, channel) {
    const namer = row.namer;
    if (!namer || namer.row !== row || this.subscribed.get(namer.id) !== namer) {
      row.namer = channel;
      channel.namesDue = 0;
    }
    return row.namer === channel;
  }

  takeRow(channel, data) {
    const { row, isAfter } = channel, isPicture = PICTURES.includes(channel.schemaName);
    if (isPicture) this.pausePictures(channel);
    const areNamesDue = this.namesChannels(row, channel) && performance.now() >= channel.namesDue;
    const message = channel.decoder.read(data, HEADER, { withStrings: isPicture || areNamesDue }), time = secondsOf(message.header.stamp);
    if (isPicture) return row.takePicture(isAfter, message);
    if (areNamesDue) {
      channel.namesDue = performance.now() + NAMES_MS;
      row.takeNames(message);
    }
    row.takeNumbers(isAfter, time, message);
  }
}

// ---- marks of episodes ----

const MARKS = [
  ["start", "start", " "],
  ["end", "end", " "],
  ["success", "success", "y"],
  ["failure", "failure", "n"],
  ["discard", "discard", "d"],
  ["quit", "end the recording", ""],
];
const COUNTDOWN_S = 3;

class Marks {
  constructor(connection) {
    this.connection = connection;
    find("no-token").hidden = !!connection.token;
    for (const [word, label, key] of MARKS) this.addButton(label, key === " " ? "space" : key, () => this.mark(word));
    this.addButton(`start in ${COUNTDOWN_S} s`, "c", () => this.countDown(COUNTDOWN_S));
    document.addEventListener("keydown", (event) => this.handleKey(event));
  }

  addButton(label, key, act) {
    const button = add(find("buttons"), "button", { type: "button", disabled: this.connection.token ? null : "" }, label);
    if (key) add(button, "kbd", {}, key);
    button.addEventListener("click", () => {
      act();
      // space would press it again
      button.blur();
    });
  }

  mark(word) {
    if (this.connection.socket.readyState !== WebSocket.OPEN) {
      find("answer").textContent = `${word} was not sent: there is no connection`;
      return;
    }
    this.stopCountdown();
    this.connection.send({ op: "setParameters", parameters: [{ name: "record", value: word }] });
  }

  handleKey(event) {
    const isOther = ["SELECT", "BUTTON"].includes(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey || event.repeat;
    if (!this.connection.token || find("record").hidden || isOther) return;
    const found = MARKS.filter(([, , key]) => key && key === event.key), isRunning = /runs/.test(find("session").textContent);
    if (event.key === "c") this.countDown(COUNTDOWN_S);
    else if (found.length > 0) this.mark(found.length > 1 && isRunning ? found[1][0] : found[0][0]);
    else return;
    event.preventDefault();
  }

  countDown(seconds) {
    this.stopCountdown();
    const show = find("countdown");
    show.hidden = false;
    show.textContent = seconds;
    this.timer = setInterval(() => {
      show.textContent = --seconds;
      if (seconds === 0) this.mark("start");
    }, 1000);
  }

  stopCountdown() {
    clearInterval(this.timer);
    find("countdown").hidden = true;
  }
}

find("clear-text").hidden = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
new Marks(new Connection(new Page()));
