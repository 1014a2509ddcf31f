/** Tables: numbers on the right, a row that leads to its page, boxes to select rows; cards on a phone. */
import { type Html, html, type Insert, trusted } from "../html.ts";
import { icon } from "../icons.ts";

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => Insert;
  /** Below the cell, smaller; only of the first column, where it is not part of the link. */
  readonly detail?: (row: Row) => Insert;
  readonly isNumber?: boolean;
  /** Stays on one line. */
  readonly isShort?: boolean;
  /** A user typed it, maybe without a space: it breaks anywhere. */
  readonly isTyped?: boolean;
  /** Left out on a phone. */
  readonly isMinor?: boolean;
}

export interface Table<Row> {
  /** For screen readers. */
  readonly caption: string;
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Makes the first cell a link; the whole row can be clicked. */
  readonly href?: (row: Row) => string;
  readonly selection?: Selection<Row> | null;
  /** It may be wider than the page, with any number of columns: then it scrolls, by keyboard, too. */
  readonly isWide?: boolean;
  /** At the end of a row, such as a menu. */
  readonly actions?: ((row: Row) => Html) | null;
}

/** The table is in the form that its boxes belong to. */
export interface Selection<Row> {
  /** Of the boxes, as they are sent. */
  readonly name: string;
  readonly value: (row: Row) => string;
  /** Of the row's box, such as "Select ada@example.org". */
  readonly label: (row: Row) => string;
  readonly isSelected?: (row: Row) => boolean;
}

export function table<Row>(given: Table<Row>): Html {
  const { caption, columns, rows, selection, actions } = given;
  const focus = given.isWide === true ? html` tabindex="0" role="region" aria-label="${caption}"` : null;
  return html`<div class="table-box"${focus}><table class="table">
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${selection == null ? null : html`<td class="select"><input type="checkbox" class="box" aria-label="Select all rows" data-select-all hidden></td>`}${columns.map(
    (column) => html`<th scope="col"${classOf(column)}>${column.label}</th>`,
  )}${actions == null ? null : html`<td><span class="visually-hidden">Actions</span></td>`}</tr></thead>
<tbody>
${rows.map((row) => tableRow(row, given))}</tbody>
</table></div>`;
}

function tableRow<Row>(row: Row, { columns, href, selection, actions }: Table<Row>): Html {
  const cells = columns.map((column, at) => {
    const inner = column.cell(row);
    if (at > 0) return html`<td${classOf(column)} data-label="${column.label}">${inner}</td>`;
    const content = href === undefined ? inner : html`<a class="row-link" href="${href(row)}">${inner}</a>`;
    const detail =
      column.detail === undefined ? null : html`<span class="row-detail">${column.detail(row)}</span>`;
    return html`<th scope="row"${classOf(column)}>${content}${detail}</th>`;
  });
  return html`<tr>${selection == null ? null : selectionCell(row, selection)}${cells}${
    actions == null ? null : html`<td class="row-actions">${actions(row)}</td>`
  }</tr>
`;
}

const selectionCell = <Row>(row: Row, { name, value, label, isSelected }: Selection<Row>): Html =>
  html`<td class="select"><input type="checkbox" class="box" name="${name}" value="${value(row)}" aria-label="${label(row)}"${isSelected?.(row) === true ? trusted(" checked") : null}></td>`;

/**
 * What can be done with selected rows, below their table and in its form. With a script it is there once a
 * row is selected, always in view, and says how many are selected of the `rows` of the page.
 */
export const selectionBar = (rows: number, ...buttons: readonly Html[]): Html =>
  html`<div class="selection" role="group" aria-label="Selected rows" data-selection>
<span class="selection-count" hidden></span>
<button type="button" class="button quiet" data-select="all" hidden>Select all ${rows} on this page</button>
<button type="button" class="button quiet" data-select="none" hidden>Clear</button>
<div class="buttons">${buttons}</div>
</div>`;

function classOf<Row>({ isNumber, isShort, isTyped, isMinor }: Column<Row>): Html | null {
  const names = Object.entries({ number: isNumber, short: isShort, typed: isTyped, minor: isMinor })
    .filter(([, isOn]) => isOn === true)
    .map(([name]) => name);
  return names.length === 0 ? null : html` class="${names.join(" ")}"`;
}

export interface Pager {
  /** What is shown, such as "50 of 1,204 subscribers". */
  readonly text: string;
  readonly previous: string | null;
  readonly next: string | null;
}

/** One page of many: only the neighbours have addresses. Without neighbours, it is only the text. */
export function pager({ text, previous, next }: Pager): Html {
  if (previous === null && next === null) return text === "" ? html`` : html`<p class="pager">${text}</p>`;
  return html`<nav class="pager" aria-label="Pages"><span>${text}</span><span class="buttons">${neighbour("Previous", previous)}${neighbour("Next", next)}</span></nav>`;
}

function neighbour(label: "Previous" | "Next", href: string | null): Html {
  const [before, after] = label === "Previous" ? [icon("left"), null] : [null, icon("right")];
  const inner = html`${before}<span>${label}</span>${after}`;
  return href === null
    ? html`<span class="button plain disabled" aria-disabled="true">${inner}</span>`
    : html`<a class="button plain" href="${href}" rel="${label === "Previous" ? "prev" : "next"}">${inner}</a>`;
}
