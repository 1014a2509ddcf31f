<?php
// Takes PHP's SoapClient through the steps on standard input, with the served WSDL.
// php client.php ENDPOINT 1.1|1.2

require __DIR__ . '/steps.php';
[, $endpoint, $version] = $argv;

// <connect>
$client = new SoapClient("$endpoint?wsdl", [
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS, // an array even for one record
]);
// </connect>

// <call>
/** Adds an address and returns the result as text. */
function subscribe(SoapClient $client, string $key, string $list, string $address): string
{
    try {
        $answer = $client->{'Subscriber.Add'}([
            'APIKey' => $key,
            'SubscribersListID' => $list,
            'EMail' => $address,
        ]);
    } catch (SoapFault $fault) {
        // The code is for the program, the message for a person.
        return "fault {$fault->detail->error->code}: {$fault->getMessage()}";
    }
    $byte = $answer->{'Subscriber.AddResult'};
    return $byte === 0 ? 'done' : "refused: $byte"; // refused: nothing was changed
}
// </call>

// <list>
/** The records of a list operation; an empty result has no property. */
function records(SoapClient $client, string $operation, array $parameters): array
{
    $result = $client->$operation($parameters)->{"{$operation}Result"};
    return current((array) $result) ?: [];
}
// </list>

takeSteps(function (string $operation, array $parameters) use ($client) {
    if ($operation === 'Subscriber.Add') {
        return subscribe($client, $parameters['APIKey'], $parameters['SubscribersListID'], $parameters['EMail']);
    }
    if (preg_match('/List|GetFields/', $operation)) {
        return records($client, $operation, $parameters);
    }
    if (isset($parameters['CustomsFields'])) {
        $parameters['CustomsFields'] = customFields($parameters['CustomsFields']);
    }
    return $client->$operation($parameters)->{"{$operation}Result"};
});
