<?php
// Adds a subscriber with names, custom fields, gender, birthday and country.
// Change the address, the key, the list and the ids of the custom fields. Then: php client.php
const ENDPOINT = 'https://mail.example.org/default.asmx';
const API_KEY = '0123456789ABCDEF0123456789ABCDEF';
const LIST_ID = 1;

try {
    $client = new SoapClient(ENDPOINT . '?wsdl');
    $answer = $client->{'Subscriber.AddwithBasicandCustoms'}([
        'APIKey' => API_KEY,
        'SubscribersListID' => LIST_ID,
        'FirstName' => 'Zoë',
        'LastName' => 'Müller',
        'EMail' => 'zoe@example.org',
        'CustomsFields' => ['customField' => [
            ['Customfieldid' => 1, 'Value' => 'Zürich'], // the id from Field.GetFields
            ['Customfieldid' => 2, 'Value' => 'premium'],
        ]],
        'Gender' => 'F', // M, F or X
        'Birthday' => '1985-12-10T00:00:00',
        'CountryID' => 756, // ISO 3166-1 numeric; 0 if the country is unknown
    ]);
    $byte = $answer->{'Subscriber.AddwithBasicandCustomsResult'};
    echo $byte === 0 ? "added\n" : "refused: $byte\n"; // 206: unsubscribed earlier; nothing was changed
} catch (SoapFault $fault) {
    // InvalidApiKey: the key is missing, unknown, revoked or expired. A fault without a code
    // comes from PHP itself, for example if the service cannot be reached.
    $code = $fault->detail->error->code ?? $fault->faultcode;
    echo "fault $code: {$fault->getMessage()}\n";
}
