/**
 * Short complete programs that call this service with one key, to hand to a developer. They are the programs
 * of the guide for clients with less data, and the interoperability run executes each of them.
 */
import { curlCommand, shellQuoted } from "#asmx/samples.ts";
import { contract } from "#contract/operations.ts";

/** What a program calls with. */
export interface SnippetOptions {
  /** The address of the service, without the path of the endpoint. */
  readonly base: string;
  readonly key: string;
  /** The list that the program adds an address to; null: it shows the lists, which every key may do. */
  readonly list: number | null;
}

export interface Snippet {
  readonly language: "PHP" | "Python" | "C#" | "Java" | "curl";
  /** What to save it as; null: it is pasted into a terminal. */
  readonly fileName: string | null;
  readonly code: string;
  /** What it needs, in a few words. */
  readonly needs: string;
  /** To make and run it, in a POSIX shell. */
  readonly commands: readonly string[];
}

/** The address that the programs add. */
export const SNIPPET_EMAIL = "zoe@example.org";

interface Written {
  readonly endpoint: string;
  /** As literals of the language. */
  readonly text: (value: string) => string;
  readonly key: string;
  readonly list: number | null;
}

/** A string in double quotes: of Python, C# and Java alike, because keys and addresses are ASCII. */
const doubleQuoted = (value: string): string => `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
const singleQuoted = (value: string): string => `'${value.replaceAll(/['\\]/g, "\\$&")}'`;

const php = ({ endpoint, text, key, list }: Written): string =>
  `<?php
const ENDPOINT = ${text(endpoint)};
const API_KEY = ${text(key)};
${
  list === null
    ? `
try {
    $client = new SoapClient(ENDPOINT . '?wsdl', ['features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
    $answer = $client->{'Client.GetSubscribersLists'}(['APIKey' => API_KEY]);
    foreach ($answer->{'Client.GetSubscribersListsResult'}->subscriberslist ?? [] as $list) {
        echo "$list->SubscribersListID $list->Name\\n";
    }
`
    : `const LIST_ID = ${list};

try {
    $client = new SoapClient(ENDPOINT . '?wsdl');
    $answer = $client->{'Subscriber.Add'}([
        'APIKey' => API_KEY,
        'SubscribersListID' => LIST_ID,
        'EMail' => '${SNIPPET_EMAIL}',
    ]);
    $byte = $answer->{'Subscriber.AddResult'};
    echo $byte === 0 ? "added\\n" : "refused: $byte\\n"; // refused: nothing was changed
`
}} catch (SoapFault $fault) {
    $code = $fault->detail->error->code ?? $fault->faultcode;
    echo "fault $code: {$fault->getMessage()}\\n";
}
`;

const python = ({ endpoint, text, key, list }: Written): string =>
  `import zeep

ENDPOINT = ${text(endpoint)}
API_KEY = ${text(key)}
${list === null ? "" : `LIST_ID = ${list}\n`}
service = zeep.Client(f"{ENDPOINT}?wsdl").bind("Mailroll", "MailrollSoap")

try:
${
  list === null
    ? `    for one in service["Client.GetSubscribersLists"](APIKey=API_KEY) or []:
        print(one.SubscribersListID, one.Name)
`
    : `    byte = service["Subscriber.Add"](APIKey=API_KEY, SubscribersListID=LIST_ID, EMail="${SNIPPET_EMAIL}")
    print("added" if byte == 0 else f"refused: {byte}")  # refused: nothing was changed
`
}except zeep.exceptions.Fault as fault:
    print(f"fault {fault.detail.findtext('.//{*}code')}: {fault.message}")
`;

const csharp = ({ endpoint, text, key, list }: Written): string =>
  `using System;
using System.Web.Services.Protocols;

static class Client {
    const string Endpoint = ${text(endpoint)};
    const string ApiKey = ${text(key)};
${list === null ? "" : `    const int ListId = ${list};\n`}
    static void Main() {
        var api = new Mailroll { Url = Endpoint };
        try {
${
  list === null
    ? `            foreach (var list in api.ClientGetSubscribersLists(ApiKey))
                Console.WriteLine(list.SubscribersListID + " " + list.Name);
`
    : `            byte outcome = api.SubscriberAdd(ApiKey, ListId, "${SNIPPET_EMAIL}");
            Console.WriteLine(outcome == 0 ? "added" : "refused: " + outcome); // refused: nothing was changed
`
}        } catch (SoapException fault) {
            Console.WriteLine("fault " + fault.Detail["error"]["code"].InnerText + ": " + fault.Message);
        }
    }
}
`;

const java = ({ endpoint, text, key, list }: Written): string =>
  `import java.net.URL;
import javax.xml.ws.soap.SOAPFaultException;
import mailroll.*;

public class Client {
    static final String ENDPOINT = ${text(endpoint)};
    static final String API_KEY = ${text(key)};
${list === null ? "" : `    static final int LIST_ID = ${list};\n`}
    public static void main(String[] arguments) throws Exception {
        MailrollSoap api = new Mailroll(new URL(ENDPOINT + "?wsdl")).getMailrollSoap();
        try {
${
  list === null
    ? `            for (Subscriberslist list : api.clientGetSubscribersLists(API_KEY).getSubscriberslist())
                System.out.println(list.getSubscribersListID() + " " + list.getName());
`
    : `            int outcome = api.subscriberAdd(API_KEY, LIST_ID, "${SNIPPET_EMAIL}");
            System.out.println(outcome == 0 ? "added" : "refused: " + outcome); // refused: nothing was changed
`
}        } catch (SOAPFaultException exception) {
            String code = exception.getFault().getDetail().getFirstChild().getFirstChild().getTextContent();
            System.out.println("fault " + code + ": " + exception.getFault().getFaultString());
        }
    }
}
`;

const curl = ({ base, key, list }: SnippetOptions): string =>
  `${
    list === null
      ? curlCommand(contract, base, "Client.GetSubscribersLists", { APIKey: key })
      : curlCommand(contract, base, "Subscriber.Add", {
          APIKey: key,
          SubscribersListID: String(list),
          EMail: SNIPPET_EMAIL,
        })
  }\n`;

export function snippets(options: SnippetOptions): readonly Snippet[] {
  const endpoint = `${options.base}${contract.path}`;
  const { key, list } = options;
  const double: Written = { endpoint, text: doubleQuoted, key, list };
  return [
    {
      language: "PHP",
      fileName: "client.php",
      code: php({ ...double, text: singleQuoted }),
      needs: "PHP 8 with its soap extension.",
      commands: ["php client.php"],
    },
    {
      language: "Python",
      fileName: "client.py",
      code: python(double),
      needs: "Python 3 with zeep.",
      commands: ["python3 client.py"],
    },
    {
      language: "C#",
      fileName: "Client.cs",
      code: csharp(double),
      needs:
        "The class Mailroll, which the tool wsdl or “Add Web Reference” in Visual Studio makes from the WSDL. The commands are those of Mono.",
      commands: [
        `wsdl -out:Mailroll.cs ${shellQuoted(`${endpoint}?wsdl&names=dotted`)}`,
        "mcs -out:client.exe -r:System.Web.Services,System.Xml Client.cs Mailroll.cs",
        "mono client.exe",
      ],
    },
    {
      language: "Java",
      fileName: "Client.java",
      code: java(double),
      needs: "JAX-WS: its classes and wsimport, which makes the package mailroll from the WSDL.",
      commands: [
        `wsimport -extension -quiet -Xnocompile -p mailroll -d . ${shellQuoted(`${endpoint}?wsdl`)}`,
        "javac -encoding UTF-8 -cp '/usr/share/jaxws/lib/*' mailroll/*.java Client.java",
        "java -cp '.:/usr/share/jaxws/lib/*' Client",
      ],
    },
    {
      language: "curl",
      fileName: null,
      code: curl(options),
      needs: "Paste it into a terminal. The result is 0 if the address was added.",
      commands: [],
    },
  ];
}
