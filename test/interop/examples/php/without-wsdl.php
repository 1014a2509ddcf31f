<?php
// Adds a subscriber with names, custom fields, gender, birthday and country, without the WSDL.
// Change the address, the key, the list and the ids of the custom fields. Then: php without-wsdl.php
const ENDPOINT = 'https://mail.example.org/default.asmx';
const API_KEY = '0123456789ABCDEF0123456789ABCDEF';
const LIST_ID = 1;

/** @param array<int, string> $values */
function customFields(array $values): SoapVar
{
    $fields = [];
    foreach ($values as $id => $value) {
        $field = ['Customfieldid' => $id, 'Value' => $value];
        $fields[] = new SoapVar($field, SOAP_ENC_OBJECT, null, null, 'customField');
    }
    return new SoapVar($fields, SOAP_ENC_OBJECT);
}

try {
    $client = new SoapClient(null, [
        'location' => ENDPOINT,
        'uri' => dirname(ENDPOINT), // the namespace: the address without /default.asmx
    ]);
    $byte = $client->{'Subscriber.AddwithBasicandCustoms'}(
        new SoapParam(API_KEY, 'APIKey'),
        new SoapParam(LIST_ID, 'SubscribersListID'),
        new SoapParam('Zoë', 'FirstName'),
        new SoapParam('Müller', 'LastName'),
        new SoapParam('zoe@example.org', 'EMail'),
        // Custom fields by their id, from Field.GetFields.
        new SoapParam(customFields([1 => 'Zürich', 2 => 'premium']), 'CustomsFields'),
        new SoapParam('F', 'Gender'), // M, F or X
        new SoapParam('1985-12-10T00:00:00', 'Birthday'),
        new SoapParam(756, 'CountryID'), // ISO 3166-1 numeric
    );
    echo $byte === '0' ? "added\n" : "refused: $byte\n"; // 206: unsubscribed earlier; nothing was changed
} catch (SoapFault $fault) {
    // InvalidApiKey: the key is missing, unknown, revoked or expired. A fault without a code
    // comes from PHP itself, for example if the service cannot be reached.
    $code = $fault->detail->error->code ?? $fault->faultcode;
    echo "fault $code: {$fault->getMessage()}\n";
}
