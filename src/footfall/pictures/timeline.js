// The line of time under a picture: drag along it, or use the keys of its page. Its element holds #bands, #done and #knob.
const STATE_BANDS = ["#7fb2d9", "#eda67a", "#7fc5a9", "#dfa6c5", "#ecc56f", "#9fd3ee", "#b9b9b9", "#b7a6d9"];

// seek: called with the time that was pointed at.
function timeline(seek) {
  const scrub = element("scrub"), span = { from: 0, until: 0 };
  const to = e => { const r = scrub.getBoundingClientRect(), share = Math.min(Math.max((e.clientX - r.left) / r.width, 0), 1); seek(span.from + share * (span.until - span.from)); };
  scrub.onpointerdown = e => { try { scrub.setPointerCapture(e.pointerId); } catch { /* a pointer that is gone already */ } to(e); };
  scrub.onpointermove = e => { if (e.buttons) to(e); };
  return {
    // The time that is shown, of a span.
    show(t, from, until) {
      Object.assign(span, { from, until });
      element("done").style.width = element("knob").style.left = `${until > from ? 100 * (t - from) / (until - from) : 0}%`;
      for (const [name, value] of [["now", t], ["min", from], ["max", until]]) scrub.setAttribute(`aria-value${name}`, value.toFixed(2));
      scrub.setAttribute("aria-valuetext", `${t.toFixed(2)} seconds`);
    },
    // runs: [time, number of a state] in order of time; each state has its colour. fell: when it fell, or null.
    colour(runs, from, until, fell = null) {
      const stops = [], place = t => 100 * Math.min(Math.max((t - from) / (until - from || 1), 0), 1), put = (colour, a, b) => stops.push(`${colour} ${place(a).toFixed(2)}% ${place(b).toFixed(2)}%`);
      for (let i = 0, start = 0; i <= runs.length; i++) if (i === runs.length || runs[i][1] !== runs[start][1]) { if (i > start) put(STATE_BANDS[((runs[start][1] % 8) + 8) % 8], runs[start][0], i === runs.length ? fell ?? until : runs[i][0]); start = i; }
      if (fell !== null) put("#c0480a", fell, until);
      element("bands").style.background = stops.length ? `linear-gradient(90deg, ${stops.join(",")})` : ""; element("done").style.opacity = stops.length ? 0 : .85;
    },
  };
}
