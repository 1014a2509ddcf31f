/**
 * The clients that run the scenario: how each is built and started, and where it differs from the others. The
 * run checks the names and faults declared here against the client's program and its output.
 */
import type { Oddity } from "./scenario.ts";

export type Version = "1.1" | "1.2";
export type Command = readonly string[];

export interface Client {
  readonly name: string;
  /** Where its program is, and which file of it. */
  readonly folder: string;
  readonly program: string;
  readonly install: string;
  /** Its page in docs/guide/clients. */
  readonly guide: string;
  readonly versions: readonly Version[];
  /** Why it does not support the other version. */
  readonly otherVersion: string | null;
  /** The query string with which it reads the WSDL. */
  readonly wsdl: string;
  /**
   * Builds a program from the WSDL, in an empty folder; no commands if the client needs no generated code.
   */
  build(wsdl: string, source: string, versions: readonly Version[]): readonly Command[];
  run(endpoint: string, version: Version, source: string): Command;
  /** What it calls an operation of this name in the WSDL. */
  called(name: string): string;
  /** The operations whose call is written out in the program; the others are called by a variable. */
  readonly writtenOut: "all" | "Subscriber.Add";
  readonly fault: {
    readonly type: string;
    /** Where its program finds the code, word for word. */
    readonly code: string;
  };
  /** What it cannot send, and why. */
  readonly cannotSend: Readonly<Partial<Record<Oddity, string>>>;
}

const plain = { wsdl: "?wsdl" } as const;
const both = { ...plain, versions: ["1.1", "1.2"], otherVersion: null } as const;
const only11 = { ...plain, versions: ["1.1"] } as const;
const noBuild = { build: () => [], writtenOut: "Subscriber.Add" } as const;
const typed = {
  "a non-numeric string for a number": "the generated method has a numeric parameter",
} as const;

const php = ["php", "-d", "soap.wsdl_cache_dir=."];
const PYTHON = "/usr/bin/python3"; // Debian's, which has Debian's modules, whatever comes first on the PATH.
const JAXWS = "/usr/share/jaxws/lib/*";
const AXIS = [
  "axis",
  "axis-jaxrpc",
  "axis-saaj",
  "commons-logging",
  "commons-discovery",
  "wsdl4j",
  "javax.activation",
  "javax.mail",
]
  .map((jar) => `/usr/share/java/${jar}.jar`)
  .join(":");
const javac = (classPath: string, source: string): Command => [
  "sh",
  "-c",
  'exec javac -nowarn -encoding UTF-8 -d . -cp "$1" mailroll/*.java "$2" "$3"',
  "javac",
  classPath,
  `${source}/Client.java`,
  `${source}/../java/Steps.java`,
];

const gsoap = (version: Version, source: string): readonly Command[] => [
  [
    "soapcpp2",
    version === "1.1" ? "-1" : "-2",
    "-j",
    "-C",
    "-L",
    "-x",
    "-I/usr/share/gsoap/import",
    "mailroll.h",
  ],
  [
    ...["g++", "-I.", "-o", `client-${version}`, `${source}/client.cpp`],
    ...["soapC.cpp", "soapMailrollSoapProxy.cpp", "-lgsoap++"],
  ],
];

const joined = (operation: string): string => operation.replace(".", "");
const camel = (operation: string): string => joined(operation).replace(/^./, (first) => first.toLowerCase());

export const clients: readonly Client[] = [
  {
    name: "PHP SoapClient, with WSDL",
    folder: "php",
    program: "client.php",
    install: "Debian php-soap",
    guide: "php.md",
    ...both,
    ...noBuild,
    run: (endpoint, version, source) => [...php, `${source}/client.php`, endpoint, version],
    called: (operation) => `$client->{'${operation}'}(`,
    fault: { type: "SoapFault", code: "$fault->detail->error->code" },
    cannotSend: { "a non-numeric string for a number": "PHP sends 0 instead" },
  },
  {
    name: "PHP SoapClient, without WSDL",
    folder: "php",
    program: "without-wsdl.php",
    install: "Debian php-soap",
    guide: "php.md",
    ...both,
    ...noBuild,
    run: (endpoint, version, source) => [...php, `${source}/without-wsdl.php`, endpoint, version],
    called: (operation) => `$client->{'${operation}'}(`,
    fault: { type: "SoapFault", code: "$fault->detail->error->code" },
    cannotSend: {},
  },
  {
    name: "Python zeep",
    folder: "zeep",
    program: "client.py",
    install: "Debian python3-zeep",
    guide: "python.md",
    ...both,
    ...noBuild,
    run: (endpoint, version, source) => [PYTHON, "-B", `${source}/client.py`, endpoint, version],
    called: (operation) => `service["${operation}"](`,
    fault: { type: "zeep.exceptions.Fault", code: 'fault.detail.findtext(".//{*}code")' },
    cannotSend: {},
  },
  {
    name: "Python suds",
    folder: "suds",
    program: "client.py",
    install: "Debian python3-suds",
    guide: "python.md",
    ...only11,
    otherVersion: "suds supports SOAP 1.1 only",
    ...noBuild,
    run: (endpoint, _version, source) => [PYTHON, "-B", `${source}/client.py`, endpoint],
    called: (operation) => `service["${operation}"](`,
    fault: { type: "suds.WebFault", code: "error.fault.detail.error.code" },
    cannotSend: {},
  },
  {
    name: "Perl SOAP::Lite, with WSDL",
    folder: "soap-lite",
    program: "client.pl",
    install: "Debian libsoap-lite-perl",
    guide: "perl.md",
    ...only11,
    otherVersion: "with a WSDL, SOAP::Lite reverts to SOAP 1.1 after the first call",
    ...noBuild,
    run: (endpoint, _version, source) => ["/usr/bin/perl", `${source}/client.pl`, endpoint],
    called: (operation) => `$service->\${\\'${operation}'}(`,
    fault: { type: "SOAP::SOM", code: "$answer->faultdetail->{error}{code}" },
    cannotSend: {},
  },
  {
    name: "Perl SOAP::Lite, without WSDL",
    folder: "soap-lite",
    program: "without-wsdl.pl",
    install: "Debian libsoap-lite-perl",
    guide: "perl.md",
    ...both,
    ...noBuild,
    run: (endpoint, version, source) => ["/usr/bin/perl", `${source}/without-wsdl.pl`, endpoint, version],
    called: (operation) => `$service->call(\n        '${operation}',`,
    fault: { type: "SOAP::SOM", code: "$detail->{error}{code}" },
    cannotSend: {},
  },
  {
    name: "C++ gSOAP",
    folder: "gsoap",
    program: "client.cpp",
    install: "Debian gsoap, libgsoap-dev, g++",
    guide: "cpp.md",
    ...both,
    build: (wsdl, source, versions) => [
      ["wsdl2h", "-o", "mailroll.h", wsdl],
      ...versions.flatMap((version) => gsoap(version, source)),
    ],
    run: (endpoint, version) => [`./client-${version}`, endpoint],
    called: (operation) => operation.replace(".", "_x002e"),
    writtenOut: "all",
    fault: { type: "SOAP_FAULT", code: "soap_fault_detail(soap)" },
    cannotSend: typed,
  },
  {
    name: ".NET SoapHttpClientProtocol (Mono)",
    folder: "mono",
    program: "Client.cs",
    install: "Debian mono-devel, mono-mcs",
    guide: "dotnet.md",
    ...both,
    wsdl: "?wsdl&names=dotted",
    build: (wsdl, source) => [
      ["wsdl", "-out:Mailroll.cs", wsdl],
      ["mcs", "-out:client.exe", "-r:System.Web.Services,System.Xml", `${source}/Client.cs`, "Mailroll.cs"],
    ],
    run: (endpoint, version) => ["mono", "client.exe", endpoint, version],
    called: (operation) => `api.${joined(operation)}(`,
    writtenOut: "all",
    fault: {
      type: "System.Web.Services.Protocols.SoapException",
      code: 'fault.Detail["error"]["code"].InnerText',
    },
    cannotSend: {
      ...typed,
      "an unknown enumeration value": "the proxy throws an exception and sends nothing",
    },
  },
  {
    name: "Java JAX-WS",
    folder: "jax-ws",
    program: "Client.java",
    install: "Debian jaxws, default-jdk-headless",
    guide: "java.md",
    ...both,
    build: (wsdl, source) => [
      ["wsimport", "-extension", "-quiet", "-Xnocompile", "-p", "mailroll", "-d", ".", wsdl],
      javac(JAXWS, source),
    ],
    run: (endpoint, version) => ["java", "-cp", `.:${JAXWS}`, "Client", endpoint, version],
    called: (operation) => `api.${camel(operation)}(`,
    writtenOut: "all",
    fault: {
      type: "com.sun.xml.ws.fault.ServerSOAPFaultException",
      code: "exception.getFault().getDetail().getFirstChild().getFirstChild().getTextContent()",
    },
    cannotSend: typed,
  },
  {
    name: "Java Axis 1.4",
    folder: "axis",
    program: "Client.java",
    install: "Debian libaxis-java, default-jdk-headless",
    guide: "java.md",
    ...only11,
    wsdl: "?wsdl&names=dotted",
    otherVersion: "Axis 1.4 ignores the SOAP 1.2 port",
    build: (wsdl, source) => [
      ["java", "-cp", AXIS, "org.apache.axis.wsdl.WSDL2Java", "-p", "mailroll", wsdl],
      javac(AXIS, source),
    ],
    run: (endpoint) => ["java", "-cp", `.:${AXIS}`, "Client", endpoint],
    called: (operation) => `api.${camel(operation)}(`,
    writtenOut: "all",
    fault: {
      type: "org.apache.axis.AxisFault",
      code: "fault.getFaultDetails()[0].getFirstChild().getTextContent()",
    },
    cannotSend: typed,
  },
  {
    name: "node-soap",
    folder: "node-soap",
    program: "client.mjs",
    install: "npm soap",
    guide: "node.md",
    ...both,
    ...noBuild,
    run: (endpoint, version, source) => [process.execPath, `${source}/client.mjs`, endpoint, version],
    called: (operation) => `client.${operation.replace(".", "_")}Async(`,
    fault: { type: "Error", code: "(fault.detail ?? fault.Detail).error" },
    cannotSend: {},
  },
  {
    name: "strong-soap",
    folder: "strong-soap",
    program: "client.mjs",
    install: "npm strong-soap",
    guide: "node.md",
    ...both,
    ...noBuild,
    run: (endpoint, version, source) => [process.execPath, `${source}/client.mjs`, endpoint, version],
    called: (operation) => `port["${operation}"](`,
    fault: { type: "Error", code: "(fault.detail ?? fault.Detail).error" },
    cannotSend: {},
  },
  {
    name: "curl",
    folder: "curl",
    program: "client.sh",
    install: "Debian curl",
    guide: "curl.md",
    ...both,
    ...noBuild,
    run: (endpoint, version, source) => ["sh", `${source}/client.sh`, endpoint, version],
    called: (operation) => `call ${operation} `,
    fault: { type: "HTTP 500", code: "value code" },
    cannotSend: {},
  },
];
