// Title, figures, notes, damages.
function drawHead(data) {
  $("title").textContent = data.title;
  $("subtitle").textContent = [data.began && `began ${data.began}`, `report of ${data.written.replace("T", " ").replace("+00:00", " UTC")}`].filter(Boolean).join(" · ");
  const cards = [
    [whole(data.count), data.count === 1 ? "operator ran" : "operators ran"],
    [duration(data.busy), "time of operators"],
    [duration(data.took), "from first to last"],
    [whole(data.streams), data.streams === 1 ? "stream" : "streams"],
    [whole(data.lost), "lost while recording", data.lost > 0],
    [whole(data.untimed), "without a usable time", data.untimed > 0],
    [whole(data.damages.count), data.damages.count === 1 ? "damaged part of a file" : "damaged parts of files", data.damages.count > 0],
  ];
  $("cards").replaceChildren(...cards.map(([figure, what, isBad]) => element("div", [element("b", figure), element("span", what)], { class: isBad ? "card bad" : "card" })));
  $("notes").hidden = data.notes.length === 0;
  $("notes").replaceChildren(...data.notes.map((note) => element("p", note)));
  drawDamages(data.damages);
  $("footer").textContent = `optap ${data.optap} · this file is complete in itself: it loads nothing`;
}

function drawDamages({ count, rows }) {
  $("damages-panel").hidden = count === 0;
  const titles = ["file", "from byte", "bytes", "reason"];
  $("damages").tHead.replaceChildren(element("tr", titles.map((title, at) => element("th", title, { class: at % 3 ? "" : "text" }))));
  $("damages").tBodies[0].replaceChildren(...rows.map((row) => element("tr", row.map((value, at) => element("td", at % 3 ? whole(value) : value, { class: at % 3 ? "" : "text" })))));
  if (count > rows.length) $("damages").tBodies[0].append(element("tr", element("td", `and ${whole(count - rows.length)} more`, { class: "text", colspan: "4" })));
}
