/** Callers send the same few headers and namespaces again and again: what follows from them is found out once. */

const MAX_KNOWN = 64;
const MAX_LENGTH = 300;

export function remembering<Meaning>(find: (text: string) => Meaning): (text: string) => Meaning {
  const known = new Map<string, Meaning>();
  return (text) => {
    let meaning = known.get(text);
    if (meaning === undefined) {
      meaning = find(text);
      if (known.size < MAX_KNOWN && text.length < MAX_LENGTH) known.set(text, meaning);
    }
    return meaning;
  };
}
