<?php
// Takes PHP's SoapClient through the steps on standard input, with the served WSDL.
// php client.php ENDPOINT 1.1|1.2

require __DIR__ . '/steps.php';
[, $endpoint, $version] = $argv;

// <connect>
$client = new SoapClient("$endpoint?wsdl", [
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS, // a list of one is a list, too
]);
// </connect>

// <call>
/** Gives back the byte: 0 is done; any other value is a refusal, and nothing was changed. */
function addSubscriber(SoapClient $client, string $key, string $list, string $address): int
{
    $answer = $client->{'Subscriber.Add'}([
        'APIKey' => $key,
        'SubscribersListID' => $list,
        'EMail' => $address,
    ]);
    return $answer->{'Subscriber.AddResult'};
}
// </call>

// <list>
/** The records of any operation that lists; where there are none, the result has no property at all. */
function records(SoapClient $client, string $operation, array $parameters): array
{
    $result = $client->$operation($parameters)->{"{$operation}Result"};
    return current((array) $result) ?: [];
}
// </list>

// <fault>
/** What a program can decide by, and what a person should read. */
function explain(SoapFault $fault): array
{
    return ['code' => $fault->detail->error->code ?? $fault->faultcode, 'text' => $fault->getMessage()];
}
// </fault>

takeSteps(function (string $operation, array $parameters) use ($client) {
    if ($operation === 'Subscriber.Add') {
        return addSubscriber($client, $parameters['APIKey'], $parameters['SubscribersListID'], $parameters['EMail']);
    }
    if (preg_match('/List|GetFields/', $operation)) {
        return records($client, $operation, $parameters);
    }
    if (isset($parameters['CustomsFields'])) {
        $parameters['CustomsFields'] = customFields($parameters['CustomsFields']);
    }
    return $client->$operation($parameters)->{"{$operation}Result"};
}, 'explain');
