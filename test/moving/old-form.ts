/**
 * A sign-up form as it was written for the old service with nusoap, which reads the WSDL before every call
 * and sends HTTP/1.0 with `Connection: close` and Latin-1. It calls the operations by their short names. Only
 * the address of the service is in its settings.
 */
import { connect } from "node:net";

const KEY = "3f2a-OLD-shop-key";
const [, , address = ""] = process.argv;

/** Until the server closes the connection, as nusoap reads. */
function exchange(url: URL, head: readonly string[], body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    let received = "";
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      received += text;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    const lines = [...head, `Host: ${url.host}`, "User-Agent: NuSOAP/0.9.5 (1.123)", "Connection: close"];
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1");
  });
}

/** Without chunks: HTTP/1.0 has none. */
function bodyOf(answer: string): string {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  if (!/^HTTP\/1\.[01] 200 /.test(head) || /^transfer-encoding:/im.test(head)) throw new Error(head);
  return Buffer.from(rest.join("\r\n\r\n"), "latin1").toString("utf8");
}

interface Operation {
  readonly namespace: string;
  readonly action: string;
  readonly element: string;
  readonly location: string;
}

/** The first port of SOAP 1.1 whose binding has the operation. */
function operationIn(wsdl: string, name: string): Operation {
  const [, namespace = ""] = /targetNamespace="([^"]*)"/.exec(wsdl) ?? [];
  const ports = wsdl.matchAll(/<wsdl:port [^>]*binding="tns:(\w+)">\s*<soap:address location="([^"]*)"/g);
  for (const [, binding = "", location = ""] of ports) {
    const pattern = `<wsdl:binding name="${binding}" type="tns:(\\w+)">([\\s\\S]*?)</wsdl:binding>`;
    const [, portType, operations = ""] = new RegExp(pattern).exec(wsdl) ?? [];
    const [, action] =
      new RegExp(`<wsdl:operation name="${name}">\\s*<soap:operation soapAction="([^"]*)"`).exec(
        operations,
      ) ?? [];
    const [, described = ""] =
      new RegExp(`<wsdl:portType name="${portType}">([\\s\\S]*?)</wsdl:portType>`).exec(wsdl) ?? [];
    const [, message = ""] =
      new RegExp(`name="${name}">[\\s\\S]*?<wsdl:input message="tns:([^"]*)"`).exec(described) ?? [];
    const [, element] =
      new RegExp(`<wsdl:message name="${message}">[^>]*element="tns:([^"]*)"`).exec(wsdl) ?? [];
    if (action !== undefined && element !== undefined) return { namespace, action, element, location };
  }
  throw new Error(`Operation ${name} not present in WSDL`);
}

const xml = (params: object): string =>
  Object.entries(params)
    .map(([name, value]) => {
      if (Array.isArray(value)) return value.map((item: unknown) => xml({ [name]: item })).join("");
      return `<${name}>${typeof value === "object" ? xml(value as object) : String(value)}</${name}>`;
    })
    .join("");

async function call(name: string, params: object = {}): Promise<string> {
  const url = new URL(`${address}?wsdl`);
  const wsdl = bodyOf(await exchange(url, [`GET ${url.pathname}${url.search} HTTP/1.0`], ""));
  const { namespace, action, element, location } = operationIn(wsdl, name);
  const body = [
    '<?xml version="1.0" encoding="ISO-8859-1"?><SOAP-ENV:Envelope SOAP-ENV:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"',
    ' xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"',
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:SOAP-ENC="http://schemas.xmlsoap.org/soap/encoding/">',
    `<SOAP-ENV:Body><${element} xmlns="${namespace}">${xml({ APIKey: KEY, ...params })}</${element}></SOAP-ENV:Body>`,
    "</SOAP-ENV:Envelope>",
  ].join("");
  const target = new URL(location);
  const head = [
    `POST ${target.pathname} HTTP/1.0`,
    "Content-Type: text/xml; charset=ISO-8859-1",
    `SOAPAction: "${action}"`,
    `Content-Length: ${body.length}`,
  ];
  const answer = bodyOf(await exchange(target, head, body));
  return new RegExp(`<${element}Result>(.*)</${element}Result>`).exec(answer)?.[1] ?? answer;
}

const person = { SubscribersListID: 543181, FirstName: "José", LastName: "Ñandú Müßig" };
const town = { customField: [{ Customfieldid: 37328, Value: "Córdoba" }] };
process.stdout.write(
  JSON.stringify({
    connected: await call("TestApiConnection"),
    lists: await call("GetSubscribersLists"),
    named: await call("AddSubscriberwithName", { ...person, EMail: "named@example.org" }),
    withTown: await call("AddSubscriberwithNameandCustoms", {
      ...person,
      EMail: "town@example.org",
      CustomsFields: town,
    }),
    optedOut: await call("AddSubscriber", { SubscribersListID: 543181, EMail: "out@example.org" }),
  }),
);
