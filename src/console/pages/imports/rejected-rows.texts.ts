export const download = "Download the rejected rows";
export const unchanged = "Download them unchanged";
export const hint =
  "The first file is for a spreadsheet: cells that it would run as formulas, also telephone numbers with a +, have a ' in front. If you import the file again, it is removed.";
