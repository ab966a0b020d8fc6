const form = document.getElementById('filters'), rows = [...document.querySelectorAll('tr[data-state]')];
function apply() {
  const f = Object.fromEntries(new FormData(form)), words = f.text.toLowerCase();
  let shown = 0;
  for (const row of rows) {
    const d = row.dataset;
    const fits = (!f.paper || d.paper === f.paper) && (!f.source || d.source === f.source) && (!f.state || d.state === f.state)
      && (!words || row.textContent.toLowerCase().includes(words));
    row.hidden = !fits; shown += fits;
  }
  for (const part of document.querySelectorAll('section')) part.hidden = !!f.paper && part.id !== f.paper;
  document.getElementById('count').textContent = shown + ' of ' + rows.length + ' rows';
}
form.addEventListener('input', apply); form.addEventListener('submit', e => e.preventDefault());
function jump() {
  const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (row) { const d = row.querySelector('details'); if (d && row.tagName === 'TR') d.open = true; row.scrollIntoView({block: 'start'}); }
}
addEventListener('hashchange', jump); apply(); jump();
for (const picture of document.querySelectorAll('figure img'))
  picture.addEventListener('click', () => { picture.parentElement.classList.toggle('large'); picture.parentElement.scrollIntoView({block: 'nearest'}); });
