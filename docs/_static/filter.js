// The field above the table of all operators: rows are shown that have each of its words.
addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector(".operator-filter");
  if (!place) return;
  const [field, count] = [place.querySelector("input"), place.querySelector("output")];
  const rows = [...document.querySelectorAll("article table tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const follow = () => {
    const words = field.value.toLowerCase().split(/\s+/).map((word) => word.replace(/^dml_operator_/, ""));
    rows.forEach((row, k) => { row.hidden = !words.every((word) => texts[k].includes(word)); });
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  field.addEventListener("input", follow);
  field.addEventListener("keydown", (event) => {
    const first = rows.find((row) => !row.hidden)?.querySelector("a");
    if (event.key === "Enter") first?.click();
    else if (event.key === "ArrowDown") { event.preventDefault(); first?.focus(); }
    else if (event.key === "Escape") { field.value = ""; follow(); }
  });
  place.hidden = false;
  follow();
});
