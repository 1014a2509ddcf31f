<?php
// Takes PHP's SoapClient through the steps on standard input, without any WSDL.
// php without-wsdl.php ENDPOINT 1.1|1.2

require __DIR__ . '/steps.php';
[, $endpoint, $version] = $argv;
$namespace = dirname($endpoint);

// <connect>
$client = new SoapClient(null, [
    'location' => $endpoint,
    'uri' => $namespace, // the address without /default.asmx
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
]);
// </connect>

// <call>
/** Adds an address and returns the result as text. */
function subscribe(SoapClient $client, string $key, string $list, string $address): string
{
    try {
        $byte = $client->{'Subscriber.Add'}(
            new SoapParam($key, 'APIKey'),
            new SoapParam($list, 'SubscribersListID'),
            new SoapParam($address, 'EMail'),
        );
    } catch (SoapFault $fault) {
        return "fault {$fault->detail->error->code}: {$fault->getMessage()}";
    }
    return $byte === '0' ? 'done' : "refused: $byte"; // without a WSDL every value is a string
}
// </call>

// <list>
/** Without a WSDL, PHP cannot distinguish a list of one from a single record. */
function records(mixed $result): array
{
    $records = current((array) $result) ?: [];
    return is_array($records) ? $records : [$records];
}
// </list>

takeSteps(function (string $operation, array $parameters) use ($client) {
    if ($operation === 'Subscriber.Add') {
        return subscribe($client, $parameters['APIKey'], $parameters['SubscribersListID'], $parameters['EMail']);
    }
    if (isset($parameters['CustomsFields'])) {
        $parameters['CustomsFields'] = new SoapVar(array_map(
            fn (array $field) => new SoapVar($field, SOAP_ENC_OBJECT, null, null, 'customField'),
            customFields($parameters['CustomsFields']),
        ), SOAP_ENC_OBJECT);
    }
    $named = array_map(fn ($value, $name) => new SoapParam($value, $name), $parameters, array_keys($parameters));
    $result = $client->$operation(...$named);
    return preg_match('/List|GetFields/', $operation) ? records($result) : $result;
});
