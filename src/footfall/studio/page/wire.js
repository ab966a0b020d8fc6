// The connection to the studio's server. Each turn (a text, a frame of numbers or both) is applied, drawn and answered, so that a slow
// page gets fewer frames and never old ones. Where the connection breaks, the page says so and tries again.
const FIRST_WAIT = 300, LONGEST_WAIT = 3000, PIECE = 250 * 1024;

// handlers: ops { name of an op: function }, data(number, floats), draw() asks for a picture, gone(words) says what is wrong.
class Wire {
  constructor({ ops, data, draw, gone }) {
    Object.assign(this, { ops, data, draw, gone, wait: FIRST_WAIT, open: false, owed: 0, acked: 0, files: new Map(), sent: 0, frames: 0, bytes: 0 });
    this.connect();
  }
  connect() {
    const socket = this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { this.open = true; this.wait = FIRST_WAIT; this.owed = this.acked = 0; this.gone(""); };
    socket.onmessage = event => { if (typeof event.data === "string") this.readText(event.data); else this.readFrame(event.data); };
    socket.onclose = () => {
      if (this.open) this.files.clear();
      this.open = false;
      this.gone("The studio's server is gone. This page reconnects as soon as it is back.");
      setTimeout(() => this.connect(), this.wait); this.wait = Math.min(1.6 * this.wait, LONGEST_WAIT);
    };
  }
  send(message) { if (this.socket.readyState === 1) this.socket.send(JSON.stringify(message)); }

  readText(text) {
    const { n, frame, ops } = JSON.parse(text); this.bytes += text.length;
    for (const op of ops) if (op.op === "upload") this.goOn(op); else this.ops[op.op]?.(op);
    if (frame) return;
    this.draw(); this.owed = n; this.settle();
  }
  // u32 n, u32 blocks, (u32 number, u32 floats) for each, then the floats.
  readFrame(buffer) {
    const head = new Uint32Array(buffer, 0, 2), table = new Uint32Array(buffer, 8, 2 * head[1]);
    this.frames++; this.bytes += buffer.byteLength;
    for (let k = 0, at = 8 + 8 * head[1]; k < head[1]; k++) { this.data(table[2 * k], new Float32Array(buffer, at, table[2 * k + 1])); at += 4 * table[2 * k + 1]; }
    this.owed = head[0]; this.draw();
    if (document.hidden) this.settle();
  }
  // The frame that came last is drawn, or will not be. kept: 1 where the page is slow and one frame on its way is enough, so that the
  // server does not make pictures that nobody sees.
  settle(kept = 0) { const n = this.owed - kept; if (n > this.acked) { this.acked = n; this.send({ type: "ack", n }); } }

  // ---- files: announced first, and sent in pieces once the server says so
  upload(id, file) { const upload = ++this.sent; this.files.set(upload, file); this.send({ type: "upload", upload, id, name: file.name, size: file.size }); }
  async goOn({ upload, go }) {
    const file = this.files.get(upload); this.files.delete(upload);
    if (!file || !go) return;
    const { socket } = this;
    for (let at = 0; at < file.size && socket.readyState === 1; at += PIECE) {
      const part = await file.slice(at, at + PIECE).arrayBuffer(), message = new Uint8Array(4 + part.byteLength);
      new DataView(message.buffer).setUint32(0, upload, true); message.set(new Uint8Array(part), 4); socket.send(message);
      while (socket.bufferedAmount > 4 * PIECE && socket.readyState === 1) await new Promise(done => setTimeout(done, 20));
    }
  }
}
