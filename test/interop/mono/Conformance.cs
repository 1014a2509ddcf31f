// What .NET's own checker says of a WSDL: every rule of the WS-I Basic Profile 1.1 that it breaks, by number.
using System;
using System.Web.Services;
using System.Web.Services.Description;

static class Conformance {
    static void Main(string[] arguments) {
        var violations = new BasicProfileViolationCollection();
        var description = ServiceDescription.Read(arguments[0]);
        WebServicesInteroperability.CheckConformance(WsiProfiles.BasicProfile1_1, description, violations);
        foreach (BasicProfileViolation violation in violations) Console.WriteLine(violation.NormativeStatement);
    }
}
