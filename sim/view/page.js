'use strict';
// Draws a run. Each thing that happened is a row; rows follow time, not to scale. Columns from left
// to right: the time, a lane for each connection (used again once it is closed), what was said, the
// server, what it asked of the disk, the disk.

const ROW = 20, TIME = 120, LANE = 34, SAID = 660, ASKED = 470, SLOT = 12;
const CHARACTER = 7.3;   // width, in the page's monospaced font
const IDLE = 20e6;       // from so many nanoseconds on, a gap is marked

function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

// What is wider than its column ends in dots; the tooltip has all of it.
function clipped(text, width) {
  const room = Math.floor(width / CHARACTER);
  return escaped(text.length > room ? text.slice(0, room - 1) + '…' : text);
}

function seconds(ns) { return (ns / 1e9).toFixed(6); }

// A line of JSON each; the last may have been cut off by an abort.
function read(lines) {
  const marks = [];
  for (const line of lines.split('\n')) {
    if (line.trim() === '') continue;
    try { marks.push(JSON.parse(line)); } catch { break; }
  }
  return marks;
}

// What a mark says, in one line.
function text_of(m) {
  const who = m.r ? `#${m.r} ` : '';
  const where = m.c ? ` c${m.c}` : '';
  switch (m.k) {
    case 'open': return `c${m.c} opened by client ${m.client}`;
    case 'hung_up': return `c${m.c} client hangs up`;
    case 'close': return `c${m.c} closed`;
    case 'up': case 'down': return `${m.n} bytes, no whole message yet${where}`;
    case 'req': return `${who}${m.cmd}${m.text}${where}${m.more}`;
    case 'pend': return `${who}PENDING${where}${m.more}`;
    case 'res': return `${who}${m.cmd} ${m.status}${m.text || ''}${where}${m.more}`;
    case 'note': return `${m.cmd} unasked${where}`;
    case 'op': return `${who}${m.cmd}${m.text} [${m.o}]`;
    case 'apply': return `${who}applied: ${m.text}${m.injected ? ' (injected)' : ''} [${m.o}]`;
    case 'done': return `${who}completed${m.again ? ' again' : ''}${m.text ? ': ' + m.text : ''} [${m.o}]`;
    case 'failure': return `FAILED ${m.oracle}: ${m.what}`;
    default: return m.text;
  }
}

const BARS = new Set(['bar', 'crash', 'restart', 'failure']);

// Completes the marks in place: lanes, whose operation it is, the failure at its moment.
function prepare(marks, run) {
  const lanes = [], lane_of = new Map(), operations = new Map();
  for (const m of marks) {
    if (m.k === 'open') {
      let lane = lanes.indexOf(undefined);
      if (lane < 0) lane = lanes.length;
      lanes[lane] = m.c;
      lane_of.set(m.c, lane);
    }
    if (m.c) m.lane = lane_of.get(m.c);
    if (m.k === 'close') lanes[m.lane] = undefined;
    if (m.k === 'op') operations.set(m.o, m);
    const op = operations.get(m.o);
    if (op && m.k !== 'op') {
      m.r = op.r;
      m.of = op;
      if (m.k === 'done') { m.again = Boolean(op.done); op.done = true; }
    }
    // The engine's ids start anew with its next life.
    if (m.k === 'crash') operations.clear();
  }
  if (run.oracle) {
    const at = run.failed_at || Infinity;
    let position = marks.findIndex(m => m.t > at);
    if (position < 0) position = marks.length;
    const last = position > 0 ? marks[position - 1].t : 0;
    marks.splice(position, 0, {k: 'failure', t: Math.min(at, last), oracle: run.oracle, what: run.what});
  }
  for (const m of marks) m.said = text_of(m);
  return Math.max(1, lanes.length);
}

// The marks that contain the text, and all of the same requests.
function matching(marks, filter) {
  if (filter === '') return marks;
  const wanted = filter.toLowerCase();
  const direct = marks.filter(m => m.said.toLowerCase().includes(wanted));
  const requests = new Set(direct.map(m => m.r).filter(Boolean)), found = new Set(direct);
  return marks.filter(m => found.has(m) || BARS.has(m.k) || requests.has(m.r));
}

// The request that the failure names; 0: none.
function named_by(run) {
  const found = /\[request (\d+)/.exec(run.what || '');
  return found ? Number(found[1]) : 0;
}

function arrow(from, to, y) {
  const back = to > from ? -6 : 6;
  return `<line class="arrow" x1="${from}" y1="${y}" x2="${to}" y2="${y}"/>` +
      `<path class="arrow" d="M${to + back} ${y - 3}L${to} ${y}L${to + back} ${y + 3}" fill="none"/>`;
}

// Lifelines from row to row: of connections, of the server, and boxes of operations.
function spans(rows, end) {
  const open = new Map(), boxes = new Map(), done = [], slots = [];
  let alive = 0;
  const close = (m, y) => {
    const from = open.get(m.c);
    if (from !== undefined) done.push({x: m.lane, from, to: y});
    open.delete(m.c);
  };
  const finish = (op, y) => {
    const box = boxes.get(op);
    if (!box || box.to) return;
    box.to = y;
    slots[box.slot] = undefined;
  };
  for (const {m, y} of rows) {
    if (!m) continue;
    if (m.k === 'open') open.set(m.c, y);
    if (m.k === 'close') close(m, y);
    if (m.k === 'crash') {
      if (alive !== null) done.push({server: true, from: alive, to: y});
      alive = null;
      for (const op of boxes.keys()) finish(op, y);
    }
    if (m.k === 'restart') alive = y;
    if (m.k === 'op') {
      let slot = slots.indexOf(undefined);
      if (slot < 0) slot = slots.length;
      slots[slot] = m;
      m.slot = slot;
      boxes.set(m, {slot, from: y, r: m.r, said: m.said});
    }
    if (m.k === 'apply' && boxes.has(m.of)) boxes.get(m.of).applied = y;
    if (m.k === 'done' && m.of) finish(m.of, y);
  }
  for (const {m} of rows) if (m && m.k === 'open') close(m, end);
  for (const op of boxes.keys()) finish(op, end);
  if (alive !== null) done.push({server: true, from: alive, to: end});
  return {lives: done, boxes: [...boxes.values()], slots: slots.length};
}

// One row: its background, its arrow, its text.
function draw_row(m, y, x, named) {
  const middle = y + ROW - 3, base = y + ROW - 8;
  const classes = [{up: 'piece', down: 'piece', crash: 'bar', restart: 'bar'}[m.k] || m.k];
  if (m.bad) classes.push('bad');
  if (m.r && m.r === named) classes.push('named');
  let body = `<rect class="row" x="0" y="${y}" width="${x.width}" height="${ROW}"/>`;
  const say = (at, width) => `<text x="${at}" y="${base}">${clipped(m.said, width)}</text>`;
  const lane = x.lane(m.lane || 0);
  switch (m.k) {
    case 'req': case 'up':
      body += arrow(lane, x.server, middle) + say(x.said, SAID);
      break;
    case 'res': case 'pend': case 'note': case 'down':
      body += arrow(x.server, lane, middle) + say(x.said, SAID);
      break;
    case 'open': case 'close': case 'hung_up':
      body += `<circle cx="${lane}" cy="${y + ROW / 2}" r="4" fill="currentColor"/>` + say(x.said, SAID);
      break;
    case 'op':
      body += arrow(x.server, x.disk + m.slot * SLOT, middle) + say(x.asked, ASKED);
      break;
    case 'done':
      body += arrow(x.disk + (m.of ? m.of.slot : 0) * SLOT, x.server, middle) + say(x.asked, ASKED);
      break;
    case 'apply':
      body += say(x.asked, ASKED);
      break;
    default:
      body += say(x.lane(0), x.width);
  }
  const group = m.r ? ` data-r="${m.r}"` : '';
  return `<g class="${classes.join(' ')}"${group}${m.k === 'failure' ? ' id="failed"' : ''}>` +
      `<title>${escaped(seconds(m.t) + ' s  ' + m.said)}</title>${body}</g>`;
}

// The drawing and its captions as SVG. `lanes` is what prepare() returned.
function draw(marks, run, lanes) {
  const rows = [];
  let y = 0, last = null;
  for (const m of marks) {
    if (last !== null && m.t - last >= IDLE) {
      rows.push({gap: m.t - last, y});
      y += ROW;
    }
    rows.push({m, y, time: m.t !== last});
    y += ROW;
    last = m.t;
  }
  const {lives, boxes, slots} = spans(rows, y);
  const x = {lane: n => TIME + LANE / 2 + n * LANE};
  x.said = TIME + lanes * LANE + 6;
  x.server = x.said + SAID;
  x.asked = x.server + 10;
  x.disk = x.asked + ASKED;
  x.width = x.disk + Math.max(6, slots) * SLOT + 20;
  const out = [];
  for (let n = 0; n < lanes; ++n)
    out.push(`<line class="lane" x1="${x.lane(n)}" y1="0" x2="${x.lane(n)}" y2="${y}" stroke-dasharray="1 5"/>`);
  for (const {server, x: lane, from, to} of lives) {
    const at = server ? x.server : x.lane(lane);
    out.push(`<line class="life" x1="${at}" y1="${from}" x2="${at}" y2="${to}"/>`);
  }
  const named = named_by(run);
  for (const {m, gap, y: top, time} of rows) {
    if (gap) {
      out.push(`<g class="gap"><rect class="row" x="0" y="${top + 3}" width="${x.width}" height="${ROW - 6}"/>` +
          `<text x="8" y="${top + 14}">⋮ ${seconds(gap)} s pass</text></g>`);
      continue;
    }
    out.push(draw_row(m, top, x, named));
    if (time) out.push(`<text class="time" x="8" y="${top + 14}">${seconds(m.t)}</text>`);
  }
  for (const box of boxes) {
    const left = x.disk + box.slot * SLOT, group = box.r ? ` data-r="${box.r}"` : '';
    out.push(`<rect class="box"${group} x="${left}" y="${box.from + 3}" width="${SLOT - 3}" ` +
        `height="${box.to - box.from + ROW - 6}"><title>${escaped(box.said)}</title></rect>`);
    if (box.applied)
      out.push(`<line class="applied" x1="${left}" y1="${box.applied + ROW / 2}" x2="${left + SLOT - 3}" ` +
          `y2="${box.applied + ROW / 2}"/>`);
  }
  const frame = (kind, height, body) => `<svg xmlns="http://www.w3.org/2000/svg" class="${kind}" ` +
      `width="${x.width}" height="${height}" viewBox="0 0 ${x.width} ${height}">${body}</svg>`;
  const caption = (at, text) => `<text x="${at}" y="14">${text}</text>`;
  const captions = frame('captions', ROW, caption(8, 'seconds') + caption(x.lane(0) - 8, 'clients') +
      caption(x.server - 20, 'server') + caption(x.disk - 10, 'disk'));
  return captions + frame('drawing', y + ROW, out.join('\n'));
}

// ---- The page -------------------------------------------------------------------------------------

function show() {
  const get = id => document.getElementById(id);
  const run = JSON.parse(get('run').textContent), meanings = JSON.parse(get('meanings').textContent);
  const marks = read(get('marks').textContent), lanes = prepare(marks, run);
  const title = `seed ${run.seed}: ${run.shape}, ${run.requests} requests, ` +
      (run.oracle ? 'failed' : 'every oracle held');
  document.title = get('title').textContent = title;
  get('replay').textContent = run.replay;
  if (run.oracle)
    get('failure').textContent = `${run.oracle}: ${run.what}` +
        (run.failed_at ? ` (at ${seconds(run.failed_at)} s)` : '');
  get('faults').textContent = `Faults: ${run.faults || 'not known'}`;
  for (const fault of run.faults.split(' ')) {
    const [name, level] = fault.split(':'), item = document.createElement('li');
    if (!level) continue;
    item.textContent = `${name}, strength ${level} of 1000: ${meanings[name]}`;
    get('meanings-list').append(item);
  }
  const view = get('view');
  const redraw = () => {
    const shown = matching(marks, get('filter').value.trim());
    view.innerHTML = draw(shown, run, lanes);
    get('count').textContent = `${shown.length} of ${marks.length}`;
  };
  const to_failure = () => get('failed')?.scrollIntoView({block: 'center'});
  let waiting;
  get('filter').addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(redraw, 150);
  });
  get('to-failure').addEventListener('click', to_failure);
  get('to-failure').hidden = !run.oracle;
  let hot;
  view.addEventListener('mouseover', event => {
    const request = event.target.closest('[data-r]')?.dataset.r;
    if (request === hot) return;
    for (const one of view.querySelectorAll('.hot')) one.classList.remove('hot');
    if (request) for (const one of view.querySelectorAll(`[data-r="${request}"]`)) one.classList.add('hot');
    hot = request;
  });
  redraw();
  to_failure();
}

if (typeof document === 'undefined')
  module.exports = {read, prepare, matching, named_by, draw};
else
  show();
