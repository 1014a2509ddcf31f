export const download = "Download the rejected rows";
export const unchanged = "Download them unchanged";
export const hint =
  "The first file is for spreadsheets: cells that a spreadsheet would run as formulas, including telephone numbers with a +, have a ' in front. The import removes the '.";
