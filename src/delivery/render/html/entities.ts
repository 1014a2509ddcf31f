/** Resolves the entities that matter to what a browser makes of a link or a style. */

const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", shy: "\u00ad" },
  ...{ Tab: "\t", NewLine: "\n", colon: ":", semi: ";", sol: "/", bsol: "\\", quest: "?", num: "#" },
  ...{ commat: "@", period: ".", comma: ",", excl: "!", lpar: "(", rpar: ")", percnt: "%", ast: "*" },
  ...{ zwnj: "\u200c", zwj: "\u200d", lrm: "\u200e", rlm: "\u200f", NoBreak: "\u2060" },
  ...{ ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009", hairsp: "\u200a", ZeroWidthSpace: "\u200b" },
};
const ENTITY = /&(?:#x([\da-f]{1,7});?|#(\d{1,8});?|(\w{2,20});)/gi;

function character(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

export const resolveEntities = (text: string): string =>
  text.includes("&")
    ? text.replaceAll(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
        if (hex !== undefined) return character(Number.parseInt(hex, 16));
        if (decimal !== undefined) return character(Number(decimal));
        return name !== undefined && Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
      })
    : text;
