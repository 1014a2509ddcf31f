/** A made-up service that uses every kind of type once: proof that nothing depends on the real operations. */
import { confirmed, guessed, operation, service } from "#contract/service.ts";
import * as x from "#contract/xsd.ts";

const Colour = x.enumeration("Colour", "RED", "GREEN & BLUE");
const Part = x.sequence("part", { PartId: x.long, Label: x.string, Colour });
const Toy = x.sequence("toy", {
  ToyId: x.int,
  Name: x.string,
  Loved: x.boolean,
  Made: x.dateTime,
  Broken: x.optionalDateTime,
});
const Token = `let "me" in <'&'>`;
const bear = { ToyId: 7, Name: "Bär <b>", Loved: true, Made: Date.UTC(2020, 1, 29, 6), Broken: null };

export const toyService = service({
  name: "Toybox",
  doc: "Toys & their <parts>.",
  path: "/toys/box.asmx",
  families: { Toy: "Single toys.", Box: "The box as a whole.", Empty: "Nothing is in here." },
  operations: {
    "Toy.Put": operation({
      doc: "Puts a toy & its parts into the box.",
      access: "write",
      shortNames: [guessed("PutToy")],
      params: {
        Token: x.string,
        Size: x.unsignedByte,
        Serial: x.long,
        Loved: x.boolean,
        Colour,
        Made: x.dateTime,
        Broken: x.optionalDateTime,
        Parts: x.arrayOf(Part),
      },
      notes: { Size: "From 0 to <255>." },
      result: x.unsignedByte,
      outcomes: {
        Done: { byte: 0, text: "It is in." },
        TooBig: { byte: 9, text: "It is larger than <the box>." },
      },
      example: {
        input: {
          Token,
          Size: "3",
          Serial: "9007199254740993",
          Loved: "true",
          Colour: "GREEN & BLUE",
          Made: "2020-02-29",
          Parts: [
            { PartId: "1", Label: "it's an arm", Colour: "RED" },
            { PartId: "2", Label: " leg ", Colour: "RED" },
          ],
        },
        output: 0,
      },
    }),
    "Toy.Best": operation({
      doc: "The best toy there is.",
      access: "read",
      shortNames: [guessed("BestToy")],
      params: { Token: x.string },
      result: Toy,
      nillable: true,
      example: { input: { Token }, output: bear },
    }),
    "Box.All": operation({
      doc: "All toys.",
      access: "read",
      shortNames: [confirmed("AllToys"), guessed("EveryToy")],
      params: { Token: x.string, At: Toy },
      result: x.arrayOf(Toy),
      example: { input: { Token }, output: [bear, bear] },
    }),
    "Lid.IsOpen": operation({
      doc: "Whether the lid is open.",
      access: "probe",
      shortNames: [guessed("IsOpen")],
      params: { Token: x.string },
      result: x.boolean,
      example: { input: { Token }, output: true },
    }),
  },
});
